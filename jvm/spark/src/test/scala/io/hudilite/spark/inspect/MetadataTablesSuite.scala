package io.hudilite.spark.inspect

import io.hudilite.Folders
import io.hudilite.spark.SharedSession
import io.hudilite.storage.CountingFileSystem

import java.nio.file.{Files, Path}

import munit.FunSuite
import org.apache.spark.sql.SaveMode

import scala.concurrent.duration.{Duration, DurationInt}

/** Reads of metadata tables for filters and limits: no more than the wanted rows need. */
class MetadataTablesSuite extends FunSuite {

  override val munitTimeout: Duration = 5.minutes

  private val spark = SharedSession.spark
  CountingFileSystem.configure(spark.sparkContext.hadoopConfiguration)

  private val root = Files.createTempDirectory("hudilite-inspect")

  private lazy val written: Path = {
    (1 to 3).foreach { ts =>
      spark.range(0, 8).selectExpr("id", "concat('p', id % 4, '/x') AS day", s"${ts}L AS v").write.format("hudilite")
        .option("hoodie.datasource.write.recordkey.field", "id")
        .option("hoodie.datasource.write.partitionpath.field", "day").mode(SaveMode.Append)
        .save(root.resolve("t").toString)
    }
    root.resolve("t")
  }

  /** Rows of a metadata table, and the calls for folders and files by which they came, where no cache knows the table. */
  private def asked(what: String, rest: String): (Seq[String], Int, Int) = {
    val copy = Folders.copy(written, Files.createTempDirectory(root, "copy"))
    val (rows, calls) = CountingFileSystem.during(
      spark.sql(s"SELECT * FROM hudilite.`${CountingFileSystem.path(copy.toString)}`.$what $rest").collect())
    (rows.map(_.mkString("|")).toSeq, calls.count("list"), calls.count("get"))
  }

  test("history reads the commits that its filters and its limit leave") {
    val (all, _, reads) = asked("history", "")
    assertEquals(all.size, 3)
    val times = all.map(_.takeWhile(_ != '|'))
    assertEquals(times, times.sorted.reverse)
    // The newest commit is read as the table is opened: it has the schema.
    Seq((s"WHERE time = '${times(1)}'", Seq(times(1)), 1), (s"WHERE time > '${times(1)}'", Seq(times.head), 0),
      (s"WHERE time IN ('${times.last}')", Seq(times.last), 1),
      (s"WHERE time >= '${times(1)}' AND inserts > 100", Nil, 1), ("LIMIT 1", Seq(times.head), 0),
      ("WHERE action = 'rollback'", Nil, 0)).foreach { case (rest, wanted, older) =>
      val (rows, _, few) = asked("history", rest)
      assertEquals(rows.map(_.takeWhile(_ != '|')), wanted, rest)
      assertEquals(reads - few, 2 - older, rest)
    }
  }

  for (what <- Seq("files", "file_groups", "partitions"))
    test(s"$what lists the folders that its filters leave") {
      val (all, lists, _) = asked(what, "")
      assertEquals(all.map(_.takeWhile(_ != '|')).distinct.sorted, Seq("p0/x", "p1/x", "p2/x", "p3/x"))
      Seq("partition = 'p1/x'" -> Seq("p1/x"),
        "partition IN ('p1/x', 'p2/x', '../p3/x', 'p3', '')" ->
          Seq("p1/x", "p2/x"), "partition LIKE 'p3%'" -> Seq("p3/x"), "partition < 'p1'" -> Seq("p0/x"),
        "partition = 'p1/x' AND partition = 'p2/x'" -> Nil, "partition IS NULL" -> Nil)
        .foreach { case (filter, wanted) =>
          val (rows, few, _) = asked(what, s"WHERE $filter")
          assertEquals(rows.map(_.takeWhile(_ != '|')).distinct.sorted, wanted, filter)
          assertEquals(rows.sorted, all.filter(row => wanted.contains(row.takeWhile(_ != '|'))).sorted, filter)
          assert(few < lists, s"$filter: $few of $lists")
        }
      assertEquals(asked(what, "LIMIT 2")._1.size, 2)
    }
}
