package io.hudilite.spark.write

import io.hudilite.codec.bloom.BloomFilter
import io.hudilite.filegroup.BaseFileFooter
import io.hudilite.spark.basefile.encode.{BloomSettings, FittedBloom, KeySummary}
import io.hudilite.spark.write.job.WriteJob
import io.hudilite.timeline.WriteStat

import org.apache.spark.unsafe.types.UTF8String

/** Bloom filters that are laid out for the few keys of a small file, in the next versions of that file. */
class SmallFilterSuite extends MergeFixture {

  private val kinds = Seq(BloomFilter.Simple, BloomFilter.Dynamic).map(BloomSettings(_, 1000, 0.000001, 10000))

  private def ofKeys(keys: Seq[String], settings: BloomSettings): String = {
    val filter = settings.create()
    keys.foreach(k => filter.add(k.getBytes("UTF-8")))
    filter.serialized
  }

  private def filter(base: String, stat: WriteStat): String =
    BaseFileFooter.metadata(session.sparkContext.hadoopConfiguration, s"$base/${stat.path}", stat.fileSizeInBytes)
      .getFileMetaData.getKeyValueMetaData.get(BaseFileFooter.Bloom)

  private val keys = (0 until 100).map(i => key(i * 2))

  for (settings <- kinds)
    folder.test(s"whatever happens to the rows, the ${settings.typeCode} filter is that of the keys") { base =>
      def next(i: Int): WriteJob = job(base, schema, instant(i), bloom = settings)
      val first = insertAll(next(0), keys.map(Change('i', _, "v"))).head
      assertEquals(filter(base, first), ofKeys(keys, settings))
      val updated = merge(next(1), first, keys.slice(10, 50).map(Change('u', _, "w"))).head
      assertEquals(filter(base, updated), ofKeys(keys, settings))
      val grown = merge(next(2), updated, Seq(Change('u', key(2), "x"), Change('i', key(3), "new"))).head
      val more = (keys :+ key(3)).sorted
      assertEquals(filter(base, grown), ofKeys(more, settings))
      val shrunk = merge(next(3), grown, Seq(Change('d', key(4)), Change('u', key(6), "x"))).head
      val fewer = more.filterNot(_ == key(4))
      assertEquals(filter(base, shrunk), ofKeys(fewer, settings))
      val swapped = merge(next(4), shrunk, Seq(Change('i', key(5), "new"), Change('d', key(6)))).head
      assertEquals(filter(base, swapped), ofKeys((fewer.filterNot(_ == key(6)) :+ key(5)).sorted, settings))
      val otherwise = job(base, schema, instant(5), bloom = settings.copy(fpp = 0.01))
      val laidOut = merge(otherwise, updated, Seq(Change('u', key(2), "x"))).head
      assertEquals(filter(base, laidOut), ofKeys(keys, otherwise.bloom))
    }

  private def text(kept: Seq[String], added: Seq[String]): String = {
    val summary = new KeySummary(kinds.last.create(), fitted = Some(FittedBloom("as it was", 2)))
    kept.foreach(k => summary.keep(UTF8String.fromString(k)))
    added.foreach { k =>
      val bytes = k.getBytes("UTF-8")
      summary.add(bytes, 0, bytes.length)
    }
    summary.bloomText
  }

  test("a filter is taken over unseen when all of its keys stay and no others come") {
    assertEquals(text(Seq("a", "b"), Nil), "as it was")
    assertEquals(text(Seq("a"), Nil), ofKeys(Seq("a"), kinds.last))
    assertEquals(text(Seq("a"), Seq("b")), ofKeys(Seq("a", "b"), kinds.last))
    assertEquals(text(Seq("a", "b"), Seq("c")), ofKeys(Seq("a", "b", "c"), kinds.last))
  }
}
