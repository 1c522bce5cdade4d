package io.hudilite.spark.write

import io.hudilite.spark.{Interpreted, SharedSession}
import io.hudilite.spark.procedure.{CompactionRun, ServiceCall}

import scala.util.Random

import org.apache.spark.sql.DataFrame

/** Rows that move between partitions in the order of event time, beside deletes, statements and compactions: afterwards the
  * table has the rows of a map by keys, and no partition has a new file group for a row that came too late.
  */
class MovesByEventTimeSuite extends MergeOnReadFixture with Interpreted {

  private val follows = Map(
    "GLOBAL_SIMPLE" -> Seq("hoodie.simple.index.update.partition.path" -> "true"),
    "GLOBAL_BLOOM" -> Seq("hoodie.bloom.index.update.partition.path" -> "true"),
    "RECORD_INDEX" ->
      Seq("hoodie.record.index.update.partition.path" -> "true", "hoodie.metadata.record.index.enable" -> "true"))

  private def frame(rows: Seq[Brought], values: String): DataFrame =
    spark.createDataFrame(rows).coalesce(1).selectExpr(Seq("concat('k', id) id", "concat('p', p) p") ++
        values.split(';') ++ Seq("v", "deletes AS _hoodie_is_deleted"): _*)

  private def groups(path: String): Map[String, Int] =
    table(path).allSlices().map { case (partition, slices) => partition -> slices.size }

  private def winner(rows: Seq[Brought]): Brought = rows.reduceLeft((best, row) => if (row.at >= best.at) row else best)

  private def batch(random: Random, round: Int): Seq[Brought] =
    Seq.fill(1 + random.nextInt(6))(Brought(random.nextInt(12), random.nextInt(4), random.nextInt(10), round,
        random.nextInt(6) == 0))

  private final class Lived(of: Life, seed: Int) {
    private val random = new Random(seed.toLong)
    private val path = newPath()
    private val facts =
      (options(of.version) ++ Map("hoodie.datasource.write.table.type" -> of.kind,
        "hoodie.datasource.write.precombine.field" -> of.ordering._1, "hoodie.index.type" -> of.index,
        "hoodie.compact.inline" -> "false")).toSeq ++ follows(of.index)
    private var model = Map.empty[Int, Brought]

    /** Rows so far that would have moved, had they won. */
    var late = 0

    def begin(): Unit = {
      model = (0 until 8).map(i => i -> Brought(i, i % 4, 3 + i % 3, 0, deletes = false)).toMap
      write(frame(model.values.toSeq, of.ordering._2), path, "upsert", facts: _*)
      check("the first write")
    }

    def round(n: Int): Unit = random.nextInt(10) match {
      case 0 => delete(batch(random, n), s"round $n")
      case 1 if of.kind == "MERGE_ON_READ" =>
        CompactionRun(ServiceCall(spark, path)).schedule()
        upsert(batch(random, n), s"round $n, behind a plan of a compaction")
      case 2 if of.kind == "MERGE_ON_READ" =>
        CompactionRun(ServiceCall(spark, path)).start().result()
        check(s"round $n: compaction")
      case 3 => update(n, Some(random.nextInt(4)))
      case 4 => update(n, None)
      case 5 => merge(batch(random, n).map(_.copy(deletes = false)).groupBy(_.id).map(_._2.head).toSeq, s"round $n")
      case _ => upsert(batch(random, n), s"round $n")
    }

    private def delete(rows: Seq[Brought], what: String): Unit = {
      write(frame(rows, of.ordering._2).select("id", "p"), path, "delete", facts: _*)
      model --= rows.map(_.id)
      check(s"$what: delete $rows")
    }

    /** @param p
      *   partition to which rows move
      */
    private def update(n: Int, p: Option[Int]): Unit = {
      val id = random.nextInt(12)
      val where = s"id >= 'k$id'"
      statement(s"UPDATE hudilite.`$path` SET v = $n${p.fold("")(to => s", p = 'p$to'")} WHERE $where")
      model = model.map { case (i, row) =>
        i -> (if (s"k$i" >= s"k$id") row.copy(p = p.getOrElse(row.p), v = n) else row)
      }
      check(s"round $n: UPDATE to $p where $where")
    }

    private def merge(rows: Seq[Brought], what: String): Unit = {
      frame(rows, of.ordering._2).createOrReplaceTempView("moves_by_time")
      statement(s"MERGE INTO hudilite.`$path` t USING moves_by_time s ON t.id = s.id " +
        "WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *")
      model = model ++ rows.filter(row => model.get(row.id).forall(row.at >= _.at)).map(row => row.id -> row)
      check(s"$what: MERGE of $rows")
    }

    private def statement(text: String): Unit =
      SharedSession.withConf(("hoodie.index.type" -> of.index) +: follows(of.index): _*) {
        spark.sql(text)
        ()
      }

    private def upsert(rows: Seq[Brought], what: String): Unit = {
      val before = groups(path)
      val many = random.nextInt(3) == 0
      val isFree = rows.map(_.id).distinct.size == rows.size && random.nextBoolean()
      val apart = if (isFree) Seq("hoodie.combine.before.upsert" -> "false") else Nil
      SharedSession.withConf("spark.hudilite.lookup.maxBroadcastKeys" -> (if (many) "0" else "1000000")) {
        write(frame(rows, of.ordering._2), path, "upsert", facts ++ apart: _*)
      }
      val newest = rows.groupBy(_.id).values.map(winner).toSeq
      late += newest.count(row => model.get(row.id).exists(old => row.at < old.at && row.p != old.p))
      val won = newest.filter(row => model.get(row.id).forall(row.at >= _.at))
      model = won.foldLeft(model)((now, row) => if (row.deletes) now - row.id else now + (row.id -> row))
      val where = s"$what: upsert $rows, many $many, $apart"
      check(where)
      val grown = groups(path).collect { case (p, count) if count > before.getOrElse(p, 0) => p }.toSet
      val arrived = won.filterNot(_.deletes).map(row => s"p${row.p}").toSet
      assert(grown.subsetOf(arrived), s"$of, seed $seed, $where: groups in $grown, rows arrive in $arrived")
    }

    private def check(what: String): Unit = {
      val found = read(path).selectExpr("id", "p", "_hoodie_partition_path", "v").collect().map(_.mkString(" ")).sorted
      val expected = model.values.map(row => s"k${row.id} p${row.p} p${row.p} ${row.v}").toSeq.sorted
      assertEquals(found.toSeq, expected, s"$of, seed $seed, $what")
    }
  }

  private val longs = "ts" -> "cast(at AS bigint) ts"
  private val texts = "rank" -> "concat('r', at) rank"
  private val pairs = "day,turn" -> "date_add(date'1969-12-30', int(at / 3)) day;at % 3 turn"

  for ((of, seed) <- Seq(
      Life("COPY_ON_WRITE", 6, "GLOBAL_SIMPLE", texts) -> 1,
      Life("MERGE_ON_READ", 6, "GLOBAL_BLOOM", longs) -> 2,
      Life("MERGE_ON_READ", 8, "RECORD_INDEX", texts) -> 3,
      Life("COPY_ON_WRITE", 9, "RECORD_INDEX", pairs) -> 4,
      Life("MERGE_ON_READ", 9, "GLOBAL_SIMPLE", pairs) -> 7))
    test(s"rows that move are those that win, $of") {
      val lived = new Lived(of, seed)
      lived.begin()
      (1 to 10).foreach(lived.round)
      assert(lived.late > 2, s"hardly a row came too late for a move: ${lived.late}")
    }
}

/** A row as a write brings it. */
private[write] final case class Brought(id: Int, p: Int, at: Int, v: Int, deletes: Boolean)

/** A kind of table.
  *
  * @param ordering
  *   the ordering fields, and columns for them that rise with `at`
  */
private[write] final case class Life(kind: String, version: Int, index: String, ordering: (String, String)) {
  override def toString: String = s"$kind, version $version, $index, ordered by ${ordering._1}"
}
