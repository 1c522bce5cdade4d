package io.hudilite.spark.write

import io.hudilite.filegroup.PathSelection

/** A write that looks nothing up: rows that reach the writers as new rows.
  *
  * @param groups
  *   small files that take the rows; `None` = every row goes to a new file
  */
final case class AppendWrite(intent: WriteIntent, groups: Option[LateGroups])

/** Which file groups a write takes out of the table as it completes. */
sealed trait Replaces extends Serializable

object Replaces {
  case object Nothing extends Replaces

  /** Every group of the partitions that rows were written to, or that the rows name. */
  case object WrittenPartitions extends Replaces
  case object WholeTable extends Replaces

  /** Every group of these partitions, and of those that rows were written to. */
  final case class Partitions(paths: Set[String]) extends Replaces

  /** Every group of the partitions that match: a path, or the beginning of one followed by `*`. */
  final case class Matching(patterns: Seq[String]) extends Replaces {
    def selection: PathSelection = new PathSelection {
      override def wants(partition: String): Boolean = patterns.exists(p => matches(partition, p))
      override def mayLead(folder: String): Boolean =
        patterns.exists(p => matches(folder, p) || p.stripSuffix("*").startsWith(s"$folder/"))
      override def only: Option[Seq[String]] = if (patterns.exists(_.endsWith("*"))) None else Some(patterns)
    }

    private def matches(path: String, pattern: String): Boolean =
      if (pattern.endsWith("*")) path.startsWith(pattern.dropRight(1)) else path == pattern
  }
}
