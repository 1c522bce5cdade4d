package io.hudilite.spark.plan.layout

import io.hudilite.spark.plan.ManyPartitions

import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.execution.SparkPlan
import org.apache.spark.sql.execution.datasources.v2.AppendDataExec
import org.apache.spark.sql.execution.exchange.ShuffleExchangeExec
import org.apache.spark.sql.execution.hudilite.SharedRowsExec

/** Inserts of what a query leaves of a large table: they are laid out by the size of what it leaves. */
final class SelectedInsertsSuite extends ManyPartitions {

  private val big = 40000

  /** 40,000 rows in one partition and two in each of 59 others. */
  private lazy val source: String = {
    val path = created(Many)
    val many =
      spark.range(big).selectExpr("concat('big', lpad(id, 6, '0')) id", "'p00' p", "1L ts", "md5(string(id)) v")
    save(many.coalesce(1), path, "bulk_insert")
    path
  }

  /** A new file takes some 8,000 rows, by what is asked: the large partition fills several. */
  private val sizes = Map("hoodie.parquet.max.file.size" -> "2000000", "hoodie.parquet.small.file.limit" -> "1500000",
    "hoodie.record.size.estimation.threshold" -> "1000000", "hoodie.copyonwrite.record.size.estimate" -> "250")

  private def selected(path: String, partition: String): DataFrame =
    read(path).where(s"p = '$partition'").selectExpr("concat('new', id) id", "p", "ts", "v")

  /** How often rows are counted, and how many tasks write them: the last exchange deals them, if there is one. */
  private def layout(nodes: Seq[SparkPlan]): (Int, Int) =
    (nodes.count(_.isInstanceOf[SharedRowsExec]),
      nodes.collectFirst { case s: ShuffleExchangeExec => s.outputPartitioning.numPartitions }.getOrElse(1))

  test("two rows of a large table get few tasks, and are not counted") {
    val target = created(1)
    def insert(partition: String): (Int, Int) =
      layout(executed(save(selected(source, partition), target, "insert", sizes), _.isInstanceOf[AppendDataExec]))
    val (counted, tasks) = insert("p17")
    assertEquals(counted, 0)
    assert(tasks <= 2, s"$tasks tasks for two rows")
    val (_, tasksOfMany) = insert("p00")
    assert(tasksOfMany > tasks, s"$tasksOfMany tasks for $big rows, $tasks for two")
    assertEquals(read(target).where("id LIKE 'new%'").count(), big + 4L)
  }

  test("what is selected from a table is sized by its partition alone: no other is listed") {
    val target = created(1)
    val rows = read(target).count()
    assertEquals(listed(source)(path => save(selected(path, "p17"), target, "insert")), Set("p17"))
    val view = listed(source) { path =>
      read(path).createOrReplaceTempView("selected_source")
      spark.sql(
        s"INSERT INTO hudilite.`$target` SELECT concat('sql', id), p, ts, v FROM selected_source WHERE p = 'p18'")
    }
    assertEquals(view, Set("p18"))
    assertEquals(read(target).count(), rows + 4)
  }

  test("an insert of what common table expressions, subqueries, joins and aggregates leave") {
    read(source).createOrReplaceTempView("selected_cte")
    val target = created(1)
    val into = s"INSERT INTO hudilite.`$target`"
    val statements = Seq(
      s"WITH s AS (SELECT * FROM selected_cte WHERE p = 'p17') $into SELECT concat('a', id), p, ts, v FROM s",
      s"$into WITH s AS (SELECT * FROM selected_cte WHERE p = 'p17') SELECT concat('b', l.id), l.p, l.ts, l.v " +
        "FROM s l JOIN s r ON l.id = r.id",
      s"$into SELECT concat('c', id), p, ts, v FROM selected_cte " +
        "WHERE p = 'p17' AND id IN (SELECT max(id) FROM selected_cte WHERE p = 'p17' GROUP BY id)",
      s"$into SELECT concat('d', max(id)), p, max(ts), 'new' FROM selected_cte WHERE p IN ('p17', 'p18') GROUP BY p")
    statements.foreach(spark.sql(_))
    val found = read(target).selectExpr("substring(id, 1, 1) s").where("s <> 'p'").groupBy("s").count().collect()
    assertEquals(found.map(r => r.getString(0) -> r.getLong(1)).toMap, Map("a" -> 2L, "b" -> 2L, "c" -> 2L, "d" -> 2L))
  }
}
