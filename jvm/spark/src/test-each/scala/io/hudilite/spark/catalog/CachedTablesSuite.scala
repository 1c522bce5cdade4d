package io.hudilite.spark.catalog

import io.hudilite.spark.read.PlanProbe

import org.apache.spark.sql.{DataFrame, SaveMode}
import org.apache.spark.sql.execution.columnar.InMemoryTableScanExec
import org.apache.spark.storage.StorageLevel

/** Cached rows of a table show each change that this application makes, by any name of the table. */
class CachedTablesSuite extends NamedSession {

  override protected val database: String = "cached"

  private def place(name: String): String = s"$home/$name"

  private def create(name: String): String = {
    sql(
      s"CREATE TABLE $name (id INT, n INT, day STRING) USING hudilite PARTITIONED BY (day) LOCATION '${place(name)}' " +
        "TBLPROPERTIES (primaryKey = 'id', 'hoodie.clean.automatic' = 'false')")
    sql(s"INSERT INTO $name VALUES (1, 1, 'mon'), (2, 2, 'tue')")
    place(name)
  }

  private def save(name: String, rows: String, mode: SaveMode = SaveMode.Append): Unit =
    spark.sql(s"SELECT * FROM VALUES $rows AS t(id, day, n)").write.format("hudilite").mode(mode).save(place(name))

  private def isCached(frame: DataFrame): Boolean =
    PlanProbe.nodes(frame.queryExecution.executedPlan).exists(_.isInstanceOf[InMemoryTableScanExec])

  /** Each change, by the sum of `n` that it leaves. */
  private def changes(name: String): Seq[(Long, String, () => Any)] = {
    def statement(text: String): () => Any = () => sql(text)
    val (path, qualified) = (s"hudilite.`${place(name)}`", s"hudilite.$database.$name")
    Seq(
      (7L, "a statement by name", statement(s"INSERT INTO $name VALUES (4, 4, 'mon')")),
      (17L, "a statement by path", statement(s"UPDATE $path SET n = 12 WHERE id = 2")),
      (16L, "a statement by the catalog's name", statement(s"DELETE FROM $qualified WHERE id = 1")),
      (26L, "a save to the path", () => save(name, "(4, 'mon', 14)")),
      (16L, "a rollback", statement(s"CALL hudilite.system.rollback_to_instant(table => '$database.$name')")),
      (4L, "a dropped partition",
        statement(s"CALL hudilite.system.drop_partition(path => '${place(name)}', partition => 'tue')")),
      (9L, "a save that overwrites", () => save(name, "(9, 'wed', 9)", SaveMode.Overwrite)),
      (13L, "a row that is inserted", statement(s"INSERT INTO $qualified VALUES (8, 4, 'thu')")),
      (4L, "a partition that a statement drops", statement(s"ALTER TABLE $qualified DROP PARTITION (day = 'wed')")),
      (4L, "a column more", statement(s"ALTER TABLE $path ADD COLUMN more INT")),
      (9L, "a value of that column", statement(s"INSERT INTO $path VALUES (7, 5, 9, 'fri')")))
  }

  private def sum(frame: => DataFrame): Long = frame.selectExpr("coalesce(sum(n), 0L)").head().getLong(0)

  test("a name that CACHE TABLE has cached shows each change, and goes on being served from the cache") {
    create("named")
    sql("CACHE TABLE named")
    changes("named").foreach { case (expected, what, change) =>
      change()
      assertEquals(sum(spark.table("named")), expected, what)
      assert(isCached(spark.table("named").groupBy().sum("n")), what)
    }
    assertEquals(spark.table("named").where("more = 9").count(), 1L)
    sql("UNCACHE TABLE named")
    assert(spark.sharedState.cacheManager.isEmpty)
  }

  test("a DataFrame that is cached does not hide what has changed from those who read the table after it") {
    val path = create("framed")
    val byPath = spark.read.format("hudilite").load(path).cache()
    val byName = spark.table(s"hudilite.`$path`").cache()
    assertEquals(Seq(sum(byPath), sum(byName)), Seq(3L, 3L))
    changes("framed").foreach { case (expected, what, change) =>
      change()
      assertEquals(sum(spark.read.format("hudilite").load(path)), expected, what)
      assertEquals(sum(spark.table(s"hudilite.`$path`")), expected, what)
      assertEquals(sum(spark.table("framed")), expected, what)
    }
    spark.catalog.clearCache()
  }

  test("what a table tells of itself, a level of storage, and tables beside it") {
    val path = create("told")
    create("beside")
    spark.catalog.cacheTable("beside", StorageLevel.DISK_ONLY)
    sql("CACHE TABLE beside_cached AS SELECT * FROM beside")
    sql(s"CACHE TABLE writes AS SELECT * FROM hudilite.`$path`.history")
    save("told", "(5, 'wed', 5)")
    assertEquals(spark.table(s"hudilite.`$path`.history").count(), 2L)
    assert(isCached(spark.table("beside").groupBy().sum("n")))
    save("beside", "(5, 'wed', 5)")
    assertEquals(sum(spark.table("beside")), 8L)
    assertEquals(spark.table("beside").storageLevel, StorageLevel.DISK_ONLY)
    spark.catalog.clearCache()
  }
}
