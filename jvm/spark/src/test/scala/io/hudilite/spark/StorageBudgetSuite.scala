package io.hudilite.spark

import io.hudilite.Folders
import io.hudilite.spark.procedure.{CompactionRun, ServiceCall}
import io.hudilite.storage.{CountingFileSystem, HadoopStorage, StorageCalls}
import io.hudilite.table.Table

import java.nio.file.{Files, Path => LocalPath, Paths}

import munit.FunSuite
import org.apache.spark.sql.{DataFrame, SaveMode}

import scala.collection.JavaConverters._
import scala.concurrent.duration.{Duration, DurationInt}

/** How often an operation asks the storage, on a table of 96 file groups in 8 partitions, as on an object store.
  *
  * Each bound is for the whole operation, planning and tasks together.
  */
class StorageBudgetSuite extends FunSuite with Interpreted {

  import StorageBudgetSuite._

  override def munitTimeout: Duration = 10.minutes

  private val spark = SharedSession.spark
  private val conf = spark.sparkContext.hadoopConfiguration
  CountingFileSystem.configure(conf)

  private val root = Files.createTempDirectory("hudilite-budget")
  private lazy val copyOnWrite = create("cow", "COPY_ON_WRITE")
  private lazy val mergeOnRead = create("mor", "MERGE_ON_READ")

  private def create(name: String, kind: String): LocalPath = {
    val facts = Map("recordkey.field" -> "id", "partitionpath.field" -> "p", "precombine.field" -> "ts",
      "table.type" -> kind).map { case (key, value) => s"hoodie.datasource.write.$key" -> value }
    // Each task writes a file into each partition.
    write(rows(0L until Rows, 1).repartition(GroupsAPartition), root.resolve(name), "bulk_insert", facts.toSeq: _*)
    root.resolve(name)
  }

  private def rows(ids: Seq[Long], ts: Long): DataFrame = spark.createDataset(ids)(
    org.apache.spark.sql.Encoders.scalaLong)
    .selectExpr("format_string('k%06d', value) AS id", s"concat('p', value % $Partitions) AS p", s"${ts}L AS ts",
      "value * 2 AS v")

  private def write(frame: DataFrame, table: LocalPath, operation: String, more: (String, String)*): Unit =
    frame.write.format("hudilite").options(more.toMap).option("hoodie.datasource.write.operation", operation)
      .mode(SaveMode.Append).save(counted(table))

  private def read(table: LocalPath): DataFrame = spark.read.format("hudilite").load(counted(table))

  private def counted(table: LocalPath): String = CountingFileSystem.path(table.toString)

  /** A copy of the table that no cache knows. */
  private def unknown(table: LocalPath): LocalPath = Folders.copy(table, Files.createTempDirectory(root, "copy"))

  /** Says what `body` asked for, and fails when that is more of any kind than its budget. */
  private def within(operation: String)(body: => Any): Unit = {
    val (_, calls) = CountingFileSystem.during(body)
    println(f"$operation%-40s ${calls.summary}")
    val over = StorageCalls.Kinds.filter(kind =>
      calls.count(kind) >
        Budgets.getOrElse(operation, fail(s"docs/storage.md has no budget for: $operation")).getOrElse(kind, 0))
    assert(over.isEmpty, s"$operation asks for more ${over.mkString(" and ")}: ${calls.summary}\n${calls.details}")
  }

  test("opening a table") {
    val table = unknown(copyOnWrite)
    within("open")(Table.open(new HadoopStorage(conf), counted(table)))
  }

  test("the history of a table") {
    val table = unknown(copyOnWrite)
    within("history")(assertEquals(
        spark.sql(s"SELECT * FROM hudilite_metadata('${counted(table)}', 'history')").count(),
        1L))
  }

  test("reading from a table of base files") {
    val table = unknown(copyOnWrite)
    def values(filter: String): Long = read(table).where(filter).selectExpr("sum(v)").head().getLong(0)
    within("key, cold")(assertEquals(values("id = 'k000123'"), 246L))
    within("key")(assertEquals(values("id = 'k000124'"), 248L))
    within("key of a known partition")(assertEquals(values("id = 'k000125' AND p = 'p5'"), 250L))
    within("one partition")(assert(values("p = 'p3'") > 0))
    within("scan")(assertEquals(values("v >= 0"), Rows * (Rows - 1)))
    within("count")(assertEquals(read(table).count(), Rows))
    val other = unknown(copyOnWrite)
    within("count, cold")(assertEquals(read(other).count(), Rows))
    val third = unknown(copyOnWrite)
    def filtered(): Unit = assertEquals(read(third).where("v = 246").count(), 1L)
    within("filter, cold")(filtered())
    within("filter")(filtered())
  }

  test("reading by a metadata table") {
    val table = unknown(copyOnWrite)
    spark.sql(s"CALL hudilite.system.create_metadata_table('$table')").collect()
    write(rows(Seq(77L), 2), table, "upsert")
    for ((how, more) <- Seq("" -> Nil, ", asked for" -> Seq("hoodie.metadata.enable" -> "true"))) {
      val other = unknown(table)
      def read = spark.read.format("hudilite").options(more.toMap).load(counted(other))
      within(s"one partition by its metadata table, cold$how")(assert(read.where("p = 'p3' AND v >= 0").count() > 0))
      within("scan by its metadata table")(assertEquals(read.where("v >= 0").count(), Rows))
    }
  }

  for ((kind, source) <- Seq("copy-on-write" -> (() => copyOnWrite), "merge-on-read" -> (() => mergeOnRead)))
    test(s"writing to a $kind table") {
      val table = unknown(source())
      within(s"upsert of one row, $kind")(write(rows(Seq(77L), 2), table, "upsert"))
      within(s"insert of one row, $kind")(write(rows(Seq(Rows), 2), table, "insert"))
      if (kind == "copy-on-write")
        within("upsert of one row with a cleaning, copy-on-write")(
          write(rows(Seq(78L), 2), table, "upsert", "hoodie.clean.commits.retained" -> "1"))
      within(s"upsert of 1 %, $kind")(write(rows(0L until Rows by 97L, 3), table, "upsert"))
      if (kind == "copy-on-write") {
        val other = unknown(table)
        within("count of one partition, cold, five commits")(assert(read(other).where("p = 'p3'").count() > 0))
        val third = unknown(table)
        within("one partition, cold, five commits")(assert(read(third).where("p = 'p3' AND v >= 0").count() > 0))
      }
      if (kind == "merge-on-read") {
        within("key, with logs")(assertEquals(read(table).where("id = 'k000097'").count(), 1L))
        within("scan, with logs")(assertEquals(read(table).count(), Rows + 1))
        within("compaction")(CompactionRun(ServiceCall(spark, counted(table))).start().result())
      }
    }

  for ((kind, source) <- Seq("copy-on-write" -> (() => copyOnWrite), "merge-on-read" -> (() => mergeOnRead)))
    test(s"a commit to a $kind table whose services find nothing due asks no more than one without services") {
      val table = unknown(source())
      def asked(ts: Int, services: Boolean): String = CountingFileSystem.during(
        write(rows(Seq(77L), ts), table, "upsert", "hudilite.services" -> services.toString))._2.summary
      asked(2, services = true) // it finds what this process does not know yet
      val without = asked(3, services = false)
      assertEquals(asked(4, services = true), without)
    }
}

object StorageBudgetSuite {
  private val Partitions = 8
  private val GroupsAPartition = 12
  private val Rows = 19200L

  /** At most so many calls of each kind, by operation: the table of docs/storage.md. */
  private val Budgets: Map[String, Map[String, Int]] = {
    val rows = Files.readAllLines(Paths.get("docs/storage.md")).asScala.filter(_.startsWith("|"))
      .map(_.split('|').map(_.trim).drop(1).toList)
    val kinds = rows.head.tail
    rows.drop(2).map(row => row.head -> kinds.zip(row.tail.map(_.toInt)).toMap).toMap
  }
}
