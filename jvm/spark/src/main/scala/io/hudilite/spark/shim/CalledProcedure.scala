package io.hudilite.spark.shim

import org.apache.spark.sql.{Row, SparkSession}
import org.apache.spark.sql.types.{DataType, StructType}

/** A procedure as CALL sees it, whichever Spark runs. */
trait CalledProcedure {

  def name: String

  /** What it does, in a sentence. */
  def summary: String

  def called: Seq[CalledParameter]

  /** The columns of its answer. */
  def output: StructType

  /** Raises an error of hudilite's for the name of an argument that it does not take. */
  def checkNames(asked: Seq[String]): Unit

  /** The error for an argument that does not fit. */
  def refused(argument: String, value: String, reason: String): Throwable

  /** @param values
    *   of all parameters in their order, as a `Row` has them
    */
  def call(session: SparkSession, values: Seq[Any]): Seq[Row]
}

/** @param default
  *   what it is when it is not given, as SQL writes it
  */
final case class CalledParameter(name: String, dataType: DataType, default: String, summary: String)
