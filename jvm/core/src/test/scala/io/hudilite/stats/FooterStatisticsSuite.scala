package io.hudilite.stats

import io.hudilite.filegroup.{BaseFile, BaseFileFooter, FooterCache}
import io.hudilite.stats.ValueBounds._
import io.hudilite.storage.CountingFileSystem

import java.nio.file.Files
import java.util.UUID

import munit.FunSuite
import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Path
import org.apache.parquet.example.data.Group
import org.apache.parquet.example.data.simple.SimpleGroupFactory
import org.apache.parquet.hadoop.example.ExampleParquetWriter
import org.apache.parquet.schema.MessageTypeParser

import scala.collection.JavaConverters._

/** Statistics of files from their footers, and how often storage is asked for them. */
class FooterStatisticsSuite extends FunSuite {

  private val conf = new Configuration()
  CountingFileSystem.configure(conf)

  private val root = Files.createTempDirectory("hudilite-statistics")
  private val statistics = FileStatistics.at(CountingFileSystem.path(root.toString), conf)

  private val schema = MessageTypeParser.parseMessageType(
    """message m { required int32 i; optional int64 l (INTEGER(64, true)); optional int32 d (DATE);
      |optional int64 t (TIMESTAMP(MICROS, true)); optional binary s (UTF8); optional double f; optional int32 none;
      |optional int32 u (INTEGER(32, false)); optional int64 local (TIMESTAMP(MICROS, false));
      |optional group g { optional int32 i; } }""".stripMargin)

  private val entries = Map(BaseFileFooter.MinKey -> "a", BaseFileFooter.MaxKey -> "z",
    BaseFileFooter.SortedByKey -> "true")

  /** A file of several row groups with these rows. */
  private def file(rows: Int)(fill: (Int, Group) => Unit): BaseFile = {
    val path = root.resolve(s"${UUID.randomUUID()}.parquet")
    val writer = ExampleParquetWriter.builder(new Path(path.toString)).withConf(conf).withType(schema)
      .withExtraMetaData(entries.asJava).withRowGroupSize(4000L).withPageSize(500)
      .withMinRowCountForPageSizeCheck(100).withMaxRowCountForPageSizeCheck(100).build()
    val groups = new SimpleGroupFactory(schema)
    (0 until rows).foreach { n =>
      val group = groups.newGroup()
      fill(n, group)
      writer.write(group)
    }
    writer.close()
    BaseFile("", path.getFileName.toString, "", "", "", Files.size(path))
  }

  private def requests(body: => Any): Int = CountingFileSystem.during(body)._2.counts.values.sum

  test("bounds of columns are those of all row groups, beside their nulls") {
    val asked = file(5000) { (n, group) =>
      group.append("i", n - 2500)
      if (n >= 2500) group.append("l", -n.toLong).append("d", n).append("t", n * 1000000L)
      group.append("s", if (n == 4000) "é" else if (n == 10) "" else "zz")
      group.append("f", n.toDouble).append("u", n).append("local", n.toLong)
      group.addGroup("g").append("i", n)
      ()
    }
    assert(FooterCache.metadata(conf, s"$root/${asked.name}", asked.length).getBlocks.size > 2, "few row groups")
    val names = Seq("i", "l", "d", "t", "s", "none", "f", "u", "local", "g", "I", "lacking")
    val known = statistics.ofFile(asked, BoundsWanted(names))
    assertEquals(known.rows, 5000L)
    assertEquals(known.keys, KeyBounds(Some("a"), Some("z"), sorted = true))
    assertEquals(known.columns,
      Map(
        "i" -> ColumnBounds(0, Some(Ints(-2500, 2499))),
        "l" -> ColumnBounds(2500, Some(Longs(-4999L, -2500L))),
        "d" -> ColumnBounds(2500, Some(Days(2500, 4999))),
        "t" -> ColumnBounds(2500, Some(Micros(2500000000L, 4999000000L))),
        "s" -> ColumnBounds(0, Some(Texts("", "é"))),
        "none" -> ColumnBounds(5000, None),
        "f" -> ColumnBounds(0, None), // may hide a NaN
        "u" -> ColumnBounds(0, None),
        "local" -> ColumnBounds(0, None),
        "lacking" -> ColumnBounds(5000, None)))
  }

  test("a file is asked for once, whatever is wanted of it and however often") {
    val files = Seq.fill(20)(file(10)((n, group) => { group.append("i", n); () }))
    assertEquals(requests(assertEquals(statistics.of(files).values.map(_.rows).sum, 200L)), 20)
    assertEquals(requests {
        statistics.of(files, BoundsWanted.WithBlooms)
        statistics.of(files, BoundsWanted(Seq("i", "s")))
        files.foreach(statistics.ofFile(_))
      }, 0)
  }

  test("the configuration is taken in the caller's thread, and not where no file is asked about") {
    val caller = Thread.currentThread
    def taken: Configuration = if (Thread.currentThread eq caller) conf else throw new IllegalStateException("a thread")
    def never: Configuration = throw new IllegalStateException("nobody asked")
    val files = Seq.fill(3)(file(1)((n, group) => { group.append("i", n); () }))
    assertEquals(FileStatistics.at(root.toString, never).of(Nil), Map.empty[BaseFile, FileBounds])
    assertEquals(FileStatistics.at(root.toString, taken).each(files, BoundsWanted.OfKeys)(_.rows),
      files.map(_ -> 1L).toMap)
  }
}
