package io.hudilite.table

import io.hudilite.config.{IndexConf, PlannedBuckets, WriteOptions}
import io.hudilite.error.{InvalidInput, UnsupportedTable}
import io.hudilite.filegroup.FileSlice
import io.hudilite.index.{BucketIndex, FirstKeys, KeyIndex, ShownBuckets}

/** The buckets of a table, if it has any: file ids tell that it does, and the commits of hudilite how many there are. Of a
  * table without such commits its files show it (docs/format.md#indexes).
  */
final class Buckets(table: Table) {

  import Buckets._

  /** Refuses a write whose options and the table's files do not have the same index. */
  def check(index: KeyIndex): Unit = {
    otherKind.foreach(folder =>
      throw UnsupportedTable("UNSUPPORTED_TABLE_FEATURE", "path" -> table.basePath,
        "feature" -> "a bucket index with a changing number of buckets", "reason" -> s"it has a $folder"))
    val groups = someGroups
    val strange = groups.find(BucketIndex.bucketOfFile(_).isEmpty)
    if (index.buckets.isDefined)
      strange.foreach(group => throw notByBuckets(s"the table's file group $group belongs to no bucket"))
    else if (groups.nonEmpty && strange.isEmpty)
      throw InvalidInput("BUCKETS_NOT_NAMED", "path" -> table.basePath, "group" -> groups.head)
  }

  /** Where the table keeps what another kind of bucket index needs. */
  private def otherKind: Option[String] = {
    val folders = table.storage.list(s"${table.basePath}/.hoodie/.bucket_index").map(_.name)
    Metadata.find(folders.contains)
  }

  /** The buckets that a reader was told of, where no commit states any and the table can have such. */
  def told(buckets: PlannedBuckets): Option[BucketIndex] = {
    val fields = if (buckets.hashFields.isEmpty) table.config.recordKeyFields else buckets.hashFields
    if (table.statedBuckets.isDefined || !fields.forall(table.config.recordKeyFields.contains) || otherKind.isDefined)
      None
    else Some(BucketIndex(buckets.count, fields))
  }

  /** How the options say that keys are looked up; what they leave open of buckets is as the table states it. */
  def asked(conf: IndexConf): IndexConf = table.statedBuckets match {
    case Some(stated) => conf.orBuckets(stated.count, stated.hashFields)
    case None => conf
  }

  /** Raises `InvalidInput` where a commit states another index than that of a write. */
  def checkStated(index: BucketIndex): Unit = table.statedBuckets.foreach { stated =>
    if (stated.count != index.count)
      throw refused(WriteOptions.Buckets.name, index.count.toString, s"the table has ${stated.count} buckets")
    else if (!stated.isSame(index))
      throw refused(WriteOptions.BucketHashFields.name, index.hashFields.mkString(","),
        s"the keys of the table are dealt to buckets by ${stated.hashFields.mkString(",")}")
  }

  /** File ids of some groups, which are alike in whether they are of buckets: those that the newest write names, whose
    * commit was read when the table was opened. Where it names none, partitions are looked at up to the first that has
    * any.
    */
  private def someGroups: Seq[String] = {
    val written = table.lastInstant.toSeq.flatMap(table.store.readCommit(_).allStats.map(_.fileId).take(GroupsAsked))
    if (written.nonEmpty) written
    else table.files.iterator().map(_._2).find(_.nonEmpty).getOrElse(Nil).map(_.fileId)
  }

  /** The slices of all buckets there are, by partition and bucket; -1 for a bucket that has no file group yet. Raises
    * `InvalidInput` or `UnsupportedTable` where they are not as the index says.
    *
    * @param keys
    *   of files, some of which are held against the index where no commit states it
    */
  def slots(slices: Array[FileSlice], index: BucketIndex, keys: FirstKeys): Map[String, Array[Int]] = {
    if (slices.nonEmpty) checkStated(index)
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
    if (table.statedBuckets.isEmpty) checkKeys(slices.toSeq, index, keys)
    slots
  }

  private def bucketOf(slice: FileSlice, index: BucketIndex): Int =
    BucketIndex.bucketOfFile(slice.fileId) match {
      case Some(bucket) if bucket < index.count => bucket
      case Some(bucket) => throw refused(WriteOptions.Buckets.name, index.count.toString,
          s"the table has the bucket $bucket, of the file group ${slice.fileId}")
      case None => throw notByBuckets(s"the table's file group ${slice.fileId} belongs to no bucket")
    }

  private def checkKeys(slices: Seq[FileSlice], index: BucketIndex, keys: FirstKeys): Unit = {
    val sample = ShownBuckets.sample(slices, keys)
    ShownBuckets.misplaced(sample, index).foreach { case (key, bucket) =>
      val shown = ShownBuckets.evidence(slices, sample, index.hashFields).count
      throw refused(WriteOptions.Buckets.name, index.count.toString,
        s"with it and the hash fields ${index.hashFields.mkString(", ")} the key $key belongs to bucket " +
          s"${index.bucketOf(key)}, but the table has it in bucket $bucket" +
          shown.fold("")(count => s", as with $count buckets"))
    }
  }

  private def notByBuckets(reason: String): InvalidInput =
    refused(WriteOptions.IndexType.name, WriteOptions.ByBuckets, reason)

  private def refused(option: String, value: String, reason: String): InvalidInput =
    InvalidInput("INVALID_OPTION_VALUE", "option" -> option, "value" -> value, "reason" -> reason)
}

object Buckets {

  /** File groups that are asked whether they belong to buckets. */
  private val GroupsAsked = 1000

  /** Where Hudi keeps what other kinds of bucket index need. */
  private val Metadata = Seq("consistent_hashing_metadata", "partition_bucket_index_meta")

  def apply(table: Table): Buckets = new Buckets(table)
}
