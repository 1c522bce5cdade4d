package io.hudilite.spark.bucket

import io.hudilite.filegroup.FileSlice
import io.hudilite.index.{BucketEvidence, BucketIndex}
import io.hudilite.spark.basefile.read.FirstRows
import io.hudilite.spark.shim.Sessions
import io.hudilite.storage.Parallel
import io.hudilite.table.Table

import org.apache.spark.sql.SparkSession

/** Some record keys of a base file.
  *
  * @param bucket
  *   that its file group is of
  */
private[spark] final case class BucketSample(partition: String, bucket: Int, keys: Seq[String])

/** What the files of a table show of its buckets, where no commit states how many there are: the first own write to a table
  * of Apache Hudi's asks, and states what it went by.
  */
private[spark] object ShownBuckets {

  /** Files that are looked into, and keys of each: those of one bucket may all fit another number, too. */
  private val FilesAsked = 48
  private val KeysOfFile = 128

  /** A sample of the record keys in the base files of buckets. */
  def sample(slices: Array[FileSlice], table: Table): Seq[BucketSample] = {
    val hadoop = Sessions.hadoopConf(SparkSession.active)
    val files = for (base <- slices.toSeq.flatMap(_.base); bucket <- BucketIndex.bucketOfFile(base.fileId))
      yield base -> bucket
    // Behind its bucket an id is as good as random.
    Parallel.map(files.sortBy(_._1.fileId.drop(BucketIndex.prefix(0).length)).take(FilesAsked)) { case (base, bucket) =>
      BucketSample(base.partition, bucket, FirstRows.keys(table, base, KeysOfFile, hadoop))
    }
  }

  /** A key that does not lie where it belongs, and the bucket that it lies in. */
  def misplaced(sample: Seq[BucketSample], index: BucketIndex): Option[(String, Int)] =
    sample.iterator.flatMap(of => of.keys.find(index.bucketOf(_) != of.bucket).map(_ -> of.bucket)).take(1).toList
      .headOption

  /** What file ids and a sample of the keys tell of the number of buckets. */
  def evidence(slices: Seq[FileSlice], sample: Seq[BucketSample], hashFields: Seq[String]): BucketEvidence = {
    val known = slices.iterator.flatMap(slice => BucketIndex.bucketOfFile(slice.fileId))
      .foldLeft(BucketEvidence(hashFields))(_.withBucket(_))
    sample.foldLeft(known)((found, of) => of.keys.foldLeft(found)(_.withKey(_, of.bucket)))
  }
}
