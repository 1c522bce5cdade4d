package io.hudilite.spark.write.attempt

import io.hudilite.error.UnsupportedTable
import io.hudilite.index.BucketIndex
import io.hudilite.spark.write.job.WriteGroups
import io.hudilite.spark.write.task.WrittenFiles

import scala.collection.mutable

/** Holds what tasks wrote against each other: each bucket of a partition is the work of one. Rows of a scan are taken to lie
  * in the buckets of their keys (`DealtWrites`); where another program has put some elsewhere, two tasks may have written
  * to one bucket, and the commit would be of a table that nobody can read right.
  */
private[write] object TasksOfBuckets {

  /** Raises `UnsupportedTable` where two tasks wrote to one bucket. */
  def check(tasks: Seq[WrittenFiles], groups: WriteGroups, path: String): Unit =
    groups.buckets.map(_.index).filterNot(_.isConsistent).foreach(check(tasks, _, path))

  private def check(tasks: Seq[WrittenFiles], index: BucketIndex, path: String): Unit = {
    val writers = mutable.HashMap.empty[(String, Int), (Int, String)]
    for ((task, number) <- tasks.zipWithIndex; stat <- task.stats) { // hot path: once per file
      for (bucket <- index.in(stat.partitionPath).bucketOfFile(stat.fileId)) {
        val (by, fileId) = writers.getOrElseUpdate(stat.partitionPath -> bucket, number -> stat.fileId)
        if (by != number) throw twice(path, stat.partitionPath, bucket, fileId, stat.fileId)
      }
    }
  }

  private def twice(path: String, partition: String, bucket: Int, one: String, other: String): UnsupportedTable =
    UnsupportedTable("UNSUPPORTED_TABLE_FEATURE", "path" -> path,
      "feature" -> s"rows for bucket $bucket in '$partition' from several buckets of the table that is read",
      "reason" ->
        (s"two tasks wrote to it, the file groups $one and $other, as keys of that table lie in other buckets " +
          "than their own: the procedure doctor lists them"),
      "way" ->
        ("Nothing was written. Put repartition behind the rows that are read, or exclude the optimizer's rule " +
          "DealtWrites (docs/indexes.md)"))
}
