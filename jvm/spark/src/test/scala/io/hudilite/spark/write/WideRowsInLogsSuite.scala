package io.hudilite.spark.write

import io.hudilite.log.BlockKind

import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.execution.adaptive.AdaptiveSparkPlanHelper
import org.apache.spark.sql.execution.datasources.v2.BatchScanExec

/** Rows of a megabyte in merge-on-read tables. */
class WideRowsInLogsSuite extends MergeOnReadFixture with AdaptiveSparkPlanHelper {

  private val MiB = 1L << 20

  private def wide(ids: Range, ts: Long): DataFrame =
    rows(ids, ts, "").withColumn("v", org.apache.spark.sql.functions.expr("repeat(id, 210000)"))
      .withColumn("p", org.apache.spark.sql.functions.lit("p"))

  for (format <- Seq("avro", "parquet"))
    test(s"log blocks of wide rows end near their size, and batches of them hold a few megabytes: $format") {
      val path = newPath()
      write(wide(0 until 50, 10), path, "upsert", options(8).toSeq: _*)
      write(wide(10 until 50, 20), path, "upsert", "hoodie.logfile.data.block.format" -> format,
        "hoodie.logfile.data.block.max.size" -> (4 * MiB).toString)
      val data =
        logFiles(path).flatMap(blocks).filter(b => b.kind == BlockKind.AvroData || b.kind == BlockKind.ParquetData)
      if (format == "avro") {
        assert(data.size >= 40 / 7, data.size)
        assert(data.forall(_.contentLength <= 7 * MiB), data.map(_.contentLength).toString)
      }
      val read = spark.read.format("hudilite").load(path)
      val scan = collectFirst(read.queryExecution.executedPlan) { case s: BatchScanExec => s }.get
      val batches = scan.executeColumnar().map(_.numRows).collect().toSeq
      assertEquals(batches.sum, 50)
      assert(batches.forall(_ <= 17), batches.toString)
      assertEquals(
        read.where("length(v) = 5 * 210000 AND v LIKE concat(id, '%')").groupBy("ts").count().collect()
          .map(r => r.getLong(0) -> r.getLong(1)).toMap, Map(10L -> 10L, 20L -> 40L))
    }
}
