package io.hudilite.spark.service

import io.hudilite.error.CommitConflict
import io.hudilite.spark.{Interpreted, SharedSession}
import io.hudilite.spark.procedure.{ServiceCall, UndoProcedures}
import io.hudilite.storage.HadoopStorage
import io.hudilite.table.Table

import java.nio.file.Files
import java.util.concurrent.CancellationException

import munit.FunSuite
import org.apache.hadoop.conf.Configuration

import scala.util.{Failure, Try}

/** A restore that is stopped on its way. */
class RestoreSuite extends FunSuite with Interpreted {

  private val spark = SharedSession.spark
  private val path = Files.createTempDirectory("hudilite-restore").resolve("t").toString

  private def write(value: Int): Unit =
    spark.range(1).selectExpr("cast(id AS string) id", s"$value v").write.format("hudilite")
      .option("hoodie.datasource.write.recordkey.field", "id").mode("append").save(path)

  private def restore(to: String) = UndoProcedures.restore(ServiceCall(spark, path), to)

  test("a restore that is cancelled ends before its next write, and the next call ends it") {
    (1 to 4).foreach(write)
    val to = Table.open(new HadoopStorage(new Configuration()), path).timeline.writes.head.time
    val cancelled = restore(to)
    cancelled.cancel()
    Try(cancelled.result()) match {
      case Failure(_: CancellationException) => // before it had planned anything
      case Failure(e: CommitConflict) => assertEquals(e.condition, "RESTORE_PENDING")
      case other => fail(s"it went on: $other")
    }
    assertEquals(restore(to).result().writes.size, 3)
    assertEquals(spark.read.format("hudilite").load(path).select("v").collect().map(_.getInt(0)).toSeq, Seq(1))
    write(5)
  }
}
