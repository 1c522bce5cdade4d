package io.hudilite.spark.basefile.read

import io.hudilite.codec.parquet.ParquetRecords
import io.hudilite.config.TableConfig
import io.hudilite.error.InvalidInput
import io.hudilite.filegroup.{BaseFile, FooterCache}
import io.hudilite.record.{KeyEncoding, MetaFields}
import io.hudilite.storage.KnownPath
import io.hudilite.table.Table

import org.apache.hadoop.conf.Configuration
import org.apache.parquet.hadoop.api.ReadSupport
import org.apache.parquet.hadoop.example.GroupReadSupport
import org.apache.parquet.hadoop.util.HadoopInputFile
import org.apache.parquet.schema.MessageType

/** Whether a table's record keys carry field names. Releases of Hudi disagree for a complex key generator with one key
  * field, so such a table is asked: one of its rows tells.
  */
private[spark] object KeySpelling {

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
