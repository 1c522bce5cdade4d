package io.hudilite.spark.procedure

import io.hudilite.spark.shim.{CalledParameter, CalledProcedure}

import org.apache.spark.sql.{Row, SparkSession}
import org.apache.spark.sql.types.StructType

/** In the place of a procedure that does not exist: whatever is asked of it raises `UNKNOWN_NAME`. */
private[procedure] final case class UnknownProcedure(name: String, known: Seq[String]) extends CalledProcedure {
  override def summary: String = throw unknown
  override def called: Seq[CalledParameter] = throw unknown
  override def output: StructType = throw unknown
  override def checkNames(asked: Seq[String]): Unit = throw unknown
  override def refused(argument: String, value: String, reason: String): Throwable = unknown
  override def call(session: SparkSession, values: Seq[Any]): Seq[Row] = throw unknown
  private def unknown = Procedure.unknown("procedure", name, known)
}
