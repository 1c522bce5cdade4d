package io.hudilite.index

import io.hudilite.filegroup.{BaseFile, FileSlice}
import io.hudilite.stats.{BoundsWanted, FileStatistics}

/** Tells record keys of base files. */
trait FileKeys {

  /** The least and the greatest key of each file, as far as its footer says. */
  def bounds(files: Seq[BaseFile]): Seq[Seq[String]]

  /** The keys of the first rows of each file, at most so many. */
  def first(files: Seq[BaseFile], most: Int): Seq[Seq[String]]
}

/** Some record keys of a base file.
  *
  * @param bucket
  *   the bucket of its file group
  */
final case class BucketSample(file: BaseFile, bucket: Int, keys: Seq[String])

/** Files of a table show its buckets where no commit states how many there are, as with tables of Apache Hudi's.
  *
  * @param greatest
  *   partition path to the greatest bucket that has a file group there
  * @param samples
  *   keys of some of the base files
  */
final case class ShownBuckets(greatest: Map[String, Int], samples: Seq[BucketSample]) {

  /** Evidence of the number of buckets, where all partitions have the same. */
  def evidence(hashFields: Seq[String]): BucketEvidence =
    samples.foldLeft(greatest.values.foldLeft(BucketEvidence(hashFields))(_.withBucket(_)))((found, of) =>
      of.keys.foldLeft(found)(_.withKey(_, of.bucket)))

  /** The files of each partition by itself, in the order of their paths. */
  def byPartition: Seq[(String, ShownBuckets)] = {
    val inEach = samples.groupBy(_.file.partition)
    greatest.toSeq.sorted.map { case (partition, bucket) =>
      partition -> ShownBuckets(Map(partition -> bucket), inEach.getOrElse(partition, Nil))
    }
  }

  /** A key that does not lie where it belongs, and the file that it lies in. */
  def misplaced(index: BucketIndex): Option[(BucketSample, String)] =
    samples.iterator.flatMap { of =>
      val own = index.in(of.file.partition)
      of.keys.find(own.bucketOf(_) != of.bucket).map(of -> _)
    }.take(1).toList.headOption

  private def and(more: Seq[BucketSample]): ShownBuckets = copy(samples = samples ++ more)
}

object ShownBuckets {

  /** True when the least and the greatest key of each file lie in its bucket; false for a file without them. */
  def allowed(files: Seq[BaseFile], index: BucketIndex, statistics: FileStatistics): Boolean =
    statistics.each(files, BoundsWanted.OfKeys)(known => Seq(known.keys.min, known.keys.max)).forall {
      case (file, bounds) =>
        val own = index.in(file.partition)
        bounds.forall(_.exists(key => own.bucketOfFile(file.fileId).contains(own.bucketOf(key))))
    }

  /** Files that are looked into, and keys of each: those of one bucket may all fit another number, too. */
  private val FilesAsked = 24
  private val KeysOfFile = 128

  /** By the ids of all the slices, and by the footers of some. Rows of these are looked at only where more than one
    * number of buckets fits that.
    */
  def of(slices: Seq[FileSlice], hashFields: Seq[String], keys: FileKeys): ShownBuckets = {
    val asked = telling(slices)
    val byFooters = ShownBuckets(greatest(slices), sampled(asked, keys.bounds))
    if (byFooters.evidence(hashFields).areSeveral) byFooters.and(sampled(asked, keys.first(_, KeysOfFile)))
    else byFooters
  }

  /** By rows of some of the slices. */
  def ofRows(slices: Seq[FileSlice], keys: FileKeys): ShownBuckets =
    ShownBuckets(greatest(slices), sampled(telling(slices), keys.first(_, KeysOfFile)))

  /** By footers of some of the slices, which have the buckets of an index. */
  def ofFooters(slices: Seq[FileSlice], keys: FileKeys, index: BucketIndex): ShownBuckets =
    ShownBuckets(Map.empty, sampled(telling(slices, f => index.in(f.partition).bucketOfFile(f.fileId)), keys.bounds))

  private def greatest(slices: Seq[FileSlice]): Map[String, Int] = {
    val buckets = slices.flatMap(slice => BucketIndex.bucketOfFile(slice.fileId).map(slice.partition -> _))
    buckets.groupBy(_._1).map { case (partition, found) => partition -> found.map(_._2).max }
  }

  /** Base files of buckets, from each partition in turn. */
  private def telling(slices: Seq[FileSlice],
      bucketOf: BaseFile => Option[Int] = f => BucketIndex.bucketOfFile(f.fileId)): Seq[(BaseFile, Int)] = {
    val files = for (base <- slices.flatMap(_.base); bucket <- bucketOf(base)) yield base -> bucket
    // Behind its bucket an id is as good as random.
    def random(file: BaseFile): String = file.fileId.drop(BucketIndex.prefix(0).length)
    files.groupBy(_._1.partition).values.flatMap(_.sortBy(f => random(f._1)).zipWithIndex).toSeq
      .sortBy { case ((file, _), turn) => (turn, random(file), file.partition) }.map(_._1).take(FilesAsked)
  }

  private def sampled(files: Seq[(BaseFile, Int)], keys: Seq[BaseFile] => Seq[Seq[String]]): Seq[BucketSample] =
    files.zip(keys(files.map(_._1))).map { case ((file, bucket), found) => BucketSample(file, bucket, found) }
}
