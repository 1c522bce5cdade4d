package io.hudilite.spark.basefile.read

import io.hudilite.codec.parquet.ParquetRecords
import io.hudilite.filegroup.{BaseFile, FooterCache}
import io.hudilite.record.MetaFields
import io.hudilite.storage.KnownPath
import io.hudilite.table.Table

import org.apache.hadoop.conf.Configuration
import org.apache.parquet.example.data.Group
import org.apache.parquet.hadoop.api.ReadSupport
import org.apache.parquet.hadoop.example.GroupReadSupport
import org.apache.parquet.hadoop.util.HadoopInputFile
import org.apache.parquet.schema.{LogicalTypeAnnotation, MessageType, PrimitiveType, Type}
import org.apache.parquet.schema.LogicalTypeAnnotation.TimeUnit

import scala.collection.JavaConverters._

/** One row of a base file, with its record key and the fields that keys and paths are made of. Names may be dotted
  * paths.
  */
private[read] final case class FirstRow(group: Group) {

  def key: String = group.getString(MetaFields.RecordKey, 0)

  /** Value of a field that holds text; `None` where it is null or no text. */
  def text(field: String): Option[String] = leaf(field).collect {
    case (owner, found) if isText(found) => owner.getString(found.getName, 0)
  }

  /** Value and unit of a field that holds a time as a number. */
  def time(field: String): Option[(Long, TimeUnit)] = leaf(field).flatMap { case (owner, found) =>
    found.getLogicalTypeAnnotation match {
      case time: LogicalTypeAnnotation.TimestampLogicalTypeAnnotation =>
        Some(owner.getLong(found.getName, 0) -> time.getUnit)
      case _ => None
    }
  }

  /** The field and the group around it, where it is there and not null. */
  private def leaf(field: String): Option[(Group, Type)] = {
    val names = field.split('.')
    val owner =
      names.init.foldLeft(Option(group))((around, name) => around.filter(has(_, name)).map(_.getGroup(name, 0)))
    owner.filter(has(_, names.last)).map(g => g -> g.getType.getType(names.last))
  }

  private def has(around: Group, name: String): Boolean =
    around.getType.containsField(name) && around.getFieldRepetitionCount(name) > 0

  private def isText(found: Type): Boolean = found match {
    case leaf: PrimitiveType => leaf.getPrimitiveTypeName == PrimitiveType.PrimitiveTypeName.BINARY &&
      !leaf.getLogicalTypeAnnotation.isInstanceOf[LogicalTypeAnnotation.DecimalLogicalTypeAnnotation]
    case _ => false
  }
}

/** First rows of base files, which show how a table spells its keys. */
private[spark] object FirstRows {

  /** Record keys of the first rows of a file, at most so many. */
  def keys(table: Table, file: BaseFile, most: Int, conf: Configuration): Seq[String] =
    of(table, file, Nil, most, conf).map(_.key)

  /** At most so many rows of the file, with these fields. */
  private[read] def of(table: Table, file: BaseFile, fields: Seq[String], most: Int, conf: Configuration)
      : Seq[FirstRow] = {
    val path = new KnownPath(s"${table.basePath}/${file.relativePath}", file.length)
    val schema = FooterCache.metadata(conf, path.toString, path.length).getFileMetaData.getSchema
    val wanted = (MetaFields.RecordKey +: fields.map(_.takeWhile(_ != '.'))).distinct.filter(schema.containsField(_))
    val settings = new Configuration(conf)
    val columns = wanted.map(name => schema.asGroupType.getType(name)).asJava
    settings.set(ReadSupport.PARQUET_READ_SCHEMA, new MessageType(schema.getName, columns).toString)
    val records = new ParquetRecords(HadoopInputFile.fromPath(path, conf), settings)
    try records.of(new GroupReadSupport).take(most).map(FirstRow(_)).toList
    finally records.close()
  }
}
