package io.hudilite.spark.write

import io.hudilite.filegroup.FileNames
import io.hudilite.metadata.{MetadataPartition, MetadataRecord}
import io.hudilite.metadata.MetadataPayload.Place
import io.hudilite.metadata.check.MetadataValidator
import io.hudilite.metadata.stored.MetadataTable
import io.hudilite.spark.{Interpreted, SharedSession}
import io.hudilite.storage.HadoopStorage
import io.hudilite.table.{MetadataUse, Table}

import java.nio.file.{Files, Path, Paths}

import munit.FunSuite
import org.apache.spark.sql.{DataFrame, SaveMode}
import org.apache.spark.sql.functions.lit

import scala.collection.JavaConverters._

/** Tables with a record index that each kind of write keeps up: after it the index has the place of each row and no other. */
class RecordIndexUpkeepSuite extends FunSuite with Interpreted {

  private val spark = SharedSession.spark

  override def munitTimeout: scala.concurrent.duration.Duration = scala.concurrent.duration.Duration(10, "min")

  private val folder: FunFixture[String] = FunFixture[String](
    setup = _ => Files.createTempDirectory("hudilite-keyed").toString + "/t",
    teardown = base =>
      Files.walk(Path.of(base).getParent).sorted(java.util.Comparator.reverseOrder[Path]).iterator.asScala
        .foreach(Files.delete))

  private def open(path: String): Table =
    Table.open(new HadoopStorage(spark.sparkContext.hadoopConfiguration), path)

  private def rows(path: String): Set[(String, String, String)] =
    spark.read.format("hudilite").option("hoodie.metadata.enable", "false").load(path)
      .selectExpr("_hoodie_record_key", "_hoodie_partition_path", "_metadata.file_name").collect().map { row =>
        val file = FileNames.parseBaseFile(row.getString(2)).map(_.fileId)
          .orElse(FileNames.parseLogFile(row.getString(2)).map(_.fileId)).get
        (row.getString(0), row.getString(1), file)
      }.toSet

  /** File groups with a base file that has the key, deleted or not. */
  private def baseGroups(path: String, key: String): Set[String] =
    spark.read.option("recursiveFileLookup", "true").option("pathGlobFilter", "*.parquet").parquet(path)
      .where(s"_hoodie_record_key = '$key'").select("_metadata.file_name").collect()
      .flatMap(row => FileNames.parseBaseFile(row.getString(0))).map(_.fileId).toSet

  private def places(path: String): Set[(String, String, String)] = {
    val table = open(path)
    new MetadataTable(table.store, table.timeline).records(MetadataPartition.RecordIndex).collect {
      case MetadataRecord(key, Place(partition, fileId, _, _)) => (key, partition, fileId)
    }.toSet
  }

  private def assertWhole(path: String, after: String, isUsed: Boolean = true)(implicit at: munit.Location): Unit = {
    assertEquals(open(path).config.metadataPartitions.sorted, Seq("files", "record_index"), after)
    assertEquals(places(path), rows(path), after)
    assertEquals(new MetadataValidator(open(path)).differences(), Nil, after)
    val found = open(path).readingMetadata(MetadataUse(isAsked = true)).recordIndex
    assertEquals(found.isRight, isUsed, s"$after: $found")
  }

  private def some(from: Int, until: Int, ts: Int = 1, p: String = "concat('p', id % 2)"): DataFrame =
    spark.range(from.toLong, until.toLong)
      .selectExpr("concat('k', id) id", "cast(id AS INT) v", s"$ts ts", s"$p p")

  private def sql(text: String): Unit = {
    spark.sql(text).collect()
    ()
  }

  private final class Keyed(path: String, version: Int, kind: String, isPartitioned: Boolean) {

    val in = s"hudilite.`$path`"

    private val index = if (isPartitioned) "hoodie.metadata.record.level.index" else "hoodie.metadata.record.index"

    private val options = Map("hoodie.table.name" -> "t", "hoodie.datasource.write.recordkey.field" -> "id",
      "hoodie.datasource.write.partitionpath.field" -> "p", "hoodie.datasource.write.precombine.field" -> "ts",
      "hoodie.datasource.write.table.type" -> (if (kind == "mor") "MERGE_ON_READ" else "COPY_ON_WRITE"),
      "hoodie.metadata.compact.max.delta.commits" -> "4", "hoodie.clean.automatic" -> "false")

    val asking: Map[String, String] = Map(s"$index.enable" -> "true", s"$index.min.filegroup.count" -> "3",
      s"$index.max.filegroup.count" -> "3")

    def save(frame: DataFrame, more: (String, String)*): Unit = {
      val made = if (Files.exists(Paths.get(path))) Map.empty[String, String]
      else Map("hoodie.write.table.version" -> version.toString)
      frame.write.format("hudilite").options(options ++ made ++ more).mode(SaveMode.Append).save(path)
    }
  }

  private def op(name: String) = "hoodie.datasource.write.operation" -> name

  for ((version, kind, isPartitioned) <- Seq((9, "cow", false), (9, "mor", false), (8, "mor", false), (6, "cow", false),
      (9, "mor", true))) {
    val name = s"version $version, $kind${if (isPartitioned) ", by partition" else ""}"

    folder.test(s"$name: writes, statements and services keep the index up, whoever asked for it") { path =>
      val table = new Keyed(path, version, kind, isPartitioned)
      table.save(some(0, 20), table.asking.toSeq :+ op("insert"): _*)
      assertWhole(path, "insert")
      table.save(some(10, 30, ts = 2))
      assertWhole(path, "an upsert that does not ask for the index")
      table.save(some(5, 8, ts = 3), op("delete"))
      assertWhole(path, "delete")
      sql(s"DELETE FROM ${table.in} WHERE id IN ('k9', 'k10', 'none')")
      assertWhole(path, "DELETE")
      some(28, 34, ts = 4).createOrReplaceTempView("keyed_source")
      sql(s"MERGE INTO ${table.in} t USING keyed_source s ON t.id = s.id WHEN MATCHED AND s.id = 'k28' THEN DELETE " +
        "WHEN MATCHED THEN UPDATE SET v = 7 WHEN NOT MATCHED THEN INSERT *")
      assertWhole(path, "MERGE")
      table.save(some(13, 15).union(some(13, 14)), op("delete"), "hoodie.combine.before.upsert" -> "false")
      assertWhole(path, "delete of a key twice")
      some(16, 17).union(some(15, 18)).createOrReplaceTempView("keyed_source")
      sql(s"MERGE INTO ${table.in} t USING keyed_source s ON t.id = s.id WHEN MATCHED THEN DELETE")
      assertWhole(path, "MERGE that deletes a row twice")
      sql(s"UPDATE ${table.in} SET p = 'p2' WHERE id IN ('k0', 'k3')")
      assertWhole(path, "UPDATE that moves rows")
      if (!isPartitioned) {
        table.save(some(11, 13, ts = 9, p = "'moved'"), "hoodie.index.type" -> "GLOBAL_SIMPLE",
          "hoodie.simple.index.update.partition.path" -> "true")
        assertWhole(path, "an upsert that moves rows")
      }
      table.save(some(50, 54, p = "'p1'"), op("insert_overwrite"))
      assertWhole(path, "insert_overwrite")
      if (kind == "mor") {
        sql(s"CALL hudilite.system.run_compaction(op => 'run', path => '$path')")
        assertWhole(path, "compaction")
      }
      table.save(some(60, 70), op("bulk_insert"))
      sql(s"CALL hudilite.system.run_clustering(path => '$path')")
      assertWhole(path, "clustering")
      sql(s"ALTER TABLE ${table.in} DROP PARTITION (p = 'p1')")
      assertWhole(path, "dropped partition")
      table.save(some(50, 80, ts = 20))
      assertWhole(path, "keys that come back")
      val found = spark.read.format("hudilite").load(path).where("_hoodie_record_key = 'k51'").collect()
      assertEquals(found.length, 1)
    }

    if (version == 9 && kind == "mor")
      folder.test(s"$name: keys that log files deleted are put back into their file groups") { path =>
        val table = new Keyed(path, version, kind, isPartitioned)
        def marked(from: Int, until: Int, isDeleted: Boolean) =
          some(from, until, ts = 5).withColumn("_hoodie_is_deleted", lit(isDeleted))
        def merge(frame: DataFrame): Unit = {
          frame.createOrReplaceTempView("keyed_source")
          sql(
            s"MERGE INTO ${table.in} t USING keyed_source s ON t.id = s.id AND t.p = s.p WHEN NOT MATCHED THEN INSERT *")
        }
        table.save(marked(0, 10, isDeleted = false),
          table.asking.toSeq ++ Seq(op("insert"),
            "hoodie.record.merge.mode" -> "COMMIT_TIME_ORDERING"): _*)
        table.save(some(3, 6), op("delete"))
        assertWhole(path, "delete")
        merge(marked(4, 5, isDeleted = true))
        assertWhole(path, "MERGE that brings a deleted row of a key that is gone")
        merge(marked(4, 5, isDeleted = false))
        assertWhole(path, "MERGE that brings a row back")
        table.save(marked(3, 4, isDeleted = false))
        assertWhole(path, "upsert that brings a row back")
        table.save(marked(6, 7, isDeleted = true))
        assertWhole(path, "upsert that deletes a row")
        for (key <- Seq("k3", "k4")) assertEquals(baseGroups(path, key).size, 1, key)
        assertEquals(rows(path).map(_._1), Seq(0, 1, 2, 3, 4, 7, 8, 9).map("k" + _).toSet)
      }

    if (version == 9 && !isPartitioned)
      folder.test(s"$name: of two rows of a key the one that has the place stays found where the other goes") { path =>
        val table = new Keyed(path, version, kind, isPartitioned)
        val apart = "hoodie.parquet.small.file.limit" -> "0"
        table.save(some(0, 5), table.asking.toSeq ++ Seq(op("insert"), apart): _*)
        table.save(some(2, 6, ts = 2), op("insert"), apart)
        assertEquals(rows(path).toSeq.count(row => Set("k2", "k3", "k4")(row._1)), 6)
        def times: Seq[Long] = spark.read.format("hudilite").load(path).where("id = 'k4'").select("ts").collect()
          .map(_.getAs[Number](0).longValue).toSeq
        table.save(some(4, 5, ts = 3)) // the index has one place, and files are asked
        assertEquals(times, Seq(3L, 3L))
        table.save(some(4, 5), op("delete"))
        assertEquals(times, Nil)
        sql(s"DELETE FROM ${table.in} WHERE ts = 1 AND v >= 2")
        assertWhole(path, "DELETE by another column")
      }

    folder.test(s"$name: it is made of a table that is there, and after a rollback and a restore") { path =>
      val table = new Keyed(path, version, kind, isPartitioned)
      table.save(some(0, 20), op("insert"))
      table.save(some(0, 4, ts = 2))
      table.save(some(4, 6, ts = 3), op("delete"))
      table.save(some(20, 24), table.asking.toSeq: _*)
      val isCounted = kind == "cow" // nobody has counted the deletes before
      assertWhole(path, "made beside a write", isCounted)
      val saved = open(path).timeline.writes.last.time
      sql(s"CALL hudilite.system.create_savepoint(path => '$path', commit_time => '$saved')")
      table.save(some(6, 8, ts = 4), op("delete"))
      table.save(some(30, 34))
      sql(s"CALL hudilite.system.rollback_to_instant(path => '$path')")
      assertWhole(path, "rollback", isCounted)
      table.save(some(30, 36))
      sql(s"CALL hudilite.system.rollback_to_savepoint(path => '$path', instant_time => '$saved')")
      assertWhole(path, "restore", isCounted)
      table.save(some(0, 40, ts = 9))
      assertWhole(path, "a write after it that brings the keys back")
    }
  }
}
