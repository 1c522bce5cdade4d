package io.hudilite.spark.service

import io.hudilite.filegroup.BaseFileFooter
import io.hudilite.spark.basefile.encode.BloomSettings
import io.hudilite.spark.procedure.{CompactionRun, ServiceCall}
import io.hudilite.spark.write.MergeOnReadFixture

import org.apache.hadoop.conf.Configuration

class CompactedFilterSuite extends MergeOnReadFixture {

  private def compact(path: String): Unit =
    assertEquals(CompactionRun(ServiceCall(spark, path)).start().result().size, 1)

  /** Each newest base file's filter, beside one that is made of the keys in the file, and how many those are. */
  private def filters(path: String): Seq[(String, String, Int)] =
    table(path).allSlices().values.flatten.flatMap(_.base).toSeq.map { base =>
      val file = s"$path/${base.relativePath}"
      val keys = spark.read.parquet(file).select("_hoodie_record_key").collect().map(_.getString(0))
      val filter = BloomSettings().create()
      keys.foreach(key => filter.add(key.getBytes("UTF-8")))
      val footer = BaseFileFooter.metadata(new Configuration(), file, base.length).getFileMetaData
      (footer.getKeyValueMetaData.get(BaseFileFooter.Bloom), filter.serialized, keys.length)
    }

  private def assertOfKeys(path: String, rows: Int): Unit = {
    val found = filters(path)
    assertEquals(found.map(_._3).sum, rows)
    found.foreach { case (text, anew, _) => assertEquals(text, anew) }
  }

  test("the filter of a compacted file is that of its keys, after updates, deletes and new keys beside it") {
    val path = create(9)
    assertOfKeys(path, 100)
    write(rows(0 until 40, 20, "new"), path, "upsert")
    compact(path)
    assertOfKeys(path, 100)
    assertEquals(versions(path), Map("old" -> 60L, "new" -> 40L))
    write(rows(0 until 10, 30, "gone"), path, "delete")
    write(rows(20 until 40, 30, "newer"), path, "upsert")
    compact(path)
    assertOfKeys(path, 90)
    // New keys go to a base file, as it is small.
    write(rows(80 until 120, 40, "last"), path, "upsert")
    assertOfKeys(path, 110)
    assertEquals(versions(path), Map("old" -> 40L, "new" -> 10L, "newer" -> 20L, "last" -> 40L))
  }
}
