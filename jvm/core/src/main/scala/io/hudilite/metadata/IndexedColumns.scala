package io.hudilite.metadata

import org.apache.avro.Schema
import org.apache.avro.Schema.Type

import scala.collection.JavaConverters._

/** The columns that have statistics in a metadata table: pure (docs/format.md#metadata-table). */
object IndexedColumns {

  /** Meta columns that always have statistics where there are any. */
  private val Meta = Seq("_hoodie_commit_time", "_hoodie_partition_path", "_hoodie_record_key")

  def isMeta(name: String): Boolean = Meta.contains(name)

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

  /** The columns of a definition after a write: where they are the first ones of the table before, and not a choice, those
    * that the write brings are among them.
    *
    * @param before
    *   columns of the table before, if it had any
    */
  def grown(defined: Seq[String], before: Option[String], after: String, version: Int): Seq[String] = {
    def first(schema: String): Seq[String] = of(schema, version, hasMetaColumns = false)
    val known = defined.toSet
    if (before.contains(after) || !before.forall(first(_).forall(known))) defined
    else defined ++ first(after).filterNot(known).take(math.max(0, DefaultMost - defined.count(!Meta.contains(_))))
  }

  /** Why a column cannot have statistics.
    *
    * @param schema
    *   columns of the table, without meta columns
    */
  def refusal(name: String, schema: String, version: Int): Option[String] =
    AvroStatValues.find(new Schema.Parser().parse(schema), name) match {
      case _ if Meta.contains(name) => None
      case None => Some(s"the table has no column $name")
      case Some(column) if !isIndexed(column, version) =>
        Some(s"of the type of $name no statistics are kept in version $version")
      case _ => None
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
