package io.hudilite.spark.plan

import io.hudilite.storage.CountingFileSystem

import java.nio.file.Files

import org.apache.spark.sql.{DataFrame, SaveMode}
import org.apache.spark.sql.functions.expr

/** Which partitions of many a write looks at that says itself which ones it is about, planned and run. */
final class ListedPartitionsSuite extends ManyPartitions {

  private def rowsOf(path: String): Map[String, Seq[String]] = read(path).select("p", "id", "v").collect()
    .map(r => (r.getString(0), s"${r.getString(1)} ${r.getString(2)}")).groupBy(_._1)
    .map { case (p, found) => p -> found.map(_._2).sorted.toSeq }

  private def old(p: Int): Seq[String] = (0 until 2).map(i => f"p$p%02d-$i%04d old")

  private val Old: Map[String, Seq[String]] = (0 until Many).map(p => f"p$p%02d" -> old(p)).toMap

  /** Runs a write on a table that the process does not know: it lists these partitions and no others, and leaves these
    * rows, none of a partition meaning that it is gone.
    */
  private def check(table: String, name: String, lists: Seq[Int], leaves: (String, Seq[String])*)(
      write: String => Unit): Unit = {
    var at = ""
    val found = listed(table) { path =>
      at = path
      write(path)
    }
    assertEquals(found, names(lists), name)
    assertEquals(rowsOf(at), (Old ++ leaves).filter(_._2.nonEmpty), name)
  }

  private def sql(statement: String)(path: String): Unit = {
    spark.sql(statement.replace("$T", s"hudilite.`$path`"))
    ()
  }

  private def source(rows: DataFrame): Unit = rows.createOrReplaceTempView("listed_source")

  for (kind <- kinds) {
    lazy val table = created(Many, Map("hoodie.datasource.write.table.type" -> kind))

    test(s"UPDATE and DELETE look at the partitions that their condition selects, $kind") {
      check(table, "DELETE", Seq(17), "p17" -> Nil)(sql("DELETE FROM $T WHERE p = 'p17'"))
      check(table, "DELETE of a row", Seq(17), "p17" -> old(17).take(1))(
        sql("DELETE FROM $T WHERE p = 'p17' AND id = 'p17-0001'"))
      check(table, "UPDATE of two", Seq(17, 40), "p17" -> Seq("p17-0000 new", "p17-0001 new"),
        "p40" -> Seq("p40-0000 new", "p40-0001 new"))(sql("UPDATE $T SET v = 'new' WHERE p IN ('p17', 'p40')"))
      check(table, "UPDATE of a range", Seq(58, 59), "p58" -> old(58), "p59" -> Seq("p59-0000 old", "p59-0001 new"))(
        sql("UPDATE $T SET v = 'new' WHERE p >= 'p58' AND id = 'p59-0001'"))
      source(changes(Seq(17), 0, 1, 2, "new"))
      check(table, "DELETE of what a query finds", Seq(17), "p17" -> old(17).drop(1))(
        sql("DELETE FROM $T WHERE p = 'p17' AND id IN (SELECT id FROM listed_source)"))
      check(table, "UPDATE that moves a row", Seq(17, 40), "p17" -> old(17).drop(1),
        "p40" -> ("p17-0000 old" +: old(40)))(sql("UPDATE $T SET p = 'p40' WHERE p = 'p17' AND id = 'p17-0000'"))
    }

    test(s"MERGE looks at the partitions that its condition or the rows of its source name, $kind") {
      source(changes(Seq(17, 40), 1, 2, 2, "new"))
      val all = "WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *"
      val both = Seq(17, 40).map(p => f"p$p%02d" -> Seq(f"p$p-0000 old", f"p$p-0001 new", f"p$p-0002 new"))
      check(table, "MERGE by key and partition", Seq(17, 40), both: _*)(
        sql(s"MERGE INTO $$T t USING listed_source s ON t.id = s.id AND t.p = s.p $all"))
      check(table, "MERGE into two partitions", Seq(17, 40), both: _*)(
        sql(s"MERGE INTO $$T t USING listed_source s ON t.id = s.id AND t.p IN ('p17', 'p40') $all"))
      source(changes(Seq(17), 1, 2, 2, "new"))
      check(table, "MERGE into one partition", Seq(17), both.take(1): _*)(
        sql(s"MERGE INTO $$T t USING listed_source s ON t.id = s.id AND t.p = 'p17' $all"))
      check(table, "MERGE by no key", Seq(17), "p17" -> Nil)(
        sql("MERGE INTO $T t USING (SELECT DISTINCT 'old' AS v FROM listed_source) s " +
          "ON t.v = s.v AND t.p = 'p17' WHEN MATCHED THEN DELETE"))
    }

    test(s"an overwrite looks at the partitions that it replaces, $kind") {
      val rows = changes(Seq(17), 5, 1, 2, "new")
      val replaced = "p17" -> Seq("p17-0005 new")
      def save(options: (String, String)*)(path: String): Unit =
        rows.write.format("hudilite").options(facts ++ options).mode(SaveMode.Overwrite).save(path)
      check(table, "replaceWhere", Seq(17), replaced)(save("replaceWhere" -> "p = 'p17'"))
      check(table, "replaceWhere of a range", Seq(17, 18), replaced, "p18" -> Nil)(
        save("replaceWhere" -> "p >= 'p17' AND p < 'p19'"))
      check(table, "dynamic", Seq(17), replaced)(save("partitionOverwriteMode" -> "dynamic"))
      check(table, "insert_overwrite", Seq(17), replaced)(
        this.save(rows, _, "insert_overwrite"))
      check(table, "overwrite(condition)", Seq(17), replaced)(path =>
        rows.writeTo(s"hudilite.`$path`").overwrite(expr("p = 'p17'")))
      source(rows)
      check(table, "INSERT OVERWRITE", Seq(17), replaced)(
        sql("INSERT OVERWRITE $T PARTITION (p = 'p17') SELECT id, ts, v FROM listed_source"))
    }

    test(s"what drops partitions looks at no others, $kind") {
      check(table, "delete_partition", Seq(17), "p17" -> Nil)(save(changes(Seq(17), 0, 1, 2, "new"), _,
          "delete_partition", Map("hoodie.datasource.write.partitions.to.delete" -> "p17")))
      check(table, "DROP PARTITION", Seq(17), "p17" -> Nil)(sql("ALTER TABLE $T DROP PARTITION (p = 'p17')"))
      check(table, "DROP PARTITION of two", Seq(17, 40), "p17" -> Nil, "p40" -> Nil)(
        sql("ALTER TABLE $T DROP PARTITION (p = 'p17'), PARTITION (p = 'p40')"))
      check(table, "TRUNCATE", Seq(17), "p17" -> Nil)(sql("TRUNCATE TABLE $T PARTITION (p = 'p17')"))
      check(table, "drop_partition", Seq(17), "p17" -> Nil)(path =>
        sql(s"CALL hudilite.system.drop_partition(path => '$path', partition => 'p17')")(path))
      check(table, "drop_partition of two", Seq(17, 40), "p17" -> Nil, "p40" -> Nil)(path =>
        sql(s"CALL hudilite.system.drop_partition(path => '$path', partition => 'p17,p40')")(path))
    }
  }

  test("numbers in folders that bear the column's name select partitions, too") {
    val path = Files.createTempDirectory("hudilite-listed").resolve("t").toString
    save(
      changes(0 until Many, 0, 1, 1, "old").selectExpr("id", "int(substring(p, 2)) p", "ts", "v").coalesce(1), path,
      "bulk_insert", Map("hoodie.datasource.write.hive_style_partitioning" -> "true"))
    def check(lists: Set[String], left: Long, statement: String): Unit = {
      val found = listed(path) { copy =>
        sql(statement)(copy)
        assertEquals(spark.read.format("hudilite").load(copy.stripPrefix(s"${CountingFileSystem.Scheme}:"))
            .where("v = 'old'").count(), left)
      }
      assertEquals(found, lists, statement)
    }
    check(Set("p=17"), Many - 1L, "DELETE FROM $T WHERE p = 17")
    check(Set("p=58", "p=59"), Many - 2L, "UPDATE $T SET v = 'new' WHERE p > 57")
    check(Set("p=17"), Many - 1L, "INSERT OVERWRITE $T PARTITION (p = 17) SELECT 'x' id, 2L ts, 'new' v")
  }
}
