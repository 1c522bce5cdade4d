package io.hudilite.metadata

import org.apache.avro.Schema
import org.apache.avro.Schema.Type

import scala.collection.JavaConverters._

/** The columns that have statistics in a metadata table: pure (docs/format.md#metadata-table). */
object IndexedColumns {

  /** Meta columns that always have statistics where there are any. */
  private val Meta = Seq("_hoodie_commit_time", "_hoodie_partition_path", "_hoodie_record_key")

  private val DefaultMost = 32

  // Statistics of version 1 hold decimals of 30 digits, 15 of them behind the point.
  private val FirstPrecision = 30
  private val FirstScale = 15

  /** Names of the columns, with dots for nested ones, in the order of the definition.
    *
    * @param schema
    *   columns of the table, without meta columns
    * @param version
    *   of the table
    * @param asked
    *   columns that were asked for; the first ones of the table where none were
    * @param most
    *   number of columns where none are asked for
    */
  def of(schema: String, version: Int, hasMetaColumns: Boolean, asked: Seq[String] = Nil, most: Int = DefaultMost)
      : Seq[String] = {
    val table = new Schema.Parser().parse(schema)
    val supported = if (asked.nonEmpty)
      asked.distinct.filter(AvroStatValues.find(table, _).exists(isIndexed(_, version)))
    else table.getFields.asScala.toSeq.filter(f => isIndexed(f.schema, version)).map(_.name).take(most)
    (if (hasMetaColumns) Meta else Nil) ++ supported.filterNot(Meta.contains)
  }

  private def isIndexed(column: Schema, version: Int): Boolean = {
    val isSecond = version >= MetadataShape.TypedStatistics
    AvroStatValues.present(column).getType match {
      case Type.ENUM => false
      case _ => AvroStatValues.kind(column).exists(of => of.ordinal != StatType.Decimal || isSecond || fits(of))
    }
  }

  private def fits(decimal: StatType): Boolean =
    StatType.scale(decimal) <= FirstScale &&
      StatType.precision(decimal) - StatType.scale(decimal) <= FirstPrecision - FirstScale
}
