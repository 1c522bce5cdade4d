package io.hudilite.spark.scan.plan

import io.hudilite.config.TableConfig
import io.hudilite.filegroup.PathSelection
import io.hudilite.schema.EvolvedColumns
import io.hudilite.spark.basefile.read.{FilterOutcomes, PossibleValues, ScanFilter}
import io.hudilite.spark.basefile.read.ScanFilter._

import org.apache.spark.sql.connector.expressions.filter.Predicate
import org.apache.spark.sql.types.StructType
import org.apache.spark.unsafe.types.UTF8String

/** Decides from partition paths which partitions can hold rows that pass a filter, and from the names of folders which of
  * them can lead to such partitions: pure.
  *
  * @param typesKept
  *   the partition columns always had their types, so that all paths are spelled alike
  * @param withFields
  *   fields of structs count, too
  */
final class PartitionPruning(config: TableConfig, schema: StructType, typesKept: Boolean = true,
    withFields: Boolean = true) {

  private val levels = new PartitionLevels(config, schema, typesKept, withFields)

  /** Columns on which filters can prune, as paths of names. */
  val columnPaths: Set[Seq[String]] = levels.readable

  /** Columns whose values are what their folder says, whatever the files of the folder say. */
  val folderColumns: Set[String] = columnPaths.collect { case Seq(name) => name } ++ config.droppedColumns

  /** The values of these columns in a partition, as far as its path tells them. */
  def valuesOf(partition: String): Map[String, Any] =
    if (folderColumns.isEmpty) Map.empty
    else levels.ofPartition(partition).collect { case (Seq(name), PossibleValues.OneOfThese(Seq(value))) =>
      name -> value
    }

  /** The partition can hold a row for which every filter is true. */
  def mayHold(partition: String, filters: Seq[ScanFilter]): Boolean = selection(filters).wants(partition)

  /** The partitions that can hold a row for which every filter is true. */
  def selection(filters: Seq[ScanFilter]): PathSelection = {
    val relevant = ScanFilter.conjuncts(filters).filter(f => f.columns.exists(columnPaths) && isCertain(f))
    if (relevant.isEmpty) PathSelection.All else new FilteredPaths(relevant)
  }

  /** All rows of the partition pass the filters, or none does; `None` where its path does not tell. */
  def decides(partition: String, filters: Seq[ScanFilter]): Option[Boolean] =
    if (!filters.forall(f => f.columns.forall(isOfFolder) && isCertain(f))) None
    else {
      val values = levels.ofPartition(partition)
      val outcomes = filters.map(FilterOutcomes.of(_, values))
      if (outcomes.exists(!_.isTrue)) Some(false)
      else if (outcomes.forall(o => !o.isFalse && !o.isNull)) Some(true)
      else None
    }

  // Fields of a struct have the values of the files, and a row may have moved to another than its folder's.
  private def isOfFolder(path: Seq[String]): Boolean = path.size == 1 && columnPaths(path)

  private def isCertain(filter: ScanFilter): Boolean = filter match {
    case Comparison(_, _, text: UTF8String) => levels.isCertain(text)
    case OneOf(_, values) => values.forall { case text: UTF8String => levels.isCertain(text); case _ => true }
    case AllOf(parts) => parts.forall(isCertain)
    case AnyOf(parts) => parts.forall(isCertain)
    case Negation(part) => isCertain(part)
    case _ => true
  }

  private final class FilteredPaths(filters: Seq[ScanFilter]) extends PathSelection {

    private def maybe(values: Map[Seq[String], PossibleValues]): Boolean =
      filters.forall(FilterOutcomes.of(_, values).isTrue)

    override def mayLead(folder: String): Boolean = maybe(levels.ofFolder(folder))

    override def wants(partition: String): Boolean = maybe(levels.ofPartition(partition))

    override lazy val only: Option[Seq[String]] = levels.spelled(filters.flatMap {
      case Comparison(column, Equal, value) => Some(column -> Seq(value))
      case OneOf(column, values) => Some(column -> values)
      case _ => None
    }.toMap)
  }
}

object PartitionPruning {

  /** @param evolved
    *   names of the columns in the table's files, where some have changed
    */
  def of(config: TableConfig, schema: StructType, evolved: Option[EvolvedColumns]): PartitionPruning =
    new PartitionPruning(config, schema, evolved.forall(_.keepsTypes(config.partitionFields)))

  /** As [[of]], for conditions on rows. A field of a struct has the value of the file, which is another than that of the
    * folder where a global index of Apache Hudi's has left the row in it (docs/format.md#partitions).
    */
  def ofRows(config: TableConfig, schema: StructType, evolved: Option[EvolvedColumns]): PartitionPruning =
    new PartitionPruning(config, schema, evolved.forall(_.keepsTypes(config.partitionFields)), withFields = false)

  /** The partitions that can hold a row for which all of these are true. */
  def selection(config: TableConfig, schema: StructType, evolved: Option[EvolvedColumns], predicates: Seq[Predicate])
      : PathSelection = ofRows(config, schema, evolved).selection(predicates.flatMap(ScanFilter.of(_, schema)))
}
