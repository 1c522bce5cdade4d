package io.hudilite.spark.inspect

import io.hudilite.filegroup.PathSelection
import io.hudilite.spark.basefile.read.{Outcomes, PossibleValues, ScanFilter}
import io.hudilite.storage.TablePath

import org.apache.spark.unsafe.types.UTF8String

/** Which rows of a metadata table a query asks for, so that what only others need is not read.
  *
  * @param filters
  *   Spark applies them again
  * @param limit
  *   so many rows are enough
  */
final case class RowsAsked(filters: Seq[ScanFilter] = Nil, limit: Option[Int] = None) {

  /** A row with these texts, null for none, may pass; other columns may have any value. */
  def mayHold(texts: (String, String)*): Boolean = maybe(texts.map { case (column, text) =>
    Seq(column) -> PossibleValues.OneOfThese(Seq(if (text == null) null else UTF8String.fromString(text)))
  }.toMap)

  /** The partitions that the column `partition` may name. */
  def partitions: PathSelection =
    if (!filters.exists(_.columns.contains(RowsAsked.Partition))) PathSelection.All
    else new PathSelection {
      override def mayLead(folder: String): Boolean = folder.isEmpty ||
        maybe(Map(RowsAsked.Partition -> PossibleValues.TextFrom(UTF8String.fromString(folder))))

      override def wants(partition: String): Boolean = mayHold(RowsAsked.Partition.head -> partition)

      // No partition has a path that is not in its one form.
      override lazy val only: Option[Seq[String]] = ScanFilter.conjuncts(filters).collectFirst {
        case ScanFilter.Comparison(RowsAsked.Partition, ScanFilter.Equal, path) => Seq(path)
        case ScanFilter.OneOf(RowsAsked.Partition, paths) => paths
      }.map(_.map(_.toString).filter(TablePath.isNormal))
    }

  private def maybe(values: Map[Seq[String], PossibleValues]): Boolean =
    filters.forall(Outcomes.of(_, values).isTrue)
}

object RowsAsked {

  val All: RowsAsked = RowsAsked()

  private val Partition: Seq[String] = Seq("partition")
}
