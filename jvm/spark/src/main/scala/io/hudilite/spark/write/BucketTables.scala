package io.hudilite.spark.write

import io.hudilite.config.WriteOptions
import io.hudilite.error.{InvalidInput, UnsupportedTable}
import io.hudilite.filegroup.{FileSlice, FooterCache}
import io.hudilite.index.{BucketIndex, Index}
import io.hudilite.spark.shim.Sessions
import io.hudilite.table.{BucketMoves, Table}

import org.apache.spark.sql.SparkSession

/** Tables with a bucket index. Only their file ids tell that they have one, and nothing tells how many buckets there are
  * (docs/format.md#indexes), so that every write says both and is held against what the files show.
  */
private[spark] object BucketTables {

  /** Files whose keys are held against the number of buckets. */
  private val FilesAsked = 2

  /** File groups that are asked whether they belong to buckets. */
  private val GroupsAsked = 1000

  /** Where Hudi keeps what other kinds of bucket index need. */
  private val Metadata = Seq("consistent_hashing_metadata", "partition_bucket_index_meta")

  /** Refuses a write whose options and the table's files do not have the same index. */
  def check(table: Table, index: Index): Unit = {
    val others = table.storage.list(s"${table.basePath}/.hoodie/.bucket_index").map(_.name)
    Metadata.find(others.contains).foreach(folder =>
      throw UnsupportedTable("UNSUPPORTED_TABLE_FEATURE", "path" -> table.basePath,
        "feature" -> "a bucket index with a changing number of buckets", "reason" -> s"it has a $folder"))
    val groups = someGroups(table)
    val bucketed = groups.nonEmpty && groups.forall(BucketIndex.bucketOfFile(_).isDefined)
    index match {
      case Index.Bucket(_) if groups.nonEmpty && !bucketed =>
        val strange = groups.find(BucketIndex.bucketOfFile(_).isEmpty).head
        throw refused(WriteOptions.IndexType.name, "BUCKET", s"the table's file group $strange belongs to no bucket")
      case Index.Bucket(by) if bucketed =>
        BucketMoves.last(table).filter { case (_, count) => count != by.count }.foreach { case (instant, count) =>
          throw refused(WriteOptions.Buckets.name, by.count.toString,
            s"the clustering ${instant.time} has moved the table to $count buckets")
        }
      case Index.Simple(_) | Index.Bloom(_) if bucketed =>
        throw InvalidInput("BUCKETS_NOT_NAMED", "path" -> table.basePath, "group" -> groups.head)
      case _ =>
    }
  }

  /** File ids of some groups, which are alike in whether they are of buckets: those that the newest write names, whose
    * commit was read when the table was opened. Where it names none, partitions are looked at up to the first that has
    * any.
    */
  private def someGroups(table: Table): Seq[String] = {
    val written = table.lastInstant.toSeq.flatMap(table.store.readCommit(_).allStats.map(_.fileId).take(GroupsAsked))
    if (written.nonEmpty) written
    else table.files.iterator().map(_._2).find(_.nonEmpty).getOrElse(Nil).map(_.fileId)
  }

  /** The slices of all buckets there are, by partition and bucket; -1 for a bucket that has no file group yet. */
  def slots(slices: Array[FileSlice], index: BucketIndex, table: Table): Map[String, Array[Int]] = {
    val slots = slices.indices.groupBy(i => slices(i).partition).map { case (partition, found) =>
      val byBucket = Array.fill(index.count)(-1)
      found.foreach { i =>
        val bucket = bucketOf(slices(i), index)
        if (byBucket(bucket) >= 0)
          throw UnsupportedTable("UNSUPPORTED_TABLE_FEATURE", "path" -> table.basePath,
            "feature" -> s"two file groups of bucket $bucket in '$partition'",
            "reason" -> s"${slices(byBucket(bucket)).fileId} and ${slices(i).fileId}")
        byBucket(bucket) = i
      }
      partition -> byBucket
    }
    slices.iterator.filter(_.base.isDefined).take(FilesAsked).foreach(checkKeys(_, index, table))
    slots
  }

  private def bucketOf(slice: FileSlice, index: BucketIndex): Int =
    BucketIndex.bucketOfFile(slice.fileId) match {
      case Some(bucket) if bucket < index.count => bucket
      case Some(bucket) => throw refused(WriteOptions.Buckets.name, index.count.toString,
          s"the table has the bucket $bucket, of the file group ${slice.fileId}")
      case None => throw refused(WriteOptions.IndexType.name, "BUCKET",
          s"the table's file group ${slice.fileId} belongs to no bucket")
    }

  /** The first and the last key of a file must belong to its bucket, which they hardly do with other numbers. */
  private def checkKeys(slice: FileSlice, index: BucketIndex, table: Table): Unit = slice.base.foreach { base =>
    val path = s"${table.basePath}/${base.relativePath}"
    val footer = FooterCache.read(Sessions.hadoopConf(SparkSession.active), path, base.length, withBloom = false)
    val bucket = bucketOf(slice, index)
    val keys = if (footer.rows == 0) Nil else footer.minKey ++ footer.maxKey
    keys.find(index.bucketOf(_) != bucket).foreach(key =>
      throw refused(WriteOptions.Buckets.name, index.count.toString,
        s"with it and the hash fields " +
          s"${index.hashFields.mkString(", ")} the key $key belongs to bucket ${index.bucketOf(key)}, but the table " +
          s"has it in bucket $bucket"))
  }

  private def refused(option: String, value: String, reason: String): InvalidInput =
    InvalidInput("INVALID_OPTION_VALUE", "option" -> option, "value" -> value, "reason" -> reason)
}
