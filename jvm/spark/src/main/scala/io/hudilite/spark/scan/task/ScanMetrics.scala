package io.hudilite.spark.scan.task

import org.apache.spark.sql.connector.metric.{CustomSumMetric, CustomTaskMetric}

/** The metrics of a scan in Spark's SQL tab: what each pruning step left out. Spark makes them without arguments. */
final class FilesListedMetric extends CustomSumMetric {
  override def name(): String = ScanMetrics.FilesListed
  override def description(): String = "base files of the partitions listed"
}

final class PartitionsReadMetric extends CustomSumMetric {
  override def name(): String = ScanMetrics.PartitionsRead
  override def description(): String = "partitions read"
}

final class FilesPrunedByPartitionMetric extends CustomSumMetric {
  override def name(): String = ScanMetrics.PrunedByPartition
  override def description(): String = "listed base files pruned by partition"
}

final class FilesPrunedByBucketMetric extends CustomSumMetric {
  override def name(): String = ScanMetrics.PrunedByBucket
  override def description(): String = "file groups pruned by bucket"
}

final class FilesPrunedByRecordIndexMetric extends CustomSumMetric {
  override def name(): String = ScanMetrics.PrunedByRecordIndex
  override def description(): String = "file groups pruned by record index"
}

final class FilesPrunedBySecondaryIndexMetric extends CustomSumMetric {
  override def name(): String = ScanMetrics.PrunedBySecondaryIndex
  override def description(): String = "file groups pruned by secondary index"
}

final class FilesPrunedByRangeMetric extends CustomSumMetric {
  override def name(): String = ScanMetrics.PrunedByRange
  override def description(): String = "base files pruned by key range"
}

final class FilesPrunedByBloomMetric extends CustomSumMetric {
  override def name(): String = ScanMetrics.PrunedByBloom
  override def description(): String = "base files pruned by bloom filter"
}

final class FilesPrunedByStatisticsMetric extends CustomSumMetric {
  override def name(): String = ScanMetrics.PrunedByStatistics
  override def description(): String = "file slices pruned by statistics of columns"
}

final class FilesPrunedByOrderMetric extends CustomSumMetric {
  override def name(): String = ScanMetrics.PrunedByOrder
  override def description(): String = "file slices without any of the first rows"
}

final class FilesOpenedMetric extends CustomSumMetric {
  override def name(): String = ScanMetrics.FilesOpened
  override def description(): String = "base files opened"
}

final class RowsReadMetric extends CustomSumMetric {
  override def name(): String = ScanMetrics.RowsRead
  override def description(): String = "rows read"
}

final class LogFilesReadMetric extends CustomSumMetric {
  override def name(): String = ScanMetrics.LogFilesRead
  override def description(): String = "log files read"
}

final class LogRecordsMetric extends CustomSumMetric {
  override def name(): String = ScanMetrics.LogRecords
  override def description(): String = "log records read"
}

final class RowsReplacedMetric extends CustomSumMetric {
  override def name(): String = ScanMetrics.RowsReplaced
  override def description(): String = "rows of base files replaced by log records"
}

final case class ScanMetric(name: String, value: Long) extends CustomTaskMetric

object ScanMetrics {
  val FilesListed = "filesListed"
  val PartitionsRead = "partitionsRead"
  val PrunedByPartition = "filesPrunedByPartition"
  val PrunedByBucket = "filesPrunedByBucket"
  val PrunedByRecordIndex = "filesPrunedByRecordIndex"
  val PrunedBySecondaryIndex = "filesPrunedBySecondaryIndex"
  val PrunedByRange = "filesPrunedByKeyRange"
  val PrunedByBloom = "filesPrunedByBloom"
  val PrunedByStatistics = "filesPrunedByStatistics"
  val PrunedByOrder = "filesPrunedByOrder"
  val FilesOpened = "filesOpened"
  val RowsRead = "rowsRead"
  val LogFilesRead = "logFilesRead"
  val LogRecords = "logRecords"
  val RowsReplaced = "rowsReplaced"

  def all: Array[org.apache.spark.sql.connector.metric.CustomMetric] = Array(new FilesListedMetric,
    new PartitionsReadMetric,
    new FilesPrunedByPartitionMetric, new FilesPrunedByBucketMetric, new FilesPrunedByRecordIndexMetric,
    new FilesPrunedBySecondaryIndexMetric, new FilesPrunedByRangeMetric,
    new FilesPrunedByBloomMetric, new FilesPrunedByStatisticsMetric, new FilesPrunedByOrderMetric,
    new FilesOpenedMetric, new RowsReadMetric,
    new LogFilesReadMetric, new LogRecordsMetric, new RowsReplacedMetric)
}
