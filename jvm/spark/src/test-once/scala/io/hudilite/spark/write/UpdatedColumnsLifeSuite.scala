package io.hudilite.spark.write

import io.hudilite.service.compact.CompactionKind
import io.hudilite.spark.Interpreted
import io.hudilite.spark.SharedSession.withConf
import io.hudilite.spark.procedure.{CompactionRun, ServiceCall}

import org.apache.spark.sql.DataFrame

/** Tables whose updates have only some columns in logs, beside twins whose updates are whole rows: each read of both is
  * the same.
  */
class UpdatedColumnsLifeSuite extends MergeOnReadFixture with Interpreted {

  private val partial = "spark.datasource.hudilite.hoodie.spark.sql.merge.into.partial.updates"

  private def wide(ids: Range, ts: Long, v: String): DataFrame = rows(ids, ts, v).selectExpr("*",
    "cast(substring(id, 2) as double) price", "named_struct('x', 1, 'y', id) s", "if(ts % 2 = 0, id, null) w")

  private final class Twins(facts: Map[String, String]) {

    val (some, whole) = (newPath(), newPath())
    private var times = Vector.empty[(String, String)] // completion times of the writes that are compared

    def each(step: String => Any): Unit = {
      for ((path, value) <- Seq(some -> "true", whole -> "false")) withConf(partial -> value)(step(path))
      times = times :+ (time(some) -> time(whole))
      check()
    }

    def upsert(frame: DataFrame, operation: String = "upsert"): Unit =
      each(write(frame, _, operation, facts.toSeq: _*))

    def sql(text: String): Unit = each(path => spark.sql(text.replace("TT", s"hudilite.`$path` t")))

    private def time(path: String): String = table(path).timeline.writes.last.completionTime.get

    private def texts(path: String, more: (String, String)*)(of: DataFrame => DataFrame): Seq[String] =
      of(spark.read.format("hudilite").options(more.toMap).load(path)).collect().map(_.toString).sorted.toSeq

    private def same(clue: String, of: DataFrame => DataFrame, some: Seq[(String, String)] = Nil,
        whole: Seq[(String, String)] = Nil): Unit =
      assertEquals(texts(this.some, some: _*)(of), texts(this.whole, whole: _*)(of), clue)

    def check(): Unit = {
      same("all", identity)
      same("one that is set", _.where("v like 'u%'").select("id", "v"))
      same("one that is not", _.where("price > 20 or w is null").select("id", "price"))
    }

    def checkPast(): Unit = times.zipWithIndex.foreach { case ((a, b), i) =>
      same(s"as of $i", identity, Seq("as.of.instant" -> a), Seq("as.of.instant" -> b))
      def from(begin: String) = Seq("hoodie.datasource.query.type" -> "incremental",
        "hoodie.datasource.read.begin.instanttime" -> begin)
      if (i < times.size - 1) same(s"since $i", identity, from(a), from(b))
    }

    def checkReadOptimized(): Unit = {
      val asked = Seq("hoodie.datasource.query.type" -> "read_optimized")
      same("base files", identity, asked, asked)
    }
  }

  private val facts = Seq(
    ("9, in the order of commits",
      options(9, "COMMIT_TIME_ORDERING") + ("hoodie.metadata.index.column.stats.enable" -> "true") +
        ("hoodie.metadata.enable" -> "true")),
    ("8, by ordering values, in Parquet",
      options(8) ++ Seq("hoodie.index.type" -> "BLOOM", "hoodie.logfile.data.block.format" -> "parquet")),
    ("9, in buckets",
      options(9, "COMMIT_TIME_ORDERING") ++
        Seq("hoodie.index.type" -> "BUCKET", "hoodie.bucket.index.num.buckets" -> "2")))

  for ((name, facts) <- facts) test(s"all reads and services see whole rows: version $name") {
    val twins = new Twins(facts)
    import twins.{check, checkPast, checkReadOptimized, each, sql, upsert}
    def blocksOfSome = logFiles(twins.some).flatMap(blocks).count(_.isPartial)
    def matched(ids: String, v: String) = s"MERGE INTO TT USING (SELECT concat('k', lpad(id, 4, '0')) id, " +
      s"concat('p', id % 2) p, 20L ts, '$v' v, -1D price FROM range($ids)) s ON t.id = s.id AND t.p = s.p "
    upsert(wide(0 until 40, 10, "old"))
    sql("UPDATE TT SET v = 'u1' WHERE id < 'k0012'")
    sql(matched("8, 50, 3", "u2") + "WHEN MATCHED THEN UPDATE SET price = s.price " +
      "WHEN NOT MATCHED THEN INSERT (id, p, ts, v) VALUES (s.id, s.p, s.ts, s.v)")
    upsert(wide(10 until 16, 12, "whole"))
    sql("UPDATE TT SET s.x = 5, ts = 14 WHERE id BETWEEN 'k0009' AND 'k0013'")
    upsert(wide(2 until 40 by 9, 30, "gone").drop("price", "s", "w", "v"), "delete")
    sql(matched("2, 30, 9", "back") + "WHEN MATCHED THEN UPDATE SET w = s.v " +
      "WHEN NOT MATCHED THEN INSERT (id, p, ts, v) VALUES (s.id, s.p, 40L, s.v)")
    upsert(wide(15 until 17, 41, "later").selectExpr("*", "1 extra"))
    sql("UPDATE TT SET extra = 2, w = null WHERE id < 'k0018'")
    assert(blocksOfSome > 6, blocksOfSome)
    def run(kind: CompactionKind): Unit = each { path =>
      val call = ServiceCall(spark, path, Map("hoodie.log.compaction.blocks.threshold" -> "2"))
      assert(CompactionRun(call, kind).start().result().nonEmpty)
    }
    run(CompactionKind.Log)
    sql("UPDATE TT SET v = 'u3' WHERE price > 20")
    checkPast()
    run(CompactionKind.Base)
    checkReadOptimized()
    sql("UPDATE TT SET v = 'u4' WHERE id > 'k0020'")
    if (!facts.exists(_._2 == "BUCKET")) each(path =>
      spark.sql(
        s"CALL hudilite.system.run_clustering(path => '$path', order => 'price', op => 'scheduleAndExecute')"))
    sql("UPDATE TT SET price = 1 WHERE id > 'k0030'")
    Seq(twins.some, twins.whole).foreach(path =>
      assertEquals(spark.sql(s"CALL hudilite.system.validate_metadata('$path')").collect().toSeq, Nil))
    check()
    checkPast()
  }
}
