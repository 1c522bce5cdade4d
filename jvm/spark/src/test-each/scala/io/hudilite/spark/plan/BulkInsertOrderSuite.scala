package io.hudilite.spark.plan

import io.hudilite.spark.SharedSession.{Compiling, withConf}
import io.hudilite.spark.write.MergeOnReadFixture

import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.functions.{col, input_file_name}

/** Files that a bulk insert makes: how many, and in which order their rows are. */
class BulkInsertOrderSuite extends MergeOnReadFixture {

  private val keys = Map("hoodie.datasource.write.recordkey.field" -> "id",
    "hoodie.datasource.write.partitionpath.field" -> "p", "hoodie.datasource.write.precombine.field" -> "ts")

  /** 6000 rows, the keys and the partitions in no order, some keys the beginning of others. */
  private def scattered: DataFrame = spark.range(0, 6000, 1, 4).selectExpr("substring(sha(cast(id as string)), 1, " +
      "5 + int(id % 8)) || id AS id", "concat('part=', id * 7 % 5) p", "10L ts", "'x' v")

  /** The keys of each file in the order of its rows, by partition. */
  private def files(path: String): Seq[(String, Seq[String])] =
    spark.read.format("parquet").load(s"$path/*/*.parquet").select(input_file_name(), col("_hoodie_record_key"),
      col("_hoodie_partition_path"), col("_hoodie_commit_seqno")).collect().toSeq.groupBy(_.getString(0)).values.map {
      rows =>
        val inOrder = rows.sortBy(_.getString(3).split("_").last.toLong)
        assertEquals(inOrder.map(_.getString(2)).distinct.size, 1)
        inOrder.head.getString(2) -> inOrder.map(_.getString(1))
    }.toSeq

  private def check(more: (String, String)*)(filesOfPartition: Int => Boolean): Unit = {
    val path = newPath()
    write(scattered, path, "bulk_insert", (keys ++ more).toSeq: _*)
    val found = files(path)
    found.foreach { case (_, keys) => assertEquals(keys, keys.sorted) }
    found.groupBy(_._1).foreach { case (partition, of) => assert(filesOfPartition(of.size), s"$partition: ${of.size}") }
    assertEquals(found.flatMap(_._2).sorted, scattered.collect().map(_.getString(0)).toSeq.sorted)
  }

  for (compiled <- Seq("true", "false"))
    test(s"each task writes one file of each of its partitions, in key order; whole-stage code $compiled") {
      withConf(Compiling, "spark.sql.codegen.wholeStage" -> compiled) {
        check()(_ == 4)
        check("hoodie.bulkinsert.shuffle.parallelism" -> "2")(_ == 2)
        check("hoodie.bulkinsert.shuffle.parallelism" -> "1")(_ == 1)
        check("hoodie.bulkinsert.sort.mode" -> "GLOBAL_SORT", "hoodie.bulkinsert.shuffle.parallelism" -> "3")(_ <= 2)
        check("hoodie.bulkinsert.sort.mode" -> "PARTITION_PATH_REPARTITION_AND_SORT")(_ == 1)
      }
    }

  for (mode <- Seq("CODEGEN_ONLY", "NO_CODEGEN"))
    test(s"the expressions give the same compiled and interpreted, $mode") {
      withConf("spark.sql.codegen.factoryMode" -> mode) {
        check()(_ == 4)
        val path = newPath()
        write(scattered, path, "bulk_insert", keys.toSeq: _*)
        write(scattered.withColumn("v", org.apache.spark.sql.functions.lit("y")), path, "upsert")
        assertEquals(versions(path), Map("y" -> 6000L))
      }
    }
}
