package io.hudilite.spark.write

import io.hudilite.filegroup.FileNames
import io.hudilite.metadata.{MetadataPartition, MetadataPayload, MetadataRecord}
import io.hudilite.metadata.stored.MetadataTable
import io.hudilite.record.KeyChange
import io.hudilite.spark.SharedSession
import io.hudilite.spark.plan.WriteLoopExec
import io.hudilite.storage.HadoopStorage
import io.hudilite.table.Table
import io.hudilite.upkeep.ToldKeys

import java.nio.file.{Files, Path}

import munit.FunSuite
import org.apache.spark.sql.{DataFrame, SaveMode}
import org.apache.spark.sql.execution.QueryExecution
import org.apache.spark.sql.hudilite.Listeners
import org.apache.spark.sql.util.QueryExecutionListener

import scala.collection.JavaConverters._

/** Record keys that the tasks of each kind of write tell: those that come to file groups, and those that leave. */
class KeyTellingSuite extends FunSuite {

  private val spark = SharedSession.spark

  override def munitTimeout: scala.concurrent.duration.Duration = scala.concurrent.duration.Duration(10, "min")

  private object told extends QueryExecutionListener {
    @volatile var parts: Seq[ToldKeys] = Nil
    @volatile var asked: Option[Boolean] = None
    override def onSuccess(name: String, query: QueryExecution, ns: Long): Unit = query.executedPlan.foreach {
      case loop: WriteLoopExec =>
        asked = Some(loop.write.attempt.told.isDefined)
        parts = parts ++ loop.write.attempt.told
      case _ =>
    }
    override def onFailure(name: String, query: QueryExecution, error: Exception): Unit = ()
  }

  override def beforeAll(): Unit = spark.listenerManager.register(told)

  override def afterAll(): Unit = spark.listenerManager.unregister(told)

  private val folder: FunFixture[String] = FunFixture[String](
    setup = _ => Files.createTempDirectory("hudilite-told").toString,
    teardown = base =>
      Files.walk(Path.of(base)).sorted(java.util.Comparator.reverseOrder[Path]).iterator.asScala
        .foreach(Files.delete))

  private def storage = new HadoopStorage(spark.sparkContext.hadoopConfiguration)

  /** Places that the table's record index has. */
  private def indexed(path: String): Map[String, (String, String)] = {
    val table = Table.open(storage, path)
    new MetadataTable(table.store, table.timeline).records(MetadataPartition.RecordIndex).collect {
      case MetadataRecord(key, place: MetadataPayload.Place) => key -> (place.partition -> place.fileId)
    }.toMap
  }

  /** Changes of keys that the tasks of `write` tell. */
  private def during(path: String)(write: => Unit): Seq[KeyChange] = {
    Listeners.settle(spark.sparkContext)
    told.parts = Nil
    told.asked = None
    write
    Listeners.settle(spark.sparkContext)
    assertEquals(told.asked, Some(true))
    assertEquals(indexed(path), places(path))
    for (part <- told.parts; source <- part.parts; change <- source.changes(storage)) yield change
  }

  private def rows(selected: String): DataFrame = spark.sql(s"SELECT $selected")

  private val indexes =
    Seq("hoodie.metadata.enable" -> "true", "hoodie.metadata.global.record.level.index.enable" -> "true")

  private val ofKeys = Map("hoodie.datasource.write.recordkey.field" -> "id") ++ indexes

  private def save(path: String, frame: DataFrame, options: (String, String)*): Unit =
    frame.write.format("hudilite").options(ofKeys ++ options).mode(SaveMode.Append).save(path)

  private def op(name: String) = "hoodie.datasource.write.operation" -> name

  private def in(path: String): String = s"hudilite.`$path`"

  private def sql(text: String): Unit = {
    spark.sql(text).collect()
    ()
  }

  /** Partition and file group of each row's key. */
  private def places(path: String): Map[String, (String, String)] =
    spark.read.format("hudilite").option("hoodie.metadata.enable", "false").load(path)
      .selectExpr("_hoodie_record_key", "_hoodie_partition_path", "_metadata.file_name").collect().map { row =>
        val file = FileNames.parseBaseFile(row.getString(2)).map(_.fileId)
          .orElse(FileNames.parseLogFile(row.getString(2)).map(_.fileId)).get
        row.getString(0) -> (row.getString(1) -> file)
      }.toMap

  private def come(path: String, keys: String*): Set[KeyChange] = {
    val at = places(path)
    keys.map(key => KeyChange(key, at(key)._1, Some(at(key)._2))).toSet
  }

  private def left(partition: String, keys: String*): Set[KeyChange] = keys.map(KeyChange(_, partition, None)).toSet

  private def sameAs(told: Seq[KeyChange], expected: Set[KeyChange])(implicit loc: munit.Location): Unit = {
    assertEquals(told.map(_.copy(from = None)).toSet, expected)
    assert(told.forall(change => change.fileId.isDefined != change.from.isDefined), told)
    assertEquals(told.size, expected.size, told.toString)
  }

  private def table(path: String, kind: String, columns: String = "id STRING, v INT, ts INT, p STRING",
      properties: String = "primaryKey = 'id', orderingFields = 'ts'", partitioned: String = "p"): Unit =
    sql(s"CREATE TABLE ${in(path)} ($columns) ${if (partitioned.isEmpty) "" else s"PARTITIONED BY ($partitioned)"} " +
      s"TBLPROPERTIES ($properties, type = '$kind')")

  private def some(n: Int, from: Int = 0, ts: Int = 1): DataFrame = spark.range(from.toLong, from.toLong + n)
    .selectExpr("concat('k', id) id", s"cast(id AS INT) v", s"$ts ts", "concat('p', id % 2) p")

  private def keys(n: Int, from: Int = 0): Seq[String] = (from until from + n).map(i => s"k$i")

  for (kind <- Seq("cow", "mor")) {

    folder.test(s"$kind: new rows tell their places, whichever files they go to, and updates nothing") { path =>
      table(path, kind)
      sameAs(during(path)(save(path, some(10), op("bulk_insert"))), come(path, keys(10): _*))
      sameAs(during(path)(save(path, some(6, from = 10), op("insert"))), come(path, keys(6, from = 10): _*))
      sameAs(during(path)(save(path, some(20, ts = 2))), come(path, keys(4, from = 16): _*))
      sameAs(during(path)(save(path, some(20, ts = 3))), Set.empty)
      sameAs(during(path)(sql(s"UPDATE ${in(path)} SET v = v + 1 WHERE id < 'k15'")), Set.empty)
      assertEquals(places(path).keySet, keys(20).toSet)
    }

    folder.test(s"$kind: deletes of each kind tell what they take, and late ones nothing") { path =>
      table(path, kind)
      save(path, some(20, ts = 5))
      def marked(ts: Int, keys: String*) =
        spark.createDataset(keys)(org.apache.spark.sql.Encoders.STRING)
          .selectExpr("value id", "0 v", s"$ts ts", "concat('p', cast(substr(value, 2) AS INT) % 2) p",
            "true _hoodie_is_deleted")
      sameAs(during(path)(sql(s"DELETE FROM ${in(path)} WHERE id IN ('k0', 'k1', 'none')")),
        left("p=p0", "k0") ++ left("p=p1", "k1"))
      sameAs(during(path)(save(path, marked(9, "k2", "k100"))), left("p=p0", "k2"))
      sameAs(during(path)(save(path, marked(4, "k3"))), Set.empty)
      sameAs(during(path)(save(path, marked(5, "k3"))), left("p=p1", "k3"))
      sameAs(during(path)(save(path, some(1, from = 4, ts = 1), op("delete"))), left("p=p0", "k4"))
      sameAs(during(path)(save(path, some(4, ts = 20).selectExpr("*", "false _hoodie_is_deleted"))),
        come(path, "k0", "k1", "k2", "k3"))
      assertEquals(places(path).keySet, keys(20).toSet - "k4")
    }

    folder.test(s"$kind: MERGE tells inserts and deletes of one statement, and rows that move leave and come") { path =>
      table(path, kind)
      save(path, some(6))
      some(9, ts = 2).createOrReplaceTempView("told_source")
      sameAs(
        during(path)(sql(s"MERGE INTO ${in(path)} t USING told_source s ON t.id = s.id AND t.p = s.p " +
            "WHEN MATCHED AND s.id = 'k1' THEN DELETE WHEN MATCHED AND s.id = 'k2' THEN UPDATE SET v = 7 " +
            "WHEN NOT MATCHED AND s.id <> 'k8' THEN INSERT *")), come(path, "k6", "k7") ++ left("p=p1", "k1"))
      sameAs(during(path)(sql(s"UPDATE ${in(path)} SET p = 'q' WHERE id IN ('k0', 'k3')")),
        left("p=p0", "k0") ++ left("p=p1", "k3") ++ come(path, "k0", "k3"))
      assertEquals(places(path)("k0")._1, "p=q")
      sameAs(during(path)(sql(s"UPDATE ${in(path)} SET p = 'p0' WHERE id = 'k0'")),
        left("p=q", "k0") ++ come(path, "k0"))
    }

    folder.test(s"$kind: under a global index rows that move leave the one partition and come to the other") { path =>
      table(path, kind)
      save(path, some(6))
      val moved = rows("'k0' id, 1 v, 2 ts, 'p1' p").union(rows("'k9' id, 1 v, 2 ts, 'p1' p"))
      sameAs(during(path)(save(path, moved, "hoodie.index.type" -> "GLOBAL_BLOOM",
            "hoodie.bloom.index.update.partition.path" -> "true")), left("p=p0", "k0") ++ come(path, "k0", "k9"))
      sameAs(during(path)(save(path, rows("'k0' id, 1 v, 3 ts, 'p1' p"), "hoodie.index.type" -> "GLOBAL_BLOOM")),
        Set.empty)
    }

    folder.test(s"$kind: rows that overwrite others come, static, dynamic and of the whole table") { path =>
      table(path, kind)
      save(path, some(6))
      sameAs(during(path)(save(path, rows("'k0' id, 1 v, 1 ts, 'p0' p"), op("insert_overwrite"))), come(path, "k0"))
      sameAs(during(path)(sql(s"INSERT OVERWRITE ${in(path)} PARTITION (p = 'p1') SELECT 'k7', 1, 1")),
        come(path, "k7"))
      sameAs(during(path)(save(path, some(3), op("insert_overwrite_table"))), come(path, keys(3): _*))
      sameAs(during(path)(some(2).write.format("hudilite").options(ofKeys).mode(SaveMode.Overwrite).save(path)),
        come(path, keys(2): _*))
    }
  }

  folder.test("a key that a log has deleted comes back, and is not deleted twice, where base files are asked") { path =>
    table(path, "mor", properties = "primaryKey = 'id'")
    save(path, some(6))
    val bloom = "hoodie.index.type" -> "BLOOM"
    sameAs(during(path)(save(path, some(2), op("delete"), bloom)), left("p=p0", "k0") ++ left("p=p1", "k1"))
    sameAs(during(path)(save(path, some(2), op("delete"), bloom)), Set.empty)
    sameAs(during(path)(save(path, some(3, ts = 9), bloom)), come(path, "k0", "k1"))
    sameAs(during(path)(save(path, some(3, ts = 10), bloom)), Set.empty)
  }

  folder.test("keys of all kinds are told as they are, in a table without partitions") { path =>
    table(path, "cow", partitioned = "")
    val odd = Seq("a\u0000b", "ключ", "\ud83d\ude00", " ", "x,y:z", "k" * 3000)
    import spark.implicits._
    val frame = odd.toDF("id").selectExpr("id", "1 v", "1 ts", "'p' p")
    sameAs(during(path)(save(path, frame, "hoodie.datasource.write.partitionpath.field" -> "")), come(path, odd: _*))
    sameAs(during(path)(sql(s"DELETE FROM ${in(path)}")), left("", odd: _*))
  }

  folder.test("tables that make keys, and those whose files lack the partition columns, tell as others") { path =>
    def keyless(n: Int) = some(n).write.format("hudilite").mode(SaveMode.Append)
      .options(indexes.toMap).option("hoodie.datasource.write.partitionpath.field", "p")
    keyless(4).save(s"$path/keyless")
    val before = places(s"$path/keyless").keySet
    val first = during(s"$path/keyless")(keyless(3).save(s"$path/keyless"))
    sameAs(first, come(s"$path/keyless", (places(s"$path/keyless").keySet -- before).toSeq: _*))
    val dropped = Seq("hoodie.datasource.write.drop.partition.columns" -> "true",
      "hoodie.datasource.write.partitionpath.field" -> "p", "hoodie.datasource.write.hive_style_partitioning" -> "true")
    save(s"$path/dropped", some(4), dropped: _*)
    sameAs(during(s"$path/dropped")(save(s"$path/dropped", some(6, ts = 2), dropped: _*)),
      come(s"$path/dropped", "k4", "k5"))
  }

  folder.test("more keys than go with the answer of a task are in notes, which go with the write") { path =>
    table(path, "cow", partitioned = "")
    val frame = spark.range(0, 70000, 1, 2).selectExpr("cast(id AS STRING) id", "1 v", "1 ts", "'p' p")
    Listeners.settle(spark.sparkContext)
    told.parts = Nil
    save(path, frame, op("bulk_insert"), "hoodie.datasource.write.partitionpath.field" -> "")
    Listeners.settle(spark.sparkContext)
    val sources = told.parts.flatMap(_.parts)
    assert(sources.nonEmpty && sources.forall(_.isInstanceOf[ToldKeys.Noted]), sources.toString)
    assertEquals(sources.map(_.estimate).sum, 70000L)
    assertEquals(storage.list(s"$path/.hoodie/.temp"), Nil)
  }

  for (kind <- Seq("cow", "mor"))
    folder.test(
      s"$kind: clustering gives each row its new place, copied, sorted or merged with its log, and drops take theirs") {
      path =>
        table(path, kind)
        for (from <- Seq(0, 6)) save(path, some(6, from), op("bulk_insert"))
        val before = places(path)
        spark.sql(s"CALL hudilite.system.run_clustering('$path')").collect()
        assertEquals(indexed(path), places(path))
        assert(before.forall { case (key, at) => places(path)(key) != at }, before.toString)
        save(path, some(3, ts = 2))
        sql(s"DELETE FROM ${in(path)} WHERE id = 'k5'")
        save(path, some(4, from = 20), op("bulk_insert"))
        spark.sql(s"CALL hudilite.system.run_clustering('$path', order => 'v')").collect()
        assertEquals(indexed(path), places(path))
        sql(s"UPDATE ${in(path)} SET p = 'p0' WHERE id = 'k1'")
        spark.sql(s"CALL hudilite.system.drop_partition('$path', 'p=p1')").collect()
        assertEquals(indexed(path), places(path))
        assertEquals(indexed(path)("k1")._1, "p=p0")
        assert(!indexed(path).contains("k3"))
    }

  folder.test("an index that is made of a table with log files has the rows that readers see") { path =>
    table(path, "mor")
    val off = Seq("hoodie.metadata.enable" -> "false", "hoodie.metadata.global.record.level.index.enable" -> "false")
    save(path, some(8, ts = 5), off: _*)
    save(path, some(2, ts = 6), off: _*)
    sql(s"DELETE FROM ${in(path)} WHERE id = 'k3'")
    sameAs(during(path)(save(path, some(1, from = 9))), come(path, "k9"))
    assertEquals(indexed(path).size, 8)
  }

  folder.test("keys of a task that fails, and whose next attempt writes, are told once") { path =>
    table(path, "cow", partitioned = "")
    val failed = new java.util.concurrent.atomic.AtomicInteger
    KeyTellingSuite.attempts = failed
    val fails = org.apache.spark.sql.functions.udf((id: Long) => KeyTellingSuite.once(id))
    val retrying = spark.range(0, 50000, 1, 1).select(fails(org.apache.spark.sql.functions.col("id")).as("n"))
      .selectExpr("cast(n AS STRING) id", "1 v", "1 ts", "'p' p")
    val outcome = scala.util.Try(save(path, retrying, op("bulk_insert")))
    // One attempt a task is all that a local session has: the write fails, and leaves no key and no note.
    if (outcome.isFailure) assertEquals(storage.list(s"$path/.hoodie/.temp"), Nil)
    Listeners.settle(spark.sparkContext)
    told.parts = Nil
    save(path, retrying, op("bulk_insert"))
    Listeners.settle(spark.sparkContext)
    assertEquals(told.parts.map(_.estimate).sum, 50000L)
    assertEquals(indexed(path), places(path))
    assertEquals(indexed(path).size, 50000)
  }
}

private object KeyTellingSuite {
  @volatile var attempts = new java.util.concurrent.atomic.AtomicInteger

  def once(id: Long): Long = {
    if (id == 45000 && attempts.getAndIncrement() == 0) throw new IllegalStateException("the first attempt fails")
    id
  }
}
