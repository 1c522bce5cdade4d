package io.hudilite.spark.plan.layout

import io.hudilite.config.WriteConf
import io.hudilite.filegroup.{BaseFile, FileSlice}
import io.hudilite.index.BucketIndex
import io.hudilite.spark.write.attempt.LateGroups
import io.hudilite.spark.write.job.{BucketSlots, WriteGroups}
import io.hudilite.timeline.{CommitMetadata, WriteStat}

import java.io.{ByteArrayInputStream, ByteArrayOutputStream, ObjectInputStream, ObjectOutputStream}

import org.apache.spark.sql.catalyst.expressions.Murmur3HashFunction
import org.apache.spark.sql.types.IntegerType
import org.apache.spark.unsafe.types.UTF8String

import munit.FunSuite

/** Which rows go to which file groups and tasks. */
class WriteGroupsSuite extends FunSuite {

  private val MiB = 1024L * 1024

  private def text(s: String): UTF8String = UTF8String.fromString(s)

  private def slice(partition: String, id: String, length: Long): FileSlice = {
    val base = BaseFile(partition, s"${id}_0-0-0_1.parquet", id, "0-0-0", "1", length)
    FileSlice(partition, id, "1", Some(base), Nil)
  }

  private val slices =
    Seq(slice("a", "a1", 10 * MiB), slice("a", "a2", 90 * MiB), slice("a", "a3", 110 * MiB),
      slice("b", "b1", 119 * MiB))

  private def groups(bytes: Option[BigInt], options: (String, String)*): WriteGroups =
    WriteLayout.groups(slices, WriteConf.of(options.toMap), IncomingSize(bytes), None, 4)

  test("updates go to the file group that holds their row") {
    val g = groups(None)
    Seq("a1", "a2", "a3", "b1").foreach { id =>
      assertEquals(g.slices(g.slot(text(id), text("a"), text("k"))).fileId, id)
    }
  }

  test("a file group that the snapshot does not know is an error") {
    intercept[IllegalStateException](groups(None).slot(text("zz"), text("a"), text("k")))
  }

  test("inserts fill the smallest file below the limit first, and more of them when one has no room") {
    def takers(bytes: Option[BigInt]): Set[String] = {
      val g = groups(bytes)
      (0 until 200).map(i => g.slices(g.slot(null, text("a"), text(s"k$i"))).fileId).toSet
    }
    assertEquals(takers(None), Set("a1"))
    assertEquals(takers(Some(BigInt(110 * MiB))), Set("a1"))
    assertEquals(takers(Some(BigInt(111 * MiB))), Set("a1", "a2"))
    assertEquals(takers(Some(BigInt(1000 * MiB))), Set("a1", "a2"))
  }

  test("a partition without small files takes inserts in new file groups") {
    val g = groups(None)
    assert(g.slot(null, text("b"), text("k")) < 0)
    assert(g.slot(null, text("new"), text("k")) < 0)
    assertEquals(groups(None, "hoodie.parquet.small.file.limit" -> "0").small, Map.empty[String, Array[Int]])
  }

  test("an insert knows only the file groups that it fills, and fills the same ones") {
    val all = groups(Some(BigInt(111 * MiB)))
    val few = all.ofInserts
    assertEquals(few.slices.map(_.fileId).toSeq, Seq("a1", "a2"))
    for (partition <- Seq("a", "b", "new"); i <- 0 until 50; key = text(s"k$i")) {
      def place(g: WriteGroups): String = g.slot(null, text(partition), key) match {
        case slot if slot < 0 => slot.toString
        case slot =>
          assert(g.takesInserts(slot))
          g.slices(slot).fileId
      }
      assertEquals(place(few), place(all))
    }
  }

  test("late groups are made once, before they are sent out, and arrive with the number of tasks that was planned") {
    var made = 0
    val late = new LateGroups(7, () => { made += 1; groups(None) })
    assertEquals((late.tasks, late.isPrepared), (7, false))
    def sent(): LateGroups = {
      val bytes = new ByteArrayOutputStream()
      new ObjectOutputStream(bytes).writeObject(late)
      new ObjectInputStream(new ByteArrayInputStream(bytes.toByteArray)).readObject().asInstanceOf[LateGroups]
    }
    intercept[IllegalStateException](sent().groups)
    assertEquals(made, 0)
    (0 until 2).foreach(_ => late.prepare())
    val arrived = Seq(sent(), sent())
    assertEquals(made, 1)
    for (there <- arrived) {
      assertEquals((there.tasks, there.groups.tasks), (7, 7))
      assertEquals(there.groups.slices.toSeq, late.groups.slices.toSeq)
      assertEquals(there.groups.slot(text("a3"), text("a"), text("k")),
        late.groups.slot(text("a3"), text("a"), text("k")))
    }
  }

  private def inBuckets(count: Int, tasks: Int, there: (String, Array[Int])*): WriteGroups =
    WriteGroups(slices.toArray, Map.empty, 1, tasks, Some(BucketSlots(BucketIndex(count, Seq("id")), there.toMap)))

  test("a row goes to the file group of its bucket, and to a new one where the bucket has none") {
    val index = BucketIndex(4, Seq("id"))
    val there = Array(0, -1, 2, 1)
    val g = inBuckets(4, 8, "a" -> there)
    for (i <- 0 until 100; key = s"k$i"; bucket = index.bucketOf(key)) {
      val slot = g.slot(null, text("a"), text(key))
      if (there(bucket) < 0) assert(slot < 0) else assertEquals(slot, there(bucket))
      val fresh = g.slot(null, text("elsewhere"), text(key))
      assert(fresh < 0)
      assertEquals(g.buckets.get.bucketOfNew(fresh), bucket)
    }
    assertEquals(g.slices(g.slot(text("b1"), text("b"), text("k"))).fileId, "b1")
  }

  test("a row of a partition that nobody has looked at goes to no bucket") {
    val of = BucketSlots(BucketIndex(4, Seq("id")), Map("a" -> Array(0, -1, 2, 1)), Some(Set("a", "new")))
    for (i <- 0 until 100; key = text(s"k$i")) {
      assertEquals(of.slot(text("a"), key), of.copy(counted = None).slot(text("a"), key))
      assertEquals(of.slot(text("new"), key), of.copy(counted = None).slot(text("new"), key))
      intercept[IllegalStateException](of.slot(text("b"), key))
    }
  }

  test("new buckets of one partition are dealt to tasks in turn, the highest number of buckets included") {
    for (count <- Seq(1, 7, 64, 65536)) {
      val g = inBuckets(count, 8)
      val slots = (0 until 2000).map(i => g.slot(null, text("p"), text(s"key-$i"))).distinct
      assert(slots.forall(_ < 0))
      assert(slots.map(g.buckets.get.bucketOfNew).forall(b => b >= 0 && b < count))
      assertEquals(slots.map(g.taskValue).distinct.size, count.min(8))
    }
  }

  test("neighbouring slots go to different tasks, and every task has a value that Spark's hash brings there") {
    for (count <- Seq(1, 2, 7, 64)) {
      val values = WriteGroups.valuesHashedTo(count)
      val tasks = values.map(v => Math.floorMod(Murmur3HashFunction.hash(v, IntegerType, 42L).toInt, count))
      assertEquals(tasks.toSeq, (0 until count).toSeq)
    }
    val g = groups(None)
    assertEquals((0 until g.tasks).map(g.taskValue).distinct.size, g.tasks)
  }

  test("rows are sorted by slot and then by the beginning of their key, but for slots of several partitions") {
    val g = groups(None)
    val places = Seq("a1" -> "", "a1" -> "a", "a1" -> "a\u0000", "a1" -> "b", "a1" -> "zzzz", "a2" -> "a").map {
      case (id, key) => g.place(text(id), text("a"), text(key))
    }
    assertEquals(places, places.sorted)
    assert(g.place(text("a1"), text("a"), text("1234561")) < g.place(text("a1"), text("a"), text("1234562")))
    assertEquals(g.place(text("a1"), text("a"), text("12345678x")), g.place(text("a1"), text("a"), text("12345678y")))
    assertEquals(g.place(null, text("b"), text("k")), g.slot(null, text("b"), text("k")).toLong << 32)
    for (id <- Seq("a1", "b1"); key <- Seq("", "k", "\uD83D\uDE00"))
      assertEquals(g.taskOfPlace(g.place(text(id), text("a"), text(key))),
        g.taskValue(g.slot(text(id), text("a"), text(key))))
    assertEquals(g.taskOfPlace(g.place(null, text("b"), text("k"))), g.taskValue(g.slot(null, text("b"), text("k"))))
  }

  test("the beginning of a key that rows are sorted by is as long as the number of file groups allows") {
    for (count <- Seq(1, 2, 3, 4, 5, 1000, 1 << 16)) {
      val some = Array.tabulate(count)(i => slice("a", s"f$i", MiB))
      val g = WriteGroups(some, Map.empty, spread = 1, tasks = 7)
      val bytes = (63 - (if (count == 1) 0 else 32 - Integer.numberOfLeadingZeros(count - 1))) / 8
      for (slot <- Seq(0, count / 2, count - 1).distinct; key <- Seq("", "\u0001", "k", "\uD83D\uDE00\uD83D\uDE00")) {
        val place = g.place(text(s"f$slot"), text("a"), text(key))
        assert(place >= 0)
        assertEquals(g.taskOfPlace(place), g.taskValue(slot), clue = s"slot $slot of $count, key $key")
        if (slot + 1 < count)
          assert(place < g.place(text(s"f${slot + 1}"), text("a"), text("")), clue = s"slot $slot of $count, key $key")
      }
      val longest = "12345678".take(bytes)
      assert(g.place(text("f0"), text("a"), text(longest)) > g.place(text("f0"), text("a"), text(longest.init)))
    }
  }

  private def commit(bytes: Long, rows: Long): CommitMetadata = CommitMetadata("UPSERT",
    Map("a" -> Seq(WriteStat("f", "a/f_0-0-0_1.parquet", "null", "a", numWrites = rows, totalWriteBytes = bytes))),
    Map.empty)

  test("file groups of one id in several partitions are told apart") {
    val same = Seq("a", "b", "c").map(slice(_, "00000000-0000-0000-0000-000000000000-0", MiB))
    val g = WriteLayout.groups(same, WriteConf.of(Map.empty), IncomingSize(None), None, 4)
    Seq("c", "a", "b").foreach { partition =>
      val slot = g.slot(text("00000000-0000-0000-0000-000000000000-0"), text(partition), text("k"))
      assertEquals(g.slices(slot).partition, partition)
    }
    intercept[IllegalStateException](
      g.slot(text("00000000-0000-0000-0000-000000000000-0"), text("elsewhere"), text("k")))
  }

  test("new rows of many partitions are dealt to all tasks, whatever their number") {
    for (tasks <- Seq(2, 7, 8, 16, 64); spread <- Seq(1, 3)) {
      val g = WriteGroups(Array.empty, Map.empty, spread, tasks)
      val taken = (0 until 40 * tasks).map(i => g.taskValue(g.slot(null, text(s"dt=2026-$i"), text(s"k$i"))))
      val most = taken.groupBy(identity).map(_._2.size).max
      assertEquals(taken.distinct.size, tasks)
      assert(most < 40 * 2, s"$most of ${40 * tasks} on one of $tasks tasks")
    }
    val one = WriteGroups(Array.empty, Map.empty, spread = 8, tasks = 8)
    assertEquals((0 until 500).map(i => one.taskValue(one.slot(null, text("p"), text(s"key-$i")))).distinct.size, 8)
  }

  test("the new rows of a partition are spread by what was counted for it, where that was") {
    val counted = IncomingSize(Some(BigInt(500 * MiB)), Map("few" -> BigInt(MiB), "many" -> BigInt(250 * MiB)))
    val g = WriteLayout.groups(Nil, WriteConf.of(Map.empty), counted, None, 4)
    def slots(
        partition: String): Int = (0 until 500).map(i => g.slot(null, text(partition), text(s"k$i"))).distinct.size
    assertEquals((slots("few"), slots("many"), slots("not counted")), (1, 3, 3))
  }

  test("shuffle parallelism sets the number of tasks, not that of files, and files that there are do not limit it") {
    val asked = WriteLayout.groups(slices, WriteConf.of(Map.empty), IncomingSize(Some(BigInt(MiB))), Some(40), 4)
    assertEquals((asked.tasks, asked.spread), (40, 1))
    assertEquals(WriteLayout.groups(slices.take(1), WriteConf.of(Map.empty), IncomingSize(Some(BigInt(200 * MiB))),
        None,
        4).tasks, 32)
    assertEquals(WriteLayout.groups(slices.take(1), WriteConf.of(Map.empty), IncomingSize(None), None, 4).tasks, 32)
    assertEquals(WriteLayout.groups(slices.take(1), WriteConf.of(Map.empty), IncomingSize(Some(BigInt(1000))), None,
        4).tasks, 2)
  }

  test("appends to log files are dealt to fewer tasks than rewrites of base files, and few to few") {
    val many = (1 to 100).map(i => slice("a", s"a$i", 200 * MiB))
    def tasks(slices: Seq[FileSlice], table: InsertTakers, asked: Option[Int] = None): Int =
      WriteLayout.groups(slices, WriteConf.of(Map.empty), IncomingSize(Some(BigInt(1))), asked, 4, table).tasks
    val logs = InsertTakers.WithoutLogs(1, Set.empty)
    assertEquals(tasks(many, InsertTakers.Rewritten()), 32)
    assertEquals(tasks(many, logs), 8)
    assertEquals(tasks(many.take(2), logs), 3)
    assertEquals(tasks(many, logs, asked = Some(20)), 20)
  }

  test("the size of a row comes from the newest commit that wrote enough, else from the configured estimate") {
    val options = WriteConf.of(Map("hoodie.parquet.small.file.limit" -> "1000",
        "hoodie.record.size.estimation.threshold" -> "0.5", "hoodie.copyonwrite.record.size.estimate" -> "77")).packing
    assertEquals(RecordSize.ofCommits(Nil, options), 77L)
    assertEquals(RecordSize.ofCommits(Seq(commit(500, 5)), options), 77L)
    assertEquals(RecordSize.ofCommits(Seq(commit(501, 5)), options), 101L)
    assertEquals(RecordSize.ofCommits(Seq(commit(400, 1), commit(600, 60), commit(9000, 1)), options), 10L)
  }
}
