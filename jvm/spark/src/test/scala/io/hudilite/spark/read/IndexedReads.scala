package io.hudilite.spark.read

import io.hudilite.metadata.GoldenKeys
import io.hudilite.spark.{Interpreted, SharedSession}

import munit.FunSuite
import org.apache.spark.sql.DataFrame

/** Queries of tables with indexes in a metadata table, beside the same ones without. */
trait IndexedReads extends FunSuite with Interpreted {

  protected val spark = SharedSession.spark

  protected def after(table: String, step: String): String = GoldenKeys.after(table, step)

  protected def read(path: String, options: (String, String)*): DataFrame =
    spark.read.format("hudilite").options(options.toMap).load(path)

  protected def rows(frame: DataFrame): Seq[String] = frame.collect().map(_.toString).toSeq.sorted

  protected def found(frame: DataFrame): String = {
    val text = PlanProbe.scan(frame).scan.description()
    text.substring(text.indexOf("files "))
  }

  /** The query, whose rows are those that it has without an index. */
  protected def right(path: String, filter: String): DataFrame = {
    val frame = read(path).where(filter)
    assertEquals(rows(frame), rows(read(path, "hoodie.metadata.enable" -> "false").where(filter)), filter)
    frame
  }
}
