package io.hudilite.spark.shim

import org.apache.spark.sql.{Row, SparkSession}
import org.apache.spark.sql.types.{DataType, StructType}

/** A procedure as CALL sees it, on any Spark. */
trait CalledProcedure {

  def name: String

  /** Its effect, in a sentence. */
  def summary: String

  def called: Seq[CalledParameter]

  /** The columns of its answer. */
  def output: StructType

  /** Raises an error of hudilite's for the name of an unknown argument. */
  def checkNames(asked: Seq[String]): Unit

  /** The error for an argument that does not fit. */
  def refused(argument: String, value: String, reason: String): Throwable

  /** @param values
    *   values of all parameters in their order, as a `Row` has them
    */
  def call(session: SparkSession, values: Seq[Any]): Seq[Row]
}

/** @param default
  *   the default value in SQL's spelling
  */
final case class CalledParameter(name: String, dataType: DataType, default: String, summary: String)
