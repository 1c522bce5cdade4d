package io.hudilite.table

import io.hudilite.GoldenFolder
import io.hudilite.TestTables.storage
import io.hudilite.config.{TableProperties, WriteConf, WriteOptions}
import io.hudilite.error.InvalidInput
import io.hudilite.filegroup.{BaseFile, FileSlice}
import io.hudilite.index._
import io.hudilite.record.RecordKeys

import munit.FunSuite

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

  /** Keys as somebody tells them: no file is opened. */
  private final class ToldKeys(keyOf: BaseFile => String) extends FirstKeys {
    override def of(files: Seq[BaseFile], most: Int): Seq[Seq[String]] = files.map(file => Seq(keyOf(file)))
  }

  private val four = BucketIndex(4, Seq("id"))

  for (name <- Seq("bucket-cow-v6", "bucket-cow-v9"))
    test(s"$name: an index is asked whether it deals by buckets, whatever kind it is of") {
      val buckets = Buckets(open(name))
      for (index <- Seq(new Dealing(four), Index.Bucket(four))) buckets.check(index)
      for (index <- Seq(Index.Simple(Scope.Partition), Index.Bloom(Scope.Table(moves = true)))) {
        val error = intercept[InvalidInput](buckets.check(index))
        assertEquals(error.condition, "BUCKETS_NOT_NAMED")
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
    val right = new ToldKeys(file => keyIn(BucketIndex.bucketOfFile(file.fileId).get))
    val slots = Buckets(table).slots(slices, four, right)
    for ((partition, byBucket) <- slots; (at, bucket) <- byBucket.zipWithIndex if at >= 0)
      assertEquals(slices(at).partition -> bucketOf(slices(at)), partition -> bucket)
    assertEquals(slots.values.map(_.count(_ >= 0)).sum, slices.length)
    val wrong = new ToldKeys(file => keyIn((BucketIndex.bucketOfFile(file.fileId).get + 1) % 4))
    assertEquals(option(intercept[InvalidInput](Buckets(table).slots(slices, four, wrong))),
      Some(WriteOptions.Buckets.name))
  }

  test("what the options leave open of buckets stays open where no commit states it") {
    val asked = WriteConf.of(Map(WriteOptions.IndexType.name -> WriteOptions.ByBuckets)).index
    assert(asked.byBuckets)
    assertEquals(Buckets(open("bucket-cow-v9")).asked(asked), asked)
  }
}
