package io.hudilite.spark.plan

import io.hudilite.config.WriteOptions
import io.hudilite.error.CommitConflict
import io.hudilite.spark.{HudiliteExtensions, Interpreted, SharedSession}
import io.hudilite.spark.write.attempt.{CommitJudge, CommitOutcome}
import io.hudilite.storage.HadoopStorage
import io.hudilite.table.Table

import java.nio.file.{Files, Path, Paths}
import java.util.concurrent.atomic.AtomicLong

import org.apache.spark.sql.{DataFrame, Row, SaveMode, SparkSession}
import org.apache.spark.sql.functions.{col, udf}

import scala.collection.JavaConverters._
import scala.collection.mutable

/** Writes whose first attempt is not accepted, and is followed by another one over the table as it is by then. */
final class RebasedWriteSuite extends UpsertPlans with Interpreted {

  import RebasedWriteSuite._

  /** Has the first attempt of each write rebased: for no reason, or because of what `meanwhile` writes. */
  private object judge extends CommitJudge {
    var attempts: Seq[Int] = Nil
    var firstInstants: Seq[String] = Nil
    var meanwhile: Option[() => Unit] = None

    override def rebases: Boolean = true

    override def outcome(attempt: Int, publish: () => Unit): CommitOutcome = {
      attempts :+= attempt
      if (attempt > 1) accepted(publish)
      else {
        firstInstants = opened(path).timeline.pending.map(_.time)
        meanwhile.fold[CommitOutcome](CommitOutcome.Rebased(told)) { write =>
          SparkSession.setActiveSession(SharedSession.spark)
          try write()
          finally SparkSession.setActiveSession(judged)
          try accepted(publish)
          catch { case conflict: CommitConflict => CommitOutcome.Rebased(conflict) }
        }
      }
    }

    private def accepted(publish: () => Unit): CommitOutcome = {
      publish()
      CommitOutcome.Accepted
    }

    private def told: CommitConflict =
      CommitConflict("COMMIT_CONFLICT", "instant" -> "", "path" -> path, "reason" -> "the test says so")
  }

  private var path: String = _

  /** A session whose writes are judged so; that of all suites stays the default. */
  private lazy val judged: SparkSession = {
    val shared = SharedSession.spark
    SparkSession.clearActiveSession()
    SparkSession.clearDefaultSession()
    try SparkSession.builder().withExtensions(new HudiliteExtensions(judge)).config(mode._1, mode._2).getOrCreate()
    finally {
      SparkSession.setDefaultSession(shared)
      SparkSession.setActiveSession(shared)
    }
  }

  private def opened(path: String): Table =
    Table.open(new HadoopStorage(spark.sparkContext.hadoopConfiguration), path)

  private def begin(at: String, meanwhile: Option[() => Unit] = None): Unit = {
    path = at
    judge.attempts = Nil
    judge.firstInstants = Nil
    judge.meanwhile = meanwhile
    evaluated.set(0)
  }

  /** Half of them of keys that the table has, each counted as it is evaluated. */
  private def incoming(session: SparkSession): DataFrame =
    session.range(0, 40).coalesce(1).select(counted(col("id")).as("n")).selectExpr(
      "concat('k', lpad(n * 300, 6, '0')) id", "n * 300 + 7L ts", "concat('d', int(n * 300 / 2000)) dt", "1 version")

  private def write(frame: DataFrame, how: How): Unit =
    frame.write.format("hudilite").options(options ++ how.options).option("hoodie.datasource.write.operation",
      how.operation).mode(SaveMode.Append).save(path)

  // One for each way to make it; the tests have copies.
  private val made = mutable.Map.empty[How, String]

  private def fresh(how: How): String = {
    val first = How(how.first, how.tableType, how.index)
    val path = copied(made.getOrElseUpdate(first, {
          begin(Files.createTempDirectory("hudilite-rebased").resolve("t").toString)
          (0 until 6).foreach(i => write(rows(i * 1000L, i * 1000L + 1000, 0).coalesce(1), first))
          this.path
        }))
    begin(path)
    path
  }

  private def found(path: String): Seq[Row] =
    spark.read.format("hudilite").load(path).select("id", "ts", "dt", "version").collect().toSeq.sortBy(_.toString)

  private def files(path: String): Seq[Path] = {
    val walk = Files.walk(Paths.get(path))
    try walk.iterator().asScala.filter(Files.isRegularFile(_)).toVector
    finally walk.close()
  }

  /** Number of data files by partition and kind. */
  private def counts(path: String): Map[(String, Boolean), Int] =
    files(path).filterNot(f => f.toString.contains("/.hoodie") || f.toString.endsWith(".crc"))
      .groupBy(f => (f.getParent.getFileName.toString, f.getFileName.toString.contains(".log."))).map {
        case (kind, found) => kind -> found.size
      }

  /** No file of the first attempt, no marker and no instant is left; nothing is pending. */
  private def assertTakenBack(path: String): Unit = {
    assertEquals(judge.firstInstants.size, 1)
    assertEquals(opened(path).timeline.pending, Nil)
    val left = files(path).map(_.toString).filter(f =>
      judge.firstInstants.exists(f.contains(_)) || f.contains("/.hoodie/.temp/"))
    assertEquals(left, Nil)
  }

  for (how <- hows; adaptive <- how.adaptive)
    test(s"a write whose first attempt is rebased is there once, and nothing else is: $how, adaptive=$adaptive") {
      judged.conf.set("spark.sql.adaptive.enabled", adaptive.toString)
      val twin = fresh(how)
      write(incoming(spark), how)
      val once = fresh(how)
      begin(once)
      write(incoming(judged), how)
      assertEquals(judge.attempts, Seq(1, 2))
      assertEquals(evaluated.get, 40L)
      assertEquals(found(once), found(twin))
      assertEquals(counts(once), counts(twin))
      assertTakenBack(once)
    }

  for (tableType <- Seq("COPY_ON_WRITE", "MERGE_ON_READ"))
    test(s"an upsert that another one overtakes finds what that has written: $tableType") {
      val how = How("upsert", tableType, "BLOOM")
      val once = fresh(how)
      // Changes a row of each file, among them some that the first attempt has found, and brings keys that it has not.
      val others = spark.range(0, 6).selectExpr("concat('k', lpad(id * 1000 + 600, 6, '0')) id", "id * 1000 + 9999L ts",
        "concat('d', int((id * 1000 + 600) / 2000)) dt", "2 version").union(rows(6000, 6010, 2))
      begin(once, Some(() => write(others, how)))
      write(incoming(judged), how)
      assertEquals(judge.attempts, Seq(1, 2))
      assertEquals(evaluated.get, 40L)
      assertTakenBack(once)
      val all = found(once)
      assertEquals(all.map(_.getString(0)).distinct.size, all.size)
      assertEquals(all.count(_.getInt(3) == 2), 16 - incoming(spark).join(rows(6000, 6010, 2), "id").count().toInt)
    }

  for ((asTexts, key) <- Seq(true -> "2026-01-01 00:00:00.0", false -> "1767225600000000"))
    test(s"a write whose keys another one has spelled otherwise meanwhile is not rebased: asTexts=$asTexts") {
      val at = Files.createTempDirectory("hudilite-rebased").resolve("t").toString
      spark.sql(s"CREATE TABLE hudilite.`$at` (t TIMESTAMP, version INT) TBLPROPERTIES (primaryKey = 't')")
      def upsert(session: SparkSession, version: Int, asTexts: Boolean): Unit =
        session.sql(s"SELECT timestamp '2026-01-01 00:00:00' t, $version version").write.format("hudilite")
          .option(WriteOptions.TimesAsTexts.name, asTexts).mode(SaveMode.Append).save(at)
      begin(at, Some(() => upsert(spark, 1, asTexts)))
      if (asTexts)
        assertEquals(intercept[CommitConflict](upsert(judged, 2, asTexts = false)).condition, "COMMIT_CONFLICT")
      else upsert(judged, 2, asTexts = false)
      assertEquals(judge.attempts, if (asTexts) Seq(1) else Seq(1, 2))
      assertEquals(
        spark.read.format("hudilite").load(at).selectExpr("_hoodie_record_key", "version").collect().toSeq,
        Seq(Row(key, if (asTexts) 1 else 2)))
    }

  test("rows whose keys are generated get those of the attempt that is accepted") {
    val at = Files.createTempDirectory("hudilite-rebased").resolve("t").toString
    def append(frame: DataFrame): Unit = frame.write.format("hudilite").mode(SaveMode.Append).save(at)
    append(spark.range(0, 4).toDF())
    begin(at)
    append(judged.range(0, 40).select(counted(col("id")).as("id")))
    assertEquals((judge.attempts, evaluated.get), (Seq(1, 2), 40L))
    assertTakenBack(at)
    val keys = spark.read.format("hudilite").load(at).select("_hoodie_record_key").collect().map(_.getString(0))
    assertEquals((keys.length, keys.distinct.length), (44, 44))
    assert(!keys.exists(_.startsWith(judge.firstInstants.head)))
  }

  test("rows that lie in the buckets that they go to are held for the next attempt") {
    val how = How("upsert", "MERGE_ON_READ", "BUCKET")
    val (from, once) = (fresh(how), fresh(how))
    val before = found(once)
    val changed = judged.read.format("hudilite").load(from).selectExpr("id", "ts + 1 ts", "dt", "version + 4 version")
    write(changed, how)
    assertEquals(judge.attempts, Seq(1, 2))
    assertTakenBack(once)
    assertEquals(found(once), before.map(r => Row(r.getString(0), r.getLong(1) + 1, r.getString(2), r.getInt(3) + 4)))
  }

  test("rows that are made of those of the table itself are not taken from an earlier attempt, nor are statements'") {
    val how = How("upsert", "COPY_ON_WRITE", "BLOOM")
    val own = fresh(how)
    begin(own)
    val again = judged.read.format("hudilite").load(own).where("id < 'k000010'").selectExpr("id", "ts + 1 ts", "dt",
      "5 version")
    write(again, how)
    judged.sql(s"UPDATE hudilite.`$own` SET version = 6 WHERE id >= 'k005990'")
    assertEquals(judge.attempts, Nil)
    val all = found(own)
    assertEquals((all.count(_.getInt(3) == 5), all.count(_.getInt(3) == 6)), (10, 10))
  }
}

/** The function of the tests, which must not take the suite along. */
object RebasedWriteSuite {

  private val evaluated = new AtomicLong

  private val counted = udf { (n: Long) =>
    evaluated.incrementAndGet()
    n
  }.asNondeterministic()

  /** A write, and the table that it goes to. */
  private final case class How(operation: String, tableType: String, index: String,
      adaptive: Seq[Boolean] = Seq(true)) {

    /** The operation by which its table is made. */
    def first: String = if (index == "BUCKET") "upsert" else "bulk_insert"

    def options: Map[String, String] = Map("hoodie.datasource.write.table.type" -> tableType,
      "hoodie.index.type" -> index, "hoodie.bucket.index.num.buckets" -> "2")

    override def toString: String = s"$operation, $tableType, $index"
  }

  private val hows: Seq[How] = Seq(
    How("upsert", "COPY_ON_WRITE", "BLOOM", Seq(true, false)),
    How("upsert", "MERGE_ON_READ", "GLOBAL_SIMPLE"),
    How("upsert", "MERGE_ON_READ", "BUCKET"),
    How("delete", "COPY_ON_WRITE", "SIMPLE"),
    How("insert", "COPY_ON_WRITE", "SIMPLE", Seq(false)),
    How("bulk_insert", "COPY_ON_WRITE", "SIMPLE"),
    How("insert_overwrite", "COPY_ON_WRITE", "SIMPLE"))
}
