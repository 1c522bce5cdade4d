package io.hudilite.spark.write

import io.hudilite.codec.bloom.BloomFilter
import io.hudilite.config.MergeMode
import io.hudilite.spark.SpoiltColumn
import io.hudilite.spark.write.job.WriteJob
import io.hudilite.timeline.WriteStat

import java.nio.file.Paths

/** Changes that replace most or all rows of a file. */
class OverwrittenRowsSuite extends MergeFixture {

  folder.test("rows that are replaced leave the file's bloom filter as it is, new ones are added to it") { base =>
    val ids = (0 until 900).map(key)
    val first = insertAll(job(base, schema, instant(0)), ids.map(Change('i', _, "old"))).head
    def filter(stat: WriteStat): BloomFilter = footer(base, stat).bloom.get
    val all = merge(job(base, schema, instant(1)), first, ids.map(Change('u', _, "new"))).head
    assertEquals(filter(all).serialized, filter(first).serialized)
    val more =
      merge(job(base, schema, instant(2)), all, Seq(Change('u', key(0), "v"), Change('i', key(5000), "v"))).head
    assertEquals(filter(more).keyCount, 901.0)
    assert((ids :+ key(5000)).forall(k => filter(more).mightContain(k.getBytes("UTF-8"))))
  }

  folder.test("of a row group whose rows are all replaced the keys and what is compared are read, and nothing else") {
    base =>
      def all(v: String, ts: Long): Seq[Change] = (0 until 20000).map(i => Change('u', key(i), v, Some(ts)))
      def inTime(i: Int): WriteJob =
        job(base, schema, instant(i), mode = MergeMode.EventTime, ordering = Seq("ts"), files = smallGroups)
      val stat = insertAll(inTime(0), all("old", 5).map(_.copy(kind = 'i'))).head
      assert(groups(base, stat).size > 4)
      SpoiltColumn.spoil(Paths.get(base, stat.path), "v")
      val after = merge(inTime(1), stat, all("new", 6)).head
      assertEquals(content(read(base, Seq(after))).values.toSet, Set("new" -> instant(1)))
      assertEquals((after.numUpdateWrites, after.numWrites), (20000L, 20000L))
      intercept[org.apache.spark.SparkException](merge(inTime(2), stat, all("new", 6).filterNot(_.id == key(10007))))
  }

  folder.test("rows that stay behind many that are replaced are kept whole, in whichever batch they are") { base =>
    def inTime(i: Int): WriteJob = job(base, schema, instant(i), mode = MergeMode.EventTime, ordering = Seq("ts"))
    val stat = insertAll(inTime(0), (0 until 20000).map(i => Change('i', key(i), s"v$i", Some(5)))).head
    assertEquals(groups(base, stat), Seq(20000L))
    for ((first, round) <- Seq(0, 1, 4095, 4096, 9000, 19999).zipWithIndex) {
      val stay = Set(first, first + 1, 12000)
      val changes = (0 until 20000).filterNot(stay)
        .map(i => Change('u', key(i), "new", Some(if (i % 5000 == 4999) 4 else 6)))
      val rows = content(read(base, merge(inTime(round + 1), stat, changes)))
      assertEquals(rows.size, 20000)
      for (i <- 0 until 20000)
        if (stay(i) || i % 5000 == 4999) assertEquals(rows(key(i)), s"v$i" -> instant(0))
        else assertEquals(rows(key(i)), "new" -> instant(round + 1))
    }
  }
}
