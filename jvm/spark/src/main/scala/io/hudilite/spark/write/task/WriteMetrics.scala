package io.hudilite.spark.write.task

import org.apache.spark.sql.connector.metric.{CustomMetric, CustomSumMetric, CustomTaskMetric}

/** Rows and file groups that one task has handed to its writers so far. Spark asks for them before the task commits. */
private[write] final class WriteMetrics {
  var inserted = 0L
  var updated = 0L
  var deleted = 0L
  var fileGroups = 0L

  def values: Array[CustomTaskMetric] = Array(TaskCount("rowsInserted", inserted), TaskCount("rowsUpdated", updated),
    TaskCount("rowsDeleted", deleted), TaskCount("fileGroups", fileGroups))
}

private final case class TaskCount(metric: String, number: Long) extends CustomTaskMetric {
  override def name(): String = metric
  override def value(): Long = number
}

private[write] object WriteMetrics {
  val all: Array[CustomMetric] = Array(new RowsInserted, new RowsUpdated, new RowsDeleted, new FileGroupsWritten)
}

// Spark makes these by their class names, so each needs a public constructor without arguments.

final class RowsInserted extends CustomSumMetric {
  override def name(): String = "rowsInserted"
  override def description(): String = "rows to insert"
}

final class RowsUpdated extends CustomSumMetric {
  override def name(): String = "rowsUpdated"
  override def description(): String = "rows to update"
}

final class RowsDeleted extends CustomSumMetric {
  override def name(): String = "rowsDeleted"
  override def description(): String = "rows to delete"
}

final class FileGroupsWritten extends CustomSumMetric {
  override def name(): String = "fileGroups"
  override def description(): String = "existing file groups changed"
}
