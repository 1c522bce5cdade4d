package io.hudilite.spark.read

import io.hudilite.metadata.check.MetadataValidator
import io.hudilite.spark.{Interpreted, SharedSession}
import io.hudilite.storage.HadoopStorage
import io.hudilite.table.Table

import java.nio.file.Files

import munit.FunSuite
import org.apache.hadoop.conf.Configuration
import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.functions.{col, expr, lit}

/** Tables whose metadata table has statistics and bloom filters that hudilite makes and keeps up. After each action they say
  * what the files do, and filters by them find the rows that are found without.
  */
class KeptStatisticsSuite extends FunSuite with Interpreted {

  override val munitTimeout = scala.concurrent.duration.Duration(3, "min")

  private val spark = SharedSession.spark

  private val asked = Map("hoodie.metadata.enable" -> "true", "hoodie.metadata.index.column.stats.enable" -> "true",
    "hoodie.metadata.index.bloom.filter.enable" -> "true", "hoodie.metadata.compact.max.delta.commits" -> "5")

  private val Filters = Seq("n = 25", "n > 35", "n < 10 AND day > date'2026-01-04'", "fraction > 9.5", "price <= 2.5",
    "at >= timestamp'1970-01-02 12:00:00Z'", "code LIKE 'k03%'", "some IS NULL", "some IS NOT NULL AND n < 15",
    "NOT flag",
    "id = '7'", "place.x = 33", "n IN (3, 203)")

  private def rows(from: Int, until: Int, shift: Int = 0): DataFrame =
    spark.range(from.toLong, until.toLong, 1L, 1).select(expr("cast(id AS string) id"),
      expr(s"cast(id + $shift AS int) n"), expr("id / 4.0D fraction"), expr("cast(id AS decimal(20,3)) price"),
      expr("date_add(date'2026-01-01', cast(id AS int)) day"), expr("timestamp_seconds(id * 3600) at"),
      expr("concat('k', lpad(id, 3, '0')) code"), expr("if(id < 10, NULL, id) some"), expr("id % 2 = 0 flag"),
      expr("named_struct('x', id, 'y', cast(id AS string)) place"), expr("concat('p', cast(id / 20 AS int)) dt"),
      expr(s"$shift ts"))

  private final class Kept(version: Int, kind: String) {

    val path: String = Files.createTempDirectory("hudilite-kept").resolve("table").toString

    private val facts = Map("hoodie.table.name" -> "kept", "hoodie.datasource.write.table.type" -> kind,
      "hoodie.write.table.version" -> version.toString, "hoodie.datasource.write.recordkey.field" -> "id",
      "hoodie.datasource.write.partitionpath.field" -> "dt", "hoodie.datasource.write.precombine.field" -> "ts",
      "hoodie.compact.inline" -> "false", "hoodie.parquet.small.file.limit" -> "0", "hoodie.index.type" -> "BLOOM")

    def write(frame: DataFrame, operation: String, options: (String, String)*): Unit = {
      val all = (if (Files.exists(java.nio.file.Paths.get(path))) Map.empty[String, String] else facts ++ asked) ++
        options +
        ("hoodie.datasource.write.operation" -> operation) + ("hoodie.compact.inline" -> "false") +
        ("hoodie.parquet.small.file.limit" -> "0")
      frame.write.format("hudilite").options(all).mode("append").save(path)
    }

    private var knowsPartitions = version >= 8

    def call(procedure: String, arguments: String = ""): Unit = {
      spark.sql(s"CALL hudilite.system.$procedure(path => '$path'$arguments)").collect()
      ()
    }

    private def read(skips: Boolean): DataFrame = spark.read.format("hudilite")
      .options(Map("hoodie.metadata.enable" -> "true", "hoodie.enable.data.skipping" -> skips.toString)).load(path)

    def opened(filter: String): Long = {
      val frame = read(skips = true).where(filter)
      frame.collect()
      PlanProbe.metric(frame, "filesOpened")
    }

    def check(after: String): Unit = {
      val table = Table.open(new HadoopStorage(new Configuration()), path)
      val there = table.config.metadataPartitions.toSet
      assertEquals(there - "partition_stats", Set("bloom_filters", "column_stats", "files"), after)
      // A metadata table that is made anew knows no bounds of a column that came after files of its partition.
      if (after == "a rollback") knowsPartitions = false
      if (knowsPartitions) assert(there("partition_stats"), after)
      assertEquals(new MetadataValidator(table).differences(), Nil, after)
      // One query for all of them, since each has a plan of its own.
      def found(skips: Boolean): Seq[String] = Filters.map(filter =>
        read(skips).where(filter).select(lit(filter), col("id"), col("n"))).reduce(_ union _)
        .collect().map(_.toString).sorted.toSeq
      assertEquals(found(skips = true), found(skips = false), after)
    }
  }

  for ((version, kind) <- Seq(9 -> "MERGE_ON_READ", 8 -> "COPY_ON_WRITE", 6 -> "MERGE_ON_READ"))
    test(s"version $version, $kind: after each action statistics say what the files do, and no filter loses a row") {
      val kept = new Kept(version, kind)
      def did(what: String)(action: => Unit): Unit = {
        action
        kept.check(what)
      }
      did("a load")(kept.write(rows(0, 80), "bulk_insert"))
      assertEquals(kept.opened("n = 25"), 1L)
      assertEquals(kept.opened("n = 999"), 0L)
      did("an upsert")(kept.write(rows(20, 26, shift = 200), "upsert"))
      did("a delete")(kept.write(rows(60, 64), "delete"))
      if (kind == "MERGE_ON_READ") {
        did("a log compaction")(kept.call("run_compaction",
            ", kind => 'log', options => 'hoodie.log.compaction.blocks.threshold=2'"))
        did("a compaction")(kept.call("run_compaction"))
      }
      did("a clustering")(kept.call("run_clustering"))
      did("a cleaning")(kept.call("run_clean",
          ", clean_policy => 'KEEP_LATEST_FILE_VERSIONS', file_versions_retained => 1"))
      did("another column")(kept.write(rows(80, 90).withColumn("extra", expr("n * 2")), "insert"))
      did("an overwritten partition")(kept.write(rows(0, 5).withColumn("extra", expr("n")), "insert_overwrite"))
      did("a rollback")(kept.call("rollback_to_instant"))
      did("a dropped partition")(kept.call("drop_partition", ", partition => 'p1'"))
      did("a save")(kept.call("create_savepoint"))
      did("an upsert after it")(kept.write(rows(40, 46, shift = 300).withColumn("extra", expr("n")), "upsert"))
      did("a restore")(kept.call("rollback_to_savepoint"))
    }
}
