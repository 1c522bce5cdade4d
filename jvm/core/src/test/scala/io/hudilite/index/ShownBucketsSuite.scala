package io.hudilite.index

import io.hudilite.filegroup.{BaseFile, FileNames, FileSlice}

import scala.util.Random

import munit.FunSuite

/** How many buckets the least and the greatest key of each base file show. */
class ShownBucketsSuite extends FunSuite {

  private val fields = Seq("id")

  /** The slices that keys dealt to buckets leave: one for each bucket with a row. */
  private def slices(partition: String, keys: Seq[String], index: BucketIndex): Map[FileSlice, Seq[String]] =
    keys.groupBy(index.bucketOf).map { case (bucket, own) =>
      val id = BucketIndex.newFileId(bucket, FileNames.newFileId("20261122201501002", bucket, partition.length))
      FileSlice.ofBase(BaseFile(partition, s"$id.parquet", id, "1-0-1", "20261122201501002", 100)) -> own.sorted
    }

  private def told(files: Map[FileSlice, Seq[String]]): FileKeys = new FileKeys {
    private val keys = files.collect { case (slice, own) if slice.base.isDefined => slice.base.get -> own }
    override def bounds(of: Seq[BaseFile]): Seq[Seq[String]] = of.map(keys).map(own => Seq(own.head, own.last))
    override def first(of: Seq[BaseFile], most: Int): Seq[Seq[String]] = of.map(keys(_).take(most))
  }

  private def shown(files: Map[FileSlice, Seq[String]]): BucketEvidence =
    ShownBuckets.of(files.keys.toSeq, fields, told(files)).evidence(fields)

  test("of tables of any number of buckets and any keys, the number fits and is the only one where there are rows") {
    val seed = 20261127
    val random = new Random(seed)
    def key(): String = random.nextInt(3) match {
      case 0 => random.nextInt(100000).toString
      case 1 => s"k${random.nextLong()}"
      case _ => random.alphanumeric.take(1 + random.nextInt(20)).mkString
    }
    for (round <- 1 to 400) {
      val index = BucketIndex(1 + random.nextInt(64), fields)
      val rows = if (round % 2 == 0) 1 + random.nextInt(40) else 20 * index.count
      val files = (0 to random.nextInt(3)).map(p => slices("p" * p, Seq.fill(rows)(key()), index)).reduce(_ ++ _)
      val evidence = shown(files)
      assert(evidence.counts.contains(index.count), s"seed $seed, round $round: $index")
      if (round % 2 == 1) assertEquals(evidence.count, Some(index.count), s"seed $seed, round $round: $index")
    }
  }

  test("buckets without a row have no file, the last one neither") {
    val index = BucketIndex(16, fields)
    val some = (0 until 3000).map(_.toString).filter(index.bucketOf(_) < 11)
    assertEquals(shown(slices("", some, index)).count, Some(16))
    // With half of them empty it could be eight, too.
    assertEquals(shown(slices("", some.filter(index.bucketOf(_) < 8), index)).counts.toList, List(8, 16))
  }

  test("partitions of many files are asked in turn, so that each has its say") {
    val (four, five) = (BucketIndex(4, fields), BucketIndex(5, fields))
    val keys = (0 until 500).map(_.toString)
    val ofFour = (0 until 20).map(p => slices(s"p$p", keys, four)).reduce(_ ++ _)
    assertEquals(shown(ofFour).count, Some(4))
    val mixed = ofFour ++ slices("other", keys, five)
    val by = ShownBuckets.of(mixed.keys.toSeq, fields, told(mixed))
    assertEquals(by.evidence(fields).counts.toList, Nil)
    assertEquals(by.byPartition.toMap.get("other").map(_.greatest), Some(Map("other" -> 4)))
  }

  test("file groups without a base file show no more than that there are so many buckets") {
    val logs =
      Seq(2, 9).map(b => FileSlice("p", BucketIndex.newFileId(b, FileNames.newFileId("2", b, 0)), "2", None, Nil))
    val evidence = ShownBuckets.of(logs, fields, told(Map.empty)).evidence(fields)
    assertEquals(evidence.counts.take(2).toList, List(10, 11))
  }
}
