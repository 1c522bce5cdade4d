package io.hudilite.spark.basefile.read

import io.hudilite.codec.parquet.ParquetRecords
import io.hudilite.config.TableConfig
import io.hudilite.error.InvalidInput
import io.hudilite.filegroup.{BaseFile, FooterCache}
import io.hudilite.record.{KeyEncoding, MetaFields}
import io.hudilite.spark.row.{FieldText, FieldTypes}
import io.hudilite.storage.KnownPath
import io.hudilite.table.Table

import org.apache.hadoop.conf.Configuration
import org.apache.parquet.hadoop.api.ReadSupport
import org.apache.parquet.hadoop.example.GroupReadSupport
import org.apache.parquet.hadoop.util.HadoopInputFile
import org.apache.parquet.schema.MessageType
import org.apache.spark.sql.types.StructType

/** How a table's record keys are spelled where its properties do not say it: one of its rows tells. Releases of Hudi
  * disagree whether keys of a complex key generator with one key field carry its name, and its writers how they spell
  * times.
  */
private[spark] object KeySpelling {

  /** Whether record keys carry field names. */
  def isPrefixed(config: TableConfig, existing: Option[Table], conf: => Configuration): Boolean =
    KeyEncoding.isPrefixed(config.keyGenerator, config.recordKeyFields.size, config.version).getOrElse {
      val field = config.recordKeyFields.head
      existing.toSeq.flatMap(rows(_, field, conf)).headOption match {
        case Some((value, key)) => KeyEncoding.detectPrefixed(field, value, key)
        case None => throw InvalidInput("INVALID_OPTION_VALUE",
            "option" -> "hoodie.datasource.write.keygenerator.class",
            "value" -> config.keyGenerator.name,
            "reason" ->
              ("below version 9 releases of Hudi spell the key of a " +
                "complex key generator with one key field differently, and this table has no row that tells its spelling"))
      }
    }

  /** Whether timestamps in the record keys and partition paths of an existing table are microseconds since 1970, as Apache
    * Hudi's writers of Avro records spell them, and not texts, as its row writer and hudilite's new tables do. No property
    * says it: the first key or path that has such a value does.
    *
    * @param columns
    *   of the table
    * @param partitionFields
    *   those whose values paths spell as keys do
    */
  def hasTimesAsNumbers(config: TableConfig, columns: StructType, partitionFields: Seq[String],
      existing: Option[Table], conf: => Configuration): Boolean = {
    def isTime(field: String): Boolean = FieldTypes.at(columns, field.split('.').toList).exists(FieldText.isTime)
    val inKeys = config.recordKeyFields.filter(isTime)
    val inPaths = partitionFields.filter(isTime)
    val told =
      if (inKeys.isEmpty && inPaths.isEmpty) Iterator.empty
      else existing.iterator.flatMap(timesIn(_, config, inKeys, inPaths, conf))
    told.take(1).exists(_.matches("-?\\d+"))
  }

  /** Times as keys and paths of the table spell them, as far as they are asked for. */
  private def timesIn(table: Table, config: TableConfig, inKeys: Seq[String], inPaths: Seq[String],
      conf: => Configuration): Iterator[String] = table.files.iterator().flatMap { case (partition, slices) =>
    val keys = if (inKeys.isEmpty) Iterator.empty
    else slices.iterator.flatMap(_.base).flatMap(firstKeys(table, _, conf))
    inPaths.iterator.flatMap(levelText(config, partition, _)) ++
      keys.flatMap(k => inKeys.flatMap(keyText(config, k, _)))
  }

  private def keyText(config: TableConfig, key: String, field: String): Option[String] = {
    val values =
      if (config.recordKeyFields.size > 1) KeyEncoding.keyValues(key, Seq(field)) else Seq(key.stripPrefix(s"$field:"))
    values.find(value => value != null && value.nonEmpty)
  }

  private def levelText(config: TableConfig, partition: String, field: String): Option[String] = {
    val levels = partition.split('/')
    val fields = config.partitionFields
    if (levels.length != fields.size) None
    else
      Some(levels(fields.indexOf(field))).map(level => if (config.hiveStyle) level.stripPrefix(s"$field=") else level)
        .filter(_ != KeyEncoding.DefaultPartition)
  }

  private def firstKeys(table: Table, file: BaseFile, conf: Configuration): Seq[String] = {
    val path = new KnownPath(s"${table.basePath}/${file.relativePath}", file.length)
    val settings = new Configuration(conf)
    val schema = FooterCache.metadata(conf, path.toString, path.length).getFileMetaData.getSchema
    settings.set(ReadSupport.PARQUET_READ_SCHEMA,
      new MessageType(schema.getName, schema.asGroupType.getType(MetaFields.RecordKey)).toString)
    val records = new ParquetRecords(HadoopInputFile.fromPath(path, conf), settings)
    try records.of(new GroupReadSupport).take(KeysLookedAt).map(_.getString(0, 0)).toList
    finally records.close()
  }

  // The value of one field among several may be missing.
  private val KeysLookedAt = 100

  /** (value of the key field, record key) of the first row of the first base file that has one. */
  private def rows(table: Table, field: String, conf: Configuration): Option[(String, String)] =
    table.files.iterator().flatMap(_._2).flatMap(_.base)
      .flatMap(firstRow(table, _, field, conf)).take(1).toSeq.headOption

  private def firstRow(table: Table, file: BaseFile, field: String, conf: Configuration): Option[(String, String)] = {
    val path = new KnownPath(s"${table.basePath}/${file.relativePath}", file.length)
    val settings = new Configuration(conf)
    settings.set(ReadSupport.PARQUET_READ_SCHEMA, projection(path, field, conf).toString)
    val records = new ParquetRecords(HadoopInputFile.fromPath(path, conf), settings)
    try records.of(new GroupReadSupport).take(1).toSeq.headOption
        .map(row => (row.getValueToString(1, 0), row.getString(0, 0)))
    finally records.close()
  }

  private def projection(path: KnownPath, field: String, conf: Configuration): MessageType = {
    val schema = FooterCache.metadata(conf, path.toString, path.length).getFileMetaData.getSchema
    new MessageType(schema.getName, schema.asGroupType.getType(MetaFields.RecordKey), schema.asGroupType.getType(field))
  }
}
