package io.hudilite.spark.write

import io.hudilite.log.{BlockKind, LogBlock}
import io.hudilite.record.MetaFields
import io.hudilite.spark.Interpreted
import io.hudilite.spark.SharedSession.withConf

import org.apache.avro.Schema

import scala.collection.JavaConverters._

/** Columns that statements write to logs. */
class UpdatedColumnsSuite extends MergeOnReadFixture with Interpreted {

  import UpdatedColumnsSuite._

  private def tableOf(version: Int, mode: String, more: (String, String)*): String = {
    val path = newPath()
    val wide = rows(0 until 20, 10, "old").selectExpr("*", "1.5D price", "named_struct('x', 1, 'y', id) s",
      "repeat('wide', 20) w")
    write(wide, path, "upsert", (options(version, mode) ++ more).toSeq: _*)
    path
  }

  private def blocksOf(path: String, statement: => Any): Seq[LogBlock] = {
    val before = logFiles(path).toSet
    statement
    logFiles(path).filterNot(before).flatMap(blocks).filter(_.kind != BlockKind.Delete)
  }

  private def sql(path: String, text: String, partial: String = "true"): Any =
    withConf(s"spark.datasource.hudilite.$Option" -> partial)(spark.sql(text.replace("TT", s"hudilite.`$path` t")))

  /** The data columns of each block, `*` for all. */
  private def columns(of: Seq[LogBlock]): Set[String] = of.map { block =>
    val fields = new Schema.Parser().parse(block.schemaJson).getFields.asScala.map(_.name)
    assertEquals(fields.take(MetaFields.all.size).toSeq, MetaFields.all.toSeq)
    assertEquals(block.isPartial, fields.size < MetaFields.all.size + All)
    if (block.isPartial) fields.drop(MetaFields.all.size).mkString(",") else "*"
  }.toSet

  private val byOrder = tableOf(9, "COMMIT_TIME_ORDERING")

  private def source(v: String): String =
    s"(SELECT 'k0001' id, 'p1' p, 10L ts, '$v' v UNION ALL SELECT 'k0002', 'p0', 3L, '$v') s"

  test("an UPDATE and a MERGE write the columns that they set") {
    for ((statement, expected) <- Seq(
        "UPDATE TT SET v = 'u' WHERE id < 'k0003'" -> "v",
        "UPDATE TT SET s.x = 2, ts = ts WHERE id < 'k0003'" -> "s",
        s"MERGE INTO TT USING ${source("m")} ON t.id = s.id AND t.p = s.p WHEN MATCHED THEN UPDATE SET v = s.v, " +
          "ts = s.ts, id = s.id" -> "ts,v",
        s"MERGE INTO TT USING ${source("m")} ON t.id = s.id WHEN MATCHED AND t.id = 'k0001' THEN UPDATE SET v = s.v " +
          "WHEN MATCHED THEN UPDATE SET price = 2 WHEN NOT MATCHED BY SOURCE AND t.id = 'k0003' THEN UPDATE SET w = ''" ->
          "v,price,w",
        "UPDATE TT SET v = v WHERE id < 'k0003'" -> "*",
        "UPDATE TT SET id = id, p = concat(p, ''), ts = 1, v = 'a', price = 1, s = s, w = 'w' WHERE id = 'k0001'" ->
          "*"))
      assertEquals(columns(blocksOf(byOrder, sql(byOrder, statement))), Set(expected), statement)
    assertEquals(read(byOrder).where("id < 'k0004'").selectExpr("id", "ts", "v", "price", "s.x", "length(w)").orderBy(
        "id")
        .collect().map(_.toSeq.mkString(" ")).toSeq,
      Seq("k0000 10 u 1.5 2 80", "k0001 1 a 1.0 2 1", "k0002 3 m 2.0 2 80", "k0003 10 old 1.5 1 0"))
  }

  test("a value that an outer join gives is set, also where nothing matches") {
    val path = tableOf(9, "COMMIT_TIME_ORDERING")
    val statement = "UPDATE TT SET price = 1, v = (SELECT max(x.v) FROM VALUES ('none') x(v) WHERE x.v = t.v) " +
      "WHERE id < 'k0003'"
    assertEquals(columns(blocksOf(path, sql(path, statement))), Set("v,price"))
    assertEquals(read(path).where("v IS NULL").count(), 3L)
  }

  test("a MERGE by key writes the columns that it sets where files hold no partition columns") {
    val path = tableOf(9, "COMMIT_TIME_ORDERING", "hoodie.datasource.write.drop.partition.columns" -> "true")
    val merge = s"MERGE INTO TT USING ${source("m")} ON t.id = s.id AND t.p = s.p WHEN MATCHED THEN UPDATE SET v = s.v"
    assertEquals(columns(blocksOf(path, sql(path, merge))), Set("v"))
    assertEquals(read(path).where("v = 'm'").selectExpr("id", "p", "w").orderBy("id").collect().map(_.get(0)).toSeq,
      Seq[Any]("k0001", "k0002"))
  }

  test("a block of some columns is smaller, by the columns that it has not, and says which rows it replaces") {
    val update = "UPDATE TT SET v = 'same' WHERE id > 'k0010'"
    val some = blocksOf(byOrder, sql(byOrder, update))
    val whole = blocksOf(byOrder, sql(byOrder, update, "false"))
    assertEquals(columns(whole), Set("*"))
    assertEquals(some.size, whole.size)
    assert(some.map(_.contentLength).sum < whole.map(_.contentLength).sum * 2 / 3)
    assert((some ++ whole).forall(_.positionsBase.isDefined))
    val stats = lastCommit(byOrder).allStats
    assertEquals((stats.map(_.numWrites).sum, stats.map(_.numUpdateWrites).sum), (9L, 9L))
  }

  test("tables of another kind, and statements that leave other columns to chance, write whole rows") {
    val update = "UPDATE TT SET v = 'u' WHERE id < 'k0003'"
    val upsert =
      s"MERGE INTO TT USING ${source("m")} ON t.id = s.id AND t.p = s.p WHEN MATCHED THEN UPDATE SET v = s.v " +
        "WHEN NOT MATCHED THEN INSERT (id, p, ts, v) VALUES (s.id, s.p, s.ts, s.v)"
    val buckets = Seq("hoodie.index.type" -> "BUCKET", "hoodie.bucket.index.num.buckets" -> "2")
    val byCommit = "COMMIT_TIME_ORDERING"
    def of(path: String, statement: String) = columns(blocksOf(path, sql(path, statement)))
    assertEquals(of(tableOf(6, byCommit), update), Set("*"))
    assertEquals(of(tableOf(8, byCommit), update), Set("*"))
    assertEquals(of(tableOf(8, "EVENT_TIME_ORDERING"), update), Set("ts,v"))
    val bucketed = tableOf(9, byCommit, buckets: _*)
    assertEquals(of(bucketed, upsert), Set("*"))
    assertEquals(of(bucketed, update), Set("v"))
    val gaps = tableOf(9, byCommit,
      "hoodie.datasource.write.payload.class" ->
        "org.apache.hudi.common.model.OverwriteNonDefaultsWithLatestAvroPayload")
    assertEquals(of(gaps, update), Set("*"))
    val copied = tableOf(9, byCommit, "hoodie.datasource.write.table.type" -> "COPY_ON_WRITE")
    assertEquals(of(copied, update), Set.empty[String])
    assertEquals(versions(copied), Map("old" -> 17L, "u" -> 3L))
  }

  test("without the option, with it off and in tables by name that say so: each as it says") {
    val update = "UPDATE TT SET v = 'named' WHERE id = 'k0004'"
    assertEquals(columns(blocksOf(byOrder, spark.sql(update.replace("TT", s"hudilite.`$byOrder` t")))), Set("*"))
    assertEquals(columns(blocksOf(byOrder, sql(byOrder, update, "false"))), Set("*"))
    withConf(Option -> "true")(
      assertEquals(columns(blocksOf(byOrder, spark.sql(update.replace("TT", s"hudilite.`$byOrder` t")))), Set("v")))
  }

  test("by ordering values: they are written along, and what comes late gives the columns that were left out") {
    def rowsOf(path: String) = read(path).where("id in ('k0004', 'k0005')").selectExpr("id", "p", "ts", "v", "price")
      .orderBy("id").collect().map(_.toSeq.mkString(" ")).toSeq
    for ((partial, late) <- Seq("true" -> "k0004 p0 10 u 9.0", "false" -> "k0004 p0 10 u 1.5")) {
      val timed = tableOf(9, "EVENT_TIME_ORDERING")
      val written = blocksOf(timed, sql(timed, "UPDATE TT SET v = 'u' WHERE id < 'k0005'", partial))
      assertEquals(columns(written), Set(if (partial == "true") "ts,v" else "*"))
      // A row that moves takes all of its columns along.
      sql(timed, "UPDATE TT SET p = 'p9', v = 'moved' WHERE id = 'k0005'", partial)
      assertEquals(rowsOf(timed), Seq("k0004 p0 10 u 1.5", "k0005 p9 10 moved 1.5"))
      write(read(timed).where("id = 'k0004'").selectExpr("id", "p", "3L ts", "'late' v", "9D price", "s", "w"), timed,
        "upsert")
      assertEquals(rowsOf(timed), Seq(late, "k0005 p9 10 moved 1.5"))
    }
  }

  test("a MERGE that updates rows by some columns puts rows back with all of theirs") {
    write(rows(7 until 8, 0, "x").select("id", "p"), byOrder, "delete")
    val both = blocksOf(byOrder,
      sql(byOrder,
        "MERGE INTO TT USING (SELECT concat('k000', id) id, 'p1' p, 20L ts, 'back' v, 'short' w FROM range(7, 10, 2)) s " +
          "ON t.id = s.id AND t.p = s.p WHEN MATCHED THEN UPDATE SET v = s.v " +
          "WHEN NOT MATCHED THEN INSERT (id, p, ts, v, w) VALUES (s.id, s.p, s.ts, s.v, s.w)"))
    assertEquals(columns(both), Set("*", "v"))
    assert(both.forall(_.positionsBase.isDefined))
    assertEquals(read(byOrder).where("v = 'back'").selectExpr("id", "ts", "price", "length(w)").orderBy("id")
        .collect().map(_.toString).toSeq, Seq("[k0007,20,null,5]", "[k0009,10,1.5,80]"))
  }
}

private object UpdatedColumnsSuite {

  val Option = "hoodie.spark.sql.merge.into.partial.updates"

  /** Data columns of the tables. */
  val All = 7
}
