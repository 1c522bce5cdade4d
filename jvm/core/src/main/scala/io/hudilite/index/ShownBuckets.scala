package io.hudilite.index

import io.hudilite.filegroup.{BaseFile, FileSlice}

/** Reads record keys of base files. */
trait FirstKeys {

  /** The keys of the first rows of each file, at most so many. */
  def of(files: Seq[BaseFile], most: Int): Seq[Seq[String]]
}

/** Some record keys of a base file.
  *
  * @param bucket
  *   the bucket of its file group
  */
final case class BucketSample(partition: String, bucket: Int, keys: Seq[String])

/** Number of buckets from the files of a table, where no commit states it. The first own write to a table of Apache
  * Hudi's asks for it, and its commit states the number that it used.
  */
object ShownBuckets {

  /** Number of files that are looked into, and of keys of each. Several files are needed, since the keys of one bucket
    * may all fit another number, too.
    */
  private val FilesAsked = 48
  private val KeysOfFile = 128

  /** A sample of the record keys in the base files of buckets. */
  def sample(slices: Seq[FileSlice], keys: FirstKeys): Seq[BucketSample] = {
    val files = for (base <- slices.flatMap(_.base); bucket <- BucketIndex.bucketOfFile(base.fileId))
      yield base -> bucket
    // The part of an id behind its bucket is random, so that this order is a random sample.
    val asked = files.sortBy(_._1.fileId.drop(BucketIndex.prefix(0).length)).take(FilesAsked)
    asked.zip(keys.of(asked.map(_._1), KeysOfFile)).map { case ((base, bucket), first) =>
      BucketSample(base.partition, bucket, first)
    }
  }

  /** A key that lies in a wrong bucket, with that bucket. */
  def misplaced(sample: Seq[BucketSample], index: BucketIndex): Option[(String, Int)] =
    sample.iterator.flatMap(of => of.keys.find(index.bucketOf(_) != of.bucket).map(_ -> of.bucket)).take(1).toList
      .headOption

  /** Evidence of the number of buckets from file ids and a sample of the keys. */
  def evidence(slices: Seq[FileSlice], sample: Seq[BucketSample], hashFields: Seq[String]): BucketEvidence = {
    val known = slices.iterator.flatMap(slice => BucketIndex.bucketOfFile(slice.fileId))
      .foldLeft(BucketEvidence(hashFields))(_.withBucket(_))
    sample.foldLeft(known)((found, of) => of.keys.foldLeft(found)(_.withKey(_, of.bucket)))
  }
}
