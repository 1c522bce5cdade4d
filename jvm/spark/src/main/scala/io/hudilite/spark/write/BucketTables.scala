package io.hudilite.spark.write

import io.hudilite.error.UnsupportedTable
import io.hudilite.filegroup.FileNames
import io.hudilite.table.Table

/** Tables with a bucket index, which only their file ids tell (docs/format.md#indexes). A row may only go to the file group
  * of its bucket there, and the table does not say how many buckets there are, so writes refuse.
  */
private[write] object BucketTables {

  /** Bucket numbers are small; the first eight characters of a random file id are a small number once in 40,000 ids. */
  private val MaxBuckets = 65536

  def refuse(table: Table): Unit = {
    val fileIds = table.slices(table.partitions().take(1)).values.flatten.map(_.fileId)
    if (fileIds.nonEmpty && fileIds.forall(id => FileNames.bucketOf(id).exists(_ < MaxBuckets)))
      throw UnsupportedTable("UNSUPPORTED_TABLE_FEATURE", "path" -> table.basePath, "feature" -> "a bucket index",
        "reason" -> s"its file groups, like ${fileIds.head}, belong to buckets")
  }
}
