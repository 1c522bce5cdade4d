package io.hudilite.spark.bucket

import io.hudilite.error.{CorruptTable, Listed}
import io.hudilite.filegroup.BaseFile
import io.hudilite.index.BucketIndex
import io.hudilite.spark.row.{KeyCheck, TextBytes}

import org.apache.spark.sql.hudilite.LastAttempts
import org.apache.spark.sql.vectorized.ColumnVector

/** Holds the record keys of a base file against the bucket that its file group is of. A key in another one than it belongs
  * to would not be found there, and be in the table twice after the next upsert of it.
  */
private[bucket] final class BucketKeys(index: BucketIndex, file: BaseFile, bucket: Int) extends KeyCheck {

  private val text = new TextBytes

  override def check(keys: ColumnVector, rows: Int): Unit = {
    // hot path
    var row = 0
    while (row < rows) {
      text.take(keys.getUTF8String(row))
      if (index.bucketOf(text.array, text.offset, text.length) != bucket) throw misplaced(keys, row)
      row += 1
    }
  }

  private def misplaced(keys: ColumnVector, row: Int): Throwable = {
    val key = keys.getUTF8String(row).toString
    LastAttempts.failure(CorruptTable("KEY_IN_WRONG_BUCKET", "file" -> file.relativePath, "bucket" -> bucket.toString,
        "key" -> key, "other" -> index.bucketOf(key).toString, "count" -> index.count.toString,
        "fields" -> Listed.of(index.hashFields)))
  }
}

private[spark] object BucketKeys {

  /** @param index
    *   by which the write deals its rows to buckets, if it does
    */
  def of(index: Option[BucketIndex], file: BaseFile): KeyCheck =
    (for (by <- index.map(_.in(file.partition)); bucket <- by.bucketOfFile(file.fileId))
      yield new BucketKeys(by, file, bucket): KeyCheck)
      .getOrElse(KeyCheck.None)
}
