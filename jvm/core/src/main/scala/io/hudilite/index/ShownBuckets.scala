package io.hudilite.index

import io.hudilite.filegroup.{BaseFile, FileSlice}
import io.hudilite.stats.{BoundsWanted, FileStatistics}

/** Reads record keys of base files. */
trait FirstKeys {

  /** The keys of the first rows of each file, at most so many. */
  def of(files: Seq[BaseFile], most: Int): Seq[Seq[String]]
}

/** Some record keys of a base file.
  *
  * @param bucket
  *   that its file group is of
  */
final case class BucketSample(partition: String, bucket: Int, keys: Seq[String])

/** Files of a table show its buckets where no commit states how many there are: the first own write to a table of Apache
  * Hudi's asks, and states what it went by.
  */
object ShownBuckets {

  /** Files that are looked into, and keys of each: those of one bucket may all fit another number, too. */
  private val FilesAsked = 48
  private val KeysOfFile = 128

  /** A sample of the record keys in the base files of buckets. */
  def sample(slices: Seq[FileSlice], keys: FirstKeys): Seq[BucketSample] = {
    val files = for (base <- slices.flatMap(_.base); bucket <- BucketIndex.bucketOfFile(base.fileId))
      yield base -> bucket
    // Behind its bucket an id is as good as random.
    val asked = files.sortBy(_._1.fileId.drop(BucketIndex.prefix(0).length)).take(FilesAsked)
    asked.zip(keys.of(asked.map(_._1), KeysOfFile)).map { case ((base, bucket), first) =>
      BucketSample(base.partition, bucket, first)
    }
  }

  /** The least and the greatest key of each file lie in its bucket; false for a file that does not say them. */
  def allowed(files: Seq[BaseFile], index: BucketIndex, statistics: FileStatistics): Boolean =
    statistics.each(files, BoundsWanted.OfKeys)(known => Seq(known.keys.min, known.keys.max)).forall {
      case (file, bounds) => bounds.forall(_.exists(key =>
            BucketIndex.bucketOfFile(file.fileId).contains(
              index.bucketOf(key))))
    }

  /** A key that does not lie where it belongs, and the bucket that it lies in. */
  def misplaced(sample: Seq[BucketSample], index: BucketIndex): Option[(String, Int)] =
    sample.iterator.flatMap(of => of.keys.find(index.bucketOf(_) != of.bucket).map(_ -> of.bucket)).take(1).toList
      .headOption

  /** The number of buckets as file ids and a sample of the keys tell it. */
  def evidence(slices: Seq[FileSlice], sample: Seq[BucketSample], hashFields: Seq[String]): BucketEvidence = {
    val known = slices.iterator.flatMap(slice => BucketIndex.bucketOfFile(slice.fileId))
      .foldLeft(BucketEvidence(hashFields))(_.withBucket(_))
    sample.foldLeft(known)((found, of) => of.keys.foldLeft(found)(_.withKey(_, of.bucket)))
  }
}
