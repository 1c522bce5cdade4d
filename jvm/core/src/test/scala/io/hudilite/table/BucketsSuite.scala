package io.hudilite.table

import io.hudilite.{GoldenFolder, TestTables}
import io.hudilite.TestTables.storage
import io.hudilite.config.{IndexConf, TableProperties, WriteConf, WriteOptions}
import io.hudilite.error.{CorruptTable, InvalidInput, UnsupportedTable}
import io.hudilite.filegroup.{BaseFile, FileSlice}
import io.hudilite.index._
import io.hudilite.stats.FileStatistics
import io.hudilite.record.RecordKeys

import java.nio.charset.StandardCharsets.UTF_8
import java.nio.file.{Files, Paths}

import munit.FunSuite
import org.apache.hadoop.conf.Configuration

/** Buckets of tables of Apache Hudi's, whose commits do not say how many there are. */
class BucketsSuite extends FunSuite {

  private def open(name: String): Table = {
    val path = GoldenFolder.table(name)
    Table.load(storage, path, TableProperties.read(storage, path))
  }

  private def option(error: InvalidInput): Option[String] = error.parameters.get("option")

  /** An index that deals rows to buckets, and is none of the kinds that there are. */
  private final class Dealing(by: BucketIndex) extends KeyIndex {
    override def scope: Scope = Scope.Partition
    override def locate(keys: RecordKeys, within: SearchedSlices): Locations = Locations(Nil)
    override def buckets: Option[BucketIndex] = Some(by)
  }

  /** Keys as somebody tells them, and how many files were asked for them: no file is opened. */
  private class ToldKeys(bounds: BaseFile => Seq[String], first: BaseFile => Seq[String] = _ => Nil) extends FileKeys {
    var (footers, files) = (0, 0)
    override def bounds(of: Seq[BaseFile]): Seq[Seq[String]] = {
      footers += of.size
      of.map(bounds)
    }
    override def first(of: Seq[BaseFile], most: Int): Seq[Seq[String]] = {
      files += of.size
      of.map(first(_).take(most))
    }
  }

  /** Keys as the footers of the table's files say. */
  private def inFooters(table: Table): ToldKeys = {
    val statistics = FileStatistics.at(table.basePath, new Configuration())
    def bounds(file: BaseFile): Seq[String] = {
      val keys = statistics.ofFile(file).keys
      keys.min.toSeq ++ keys.max
    }
    new ToldKeys(bounds, _ => fail("the rows of a file were read"))
  }

  private def asked(options: (String, String)*): IndexConf = WriteConf.of(options.toMap).index

  private val byBuckets = WriteOptions.IndexType.name -> WriteOptions.ByBuckets

  private def in(count: Int): (String, String) = WriteOptions.Buckets.name -> count.toString

  private val nobody = new ToldKeys(_ => fail("a footer was read"), _ => fail("the rows of a file were read"))

  private val four = BucketIndex(4, Seq("id"))

  for (name <- Seq("bucket-cow-v6", "bucket-cow-v9"))
    test(s"$name: an index is asked whether it deals by buckets, whatever kind it is of") {
      val buckets = Buckets(open(name))
      for (index <- Seq(new Dealing(four), Index.Bucket(four))) buckets.check(index)
      for (kind <- Seq("SIMPLE", "GLOBAL_BLOOM")) {
        val error = intercept[InvalidInput](buckets.asked(asked(WriteOptions.IndexType.name -> kind), nobody))
        assertEquals(option(error), Some(WriteOptions.IndexType.name))
      }
      val plain = Buckets(open("cow-basic-v9"))
      plain.check(Index.Simple(Scope.Partition))
      assertEquals(option(intercept[InvalidInput](plain.check(new Dealing(four)))), Some(WriteOptions.IndexType.name))
    }

  test("keys of the files are held against a number that no commit states, and slots are by bucket") {
    val table = open("bucket-cow-v9")
    val slices: Array[FileSlice] = table.allSlices().values.flatten.toArray
    def bucketOf(slice: FileSlice): Int = BucketIndex.bucketOfFile(slice.fileId).get
    def keyIn(bucket: Int): String = Iterator.from(0).map(_.toString).find(four.bucketOf(_) == bucket).get
    val right = new ToldKeys(file => Seq(keyIn(BucketIndex.bucketOfFile(file.fileId).get)))
    val slots = Buckets(table).slots(slices, four, right)
    for ((partition, byBucket) <- slots; (at, bucket) <- byBucket.zipWithIndex if at >= 0)
      assertEquals(slices(at).partition -> bucketOf(slices(at)), partition -> bucket)
    assertEquals(slots.values.map(_.count(_ >= 0)).sum, slices.length)
    val wrong = new ToldKeys(file => Seq(keyIn((BucketIndex.bucketOfFile(file.fileId).get + 1) % 4)))
    assertEquals(option(intercept[InvalidInput](Buckets(table).slots(slices, four, wrong))),
      Some(WriteOptions.Buckets.name))
  }

  for (name <- Seq("bucket-cow-v6", "bucket-cow-v9", "bucket-mor-v9"))
    test(s"$name: the footers of its files tell how many buckets a write has that names none, and no index") {
      val table = open(name)
      for (options <- Seq(Nil, Seq(byBuckets))) {
        val keys = inFooters(table)
        val found = Buckets(table).asked(asked(options: _*), keys)
        assertEquals((found.kind, found.buckets, found.hashFields), (Option("BUCKET"), Option(4), Option(Seq("id"))))
        assert(keys.footers > 0 && keys.footers <= 24, keys.footers.toString)
      }
      // A number that is named is held against the files where the slots of the partitions are looked for.
      assertEquals(Buckets(table).asked(asked(byBuckets, in(5)), nobody).buckets, Some(5))
    }

  test("a table without buckets, or without files, keeps what the options say") {
    for (options <- Seq(Nil, Seq(byBuckets), Seq(byBuckets, in(7)), Seq(WriteOptions.IndexType.name -> "BLOOM"))) {
      assertEquals(Buckets(open("cow-basic-v9")).asked(asked(options: _*), nobody), asked(options: _*))
      assertEquals(Buckets(TestTables.create(9)).asked(asked(options: _*), nobody), asked(options: _*))
    }
  }

  private def configured(files: (String, String)*): Table = {
    val table = TestTables.create(9)
    val folder = Paths.get(table.basePath, ".hoodie", ".bucket_index", "partition_bucket_index_meta", "configs")
    Files.createDirectories(folder)
    for ((instant, text) <- files) Files.write(folder.resolve(s"$instant.hashing_config"), text.getBytes(UTF_8))
    table
  }

  private def config(expressions: String, default: Int, rule: String = "regex", version: Int = 1): String =
    s"""{"expressions":"$expressions","defaultBucketNumber":$default,"rule":"$rule","version":$version,"instant":"x"}"""

  test("the numbers of partitions are those of the newest hashing config whose instant has completed") {
    val table = configured("00000000000000" -> config("a,3", 2), "20990101000000000" -> config("a,5", 2))
    val found = Buckets(table).asked(asked(), nobody)
    assertEquals((found.kind, found.buckets, found.rule.map(_.text)), (Option("BUCKET"), Option(2), Option("a,3")))
    assertEquals(Index.of(table.config, found).buckets.map(_.in("xa").count), Some(3))
    val expressions = WriteOptions.BucketsInPartitions.name
    for ((more, named) <- Seq(in(4) -> WriteOptions.Buckets.name, (expressions -> "a,4") -> expressions,
        (WriteOptions.IndexType.name -> "SIMPLE") -> WriteOptions.IndexType.name))
      assertEquals(option(intercept[InvalidInput](Buckets(table).asked(asked(more), nobody))), Some(named))
  }

  test("a hashing config that cannot be read right is refused") {
    val unfinished = configured("20990101000000000" -> config("a,5", 2))
    for (table <- Seq(configured(), unfinished, configured("00000000000000" -> config("a,3", 2, rule = "prefix")),
        configured("00000000000000" -> config("a,3", 2, version = 2))))
      assertEquals(intercept[UnsupportedTable](Buckets(table).asked(asked(), nobody)).condition,
        "UNSUPPORTED_TABLE_FEATURE")
    for (text <- Seq("{", config("a", 2), config("a,3", 0)))
      intercept[CorruptTable](Buckets(configured("00000000000000" -> text)).asked(asked(), nobody))
  }

  test("rows are read only where footers leave several numbers, and then a write that names none is refused by them") {
    val table = open("bucket-cow-v9")
    def bucketOf(file: BaseFile): Int = BucketIndex.bucketOfFile(file.fileId).get
    def keysIn(by: BucketIndex)(file: BaseFile): Seq[String] =
      Iterator.from(0).map(_.toString).filter(by.bucketOf(_) == bucketOf(file)).take(99).toSeq
    // No key lies in the last bucket, and those of the footers fit ten, too.
    val (five, ten) = (keysIn(BucketIndex(5, Seq("id"))) _, keysIn(BucketIndex(10, Seq("id"))) _)
    val told = new ToldKeys(ten(_).take(2), five)
    assertEquals(Buckets(table).asked(asked(), told).buckets, Some(5))
    assert(told.files > 0 && told.files <= 24, told.files.toString)
    val few = new ToldKeys(ten(_).take(2), ten)
    val error = intercept[InvalidInput](Buckets(table).asked(asked(), few))
    assertEquals(error.condition, "BUCKETS_NOT_NAMED")
    assertEquals(error.parameters("reason"), "5, 10 would fit")
    assertEquals(Buckets(table).asked(asked(in(10)), few).buckets, Some(10))
  }

  test("files that lie by several numbers, or by other hash fields, fit none, and are told by partition") {
    val table = open("bucket-cow-v9")
    val paths = table.partitions()
    def keysIn(file: BaseFile): Seq[String] = {
      val by = BucketIndex(4 + paths.indexOf(file.partition), Seq("id"))
      Iterator.from(0).map(_.toString).filter(by.bucketOf(_) == BucketIndex.bucketOfFile(file.fileId).get).take(9).toSeq
    }
    val error = intercept[InvalidInput](Buckets(table).asked(asked(), new ToldKeys(keysIn)))
    assertEquals(error.condition, "BUCKETS_NOT_NAMED")
    val each = paths.zipWithIndex.map { case (path, i) => s"${4 + i} in '$path'" }.mkString(", ")
    assert(error.parameters("reason").endsWith(s"these would: $each"), error.parameters("reason"))
  }
}
