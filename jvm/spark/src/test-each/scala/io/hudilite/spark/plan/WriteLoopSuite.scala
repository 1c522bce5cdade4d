package io.hudilite.spark.plan

import io.hudilite.spark.Interpreted
import io.hudilite.spark.SharedSession.withConf
import io.hudilite.storage.HadoopStorage
import io.hudilite.table.Table
import io.hudilite.timeline.Action

import java.nio.file.Files

/** Writes as the node around them runs them. */
final class WriteLoopSuite extends UpsertPlans with Interpreted {

  private def cleanings(path: String): Int =
    Table.open(new HadoopStorage(spark.sparkContext.hadoopConfiguration), path).timeline
      .completed.count(_.action == Action.Clean)

  for (adaptive <- Seq("true", "false"))
    test(s"each write of a statement that has several is followed by the services of its table, adaptive=$adaptive") {
      val paths = Seq("one", "two").map(Files.createTempDirectory("hudilite-loop").resolve(_).toString)
      for (path <- paths; version <- 0 until 3) write(rows(0, 10, version), path, "upsert")
      assertEquals(paths.map(cleanings), Seq(0, 0))
      rows(10, 20, 3).createOrReplaceTempView("incoming")
      withConf("spark.sql.adaptive.enabled" -> adaptive,
        "spark.datasource.hudilite.hoodie.clean.commits.retained" -> "1") {
        spark.sql(s"FROM incoming ${paths.map(path => s"INSERT INTO hudilite.`$path` SELECT *").mkString(" ")}")
      }
      assertEquals(paths.map(cleanings), Seq(1, 1))
      assertEquals(paths.map(spark.read.format("hudilite").load(_).count()), Seq(20L, 20L))
    }
}
