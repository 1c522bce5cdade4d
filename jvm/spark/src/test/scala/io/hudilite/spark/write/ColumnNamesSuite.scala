package io.hudilite.spark.write

import io.hudilite.record.MetaFields
import io.hudilite.spark.{Interpreted, Raised, SharedSession}
import io.hudilite.storage.HadoopStorage
import io.hudilite.table.Table

import java.nio.file.{Files, Paths}

import org.apache.hadoop.conf.Configuration

import munit.FunSuite

import scala.concurrent.duration.{Duration, DurationInt}

/** Columns with names that mean something to somebody else, that Hudi accepts, or that differ by case only. */
class ColumnNamesSuite extends FunSuite with Interpreted {

  override def munitTimeout: Duration = 5.minutes

  private val spark = SharedSession.spark
  private val storage = new HadoopStorage(new Configuration())

  private def newPath(): String = Files.createTempDirectory("hudilite-columns").resolve("t").toString

  private def write(sql: String, path: String, operation: String, more: (String, String)*): Unit =
    spark.sql(sql).write.format("hudilite").option("hoodie.datasource.write.recordkey.field", "id")
      .option("hoodie.datasource.write.operation", operation).options(more.toMap).mode("append").save(path)

  private def rows(path: String): Seq[String] =
    spark.read.format("hudilite").load(path).orderBy("id").collect().map(_.mkString("|")).toSeq

  private val mergeOnRead = "hoodie.datasource.write.table.type" -> "MERGE_ON_READ"

  // Apache Hudi 1.2 writes and reads all of these but `_tmp_metadata_row_index`, which it writes and cannot read.
  private val usual = Seq("_file_id", "_row_position", "_ROW_id", "größe", "日本", "_metadata", "_hoodie_x", "_x",
    "file_id", "_hoodie_is_deleted_x", "__metadata_col", "__hudilite_key", "x1_", "key", "partition", "slot")

  private def columns(value: String): String = usual.map(name => s"$value `$name`").mkString(", ")

  for (settings <- Seq(Nil, Seq(mergeOnRead)))
    test(s"columns of such names are like any others${if (settings.isEmpty) "" else ", with log files"}") {
      def row(id: Int, value: String): String = s"$id|${usual.map(_ => value).mkString("|")}|0"
      val path = newPath()
      write(s"SELECT id, ${columns("concat('v', id)")}, 0 n FROM range(4)", path, "insert", settings: _*)
      write(s"SELECT id, ${columns("'new'")}, 0 n FROM range(1, 3)", path, "upsert", settings: _*)
      assertEquals(rows(path), Seq(row(0, "v0"), row(1, "new"), row(2, "new"), row(3, "v3")))
      spark.sql(s"UPDATE hudilite.`$path` SET ${usual.map(name => s"`$name` = 'set'").mkString(", ")} WHERE " +
        usual.map(name => s"`$name` = 'v3'").mkString(" AND "))
      spark.sql(s"MERGE INTO hudilite.`$path` t USING (SELECT 0L id, ${columns("'merged'")}, 0 n) s ON t.id = s.id " +
        "WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *")
      spark.sql(s"DELETE FROM hudilite.`$path` WHERE id = 1 AND " +
        usual.map(name => s"`$name` = 'new'").mkString(" AND "))
      assertEquals(rows(path), Seq(row(0, "merged"), row(2, "new"), row(3, "set")))
      val table = spark.read.format("hudilite").load(path)
      usual.foreach(name =>
        assertEquals(table.where(s"`$name` = 'set'").select("id", name).collect().map(_.mkString("|")).toSeq,
          Seq("3|set"), name))
    }

  private val reserved = Seq("_tmp_metadata_row_index", "_TMP_metadata_row_index", "_hudilite_file_id",
    "_hudilite_row_position", "_HUDILITE_key", "_hudilite_", "__row_operation", "__row_id", "__row_from_source",
    "__original_row_id_id", "_hoodie_operation", "_HOODIE_COMMIT_TIME", "a b", "a.b", "a-b", "1a", "$a")

  test(
    "a name that a reader or a plan takes for its own, or that Avro has not, is refused at the first write and later") {
    val path = newPath()
    write("SELECT 1 id, 'v' v", path, "insert")
    reserved.foreach { name =>
      val errors = Seq(newPath(), path).map(p => Raised.by(write(s"SELECT 1 id, 'v' v, 2 `$name`", p, "upsert")))
      errors.foreach { e =>
        assertEquals(e.condition, "INVALID_COLUMN_NAME", name)
        assertEquals(e.parameters("column"), name)
      }
    }
    assertEquals(rows(path), Seq("1|v"))
  }

  test("a new table names its key, partition and ordering columns in just their letters") {
    val columns = "SELECT 1 id, 2 ts, 'x' p, named_struct('a', 1) s"
    for {
      (option, name) <- Seq("recordkey" -> "ID", "recordkey" -> "id,TS", "recordkey" -> "S.a", "recordkey" -> "s.A",
        "partitionpath" -> "P", "precombine" -> "Ts")
    } {
      val (path, last) = (newPath(), name.split(',').last)
      def save(): Unit = write(columns, path, "insert", s"hoodie.datasource.write.$option.field" -> name)
      SharedSession.withConf("spark.sql.caseSensitive" -> "true") {
        val e = Raised.by(save())
        assertEquals(e.condition -> e.parameters("column"), "MISSING_COLUMN" -> last, s"$option $name")
        assert(!Files.exists(Paths.get(path)))
      }
      SharedSession.withConf("spark.sql.caseSensitive" -> "false")(save())
      val config = Table.open(storage, path).config
      val named = config.recordKeyFields ++ config.partitionFields ++ config.orderingFields
      assert(named.contains(last.toLowerCase) && !named.contains(last), s"$option $name: $named")
    }
  }

  test("within a struct only Avro's rule counts") {
    val path = newPath()
    write("SELECT 1 id, named_struct('_hudilite_file_id', 2, 'größe', 3, '__row_id', 4) s", path, "insert")
    assertEquals(rows(path), Seq("1|[2,3,4]"))
    assertEquals(Raised.by(write("SELECT 1 id, named_struct('a b', 2) s", newPath(), "insert")).parameters("column"),
      "s.a b")
  }

  for (caseSensitive <- Seq("true", "false"))
    test(s"names that differ by case only are refused, with spark.sql.caseSensitive=$caseSensitive") {
      SharedSession.withConf("spark.sql.caseSensitive" -> caseSensitive) {
        val twice = spark.range(1).toDF("id").selectExpr("id", "'x' a")
        val frame = twice.selectExpr("*", "'y' A")
        def save(path: String, operation: String): Unit =
          frame.write.format("hudilite").option("hoodie.datasource.write.recordkey.field", "id")
            .option("hoodie.datasource.write.operation", operation).mode("append").save(path)
        Seq("insert", "upsert", "bulk_insert").foreach { operation =>
          val error = Raised.by(save(newPath(), operation))
          assertEquals((error.condition, error.parameters("column")), ("INVALID_COLUMN_NAME", "A"))
        }
        val path = newPath()
        write("SELECT 0L id, 'x' a", path, "insert")
        assertEquals(Raised.by(save(path, "upsert")).condition, "INVALID_COLUMN_NAME")
        val nested = "SELECT 1L id, 'x' a, named_struct('b', 1, 'B', 2) s"
        assertEquals(Raised.by(write(nested, newPath(), "insert")).parameters("column"), "s.B")
        assertEquals(rows(path), Seq("0|x"))
      }
    }

  test("another spelling of a column is that column, or a second one that is refused") {
    val path = newPath()
    write("SELECT 0L id, 'x' a", path, "insert")
    write("SELECT 0L id, 'y' A", path, "upsert")
    assertEquals(rows(path), Seq("0|y"))
    SharedSession.withConf("spark.sql.caseSensitive" -> "true") {
      assertEquals(Raised.by(write("SELECT 0L id, 'z' a, 1 A", path, "upsert")).condition, "INVALID_COLUMN_NAME")
    }
    assertEquals(rows(path), Seq("0|y"))
  }

  test("a table of another engine with such columns is refused by name, before any row of it is read") {
    val names = Seq("_hudilite_file_id", "_tmp_metadata_row_index", "ID", "_Hoodie_Record_Key")
    for (name <- names; caseSensitive <- Seq("true", "false")) {
      val path = newPath()
      write("SELECT 0L id, 'x' other", path, "insert")
      rename(path, "other", name)
      SharedSession.withConf("spark.sql.caseSensitive" -> caseSensitive) {
        val error = Raised.by(rows(path))
        assertEquals((error.condition, error.parameters("column")), ("UNSUPPORTED_SCHEMA", name))
      }
    }
  }

  /** Renames a column in the schema that the one commit of a table recorded. */
  private def rename(path: String, from: String, to: String): Unit = {
    val base = Paths.get(path)
    val table = io.hudilite.table.Table.open(storage, path)
    val instant = table.timeline.writes.head
    val metadata = table.store.readCommit(instant)
    val schema = metadata.schema.get.replace(s""""$from"""", s""""$to"""")
    val file = base.resolve(".hoodie/timeline").resolve(instant.fileName)
    Files.delete(file)
    Files.deleteIfExists(file.resolveSibling(s".${file.getFileName}.crc"))
    table.store.complete(instant.time, instant.action,
      metadata.copy(extra = metadata.extra.updated("schema", schema)))
    ()
  }

  test("meta columns among the rows are made anew by a first write as by later ones") {
    val source = newPath()
    write("SELECT id, concat('v', id) v FROM range(3)", source, "insert")
    val withMeta = spark.read.format("hudilite").option("hoodie.datasource.read.meta.columns", "true").load(source)
    assertEquals(withMeta.columns.toSeq.take(5), MetaFields.all)
    for (operation <- Seq("insert", "upsert", "bulk_insert"); settings <- Seq(Nil, Seq(mergeOnRead))) {
      val path = newPath()
      def save(): Unit = withMeta.write.format("hudilite").option("hoodie.datasource.write.recordkey.field", "id")
        .option("hoodie.datasource.write.operation", operation).options(settings.toMap).mode("append").save(path)
      save()
      val copied = spark.read.format("hudilite").load(path)
      assertEquals(copied.columns.toSeq, Seq("id", "v"))
      val times = copied.select(MetaFields.CommitTime, MetaFields.FileName).distinct().collect().map(_.toString)
      val old = withMeta.select(MetaFields.CommitTime, MetaFields.FileName).distinct().collect().map(_.toString)
      assertEquals(times.toSet.intersect(old.toSet), Set.empty[String])
      if (operation == "upsert") {
        save()
        assertEquals(rows(path), Seq("0|v0", "1|v1", "2|v2"))
      }
    }
  }
}
