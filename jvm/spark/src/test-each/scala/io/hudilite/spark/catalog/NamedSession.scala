package io.hudilite.spark.catalog

import io.hudilite.error.HudiliteException
import io.hudilite.spark.{Interpreted, SharedSession}
import io.hudilite.spark.catalog.metastore.{Metastore, Registered}

import java.nio.file.{Files, Path}

import org.apache.spark.sql.{Row, SparkSession}
import org.apache.spark.sql.connector.catalog.Identifier

import munit.FunSuite

import scala.concurrent.duration.{Duration, DurationInt}

/** A session with hudilite's session catalog, in a database of its own; it interprets plans, see [[Interpreted]]. */
abstract class NamedSession extends FunSuite {

  override val munitTimeout: Duration = 5.minutes

  protected def database: String

  /** The folder of the database. */
  protected lazy val home: Path = Files.createTempDirectory(s"hudilite-$database").toRealPath()

  protected lazy val spark: SparkSession = {
    val session = SharedSession.spark.newSession()
    session.conf.set("spark.sql.catalog.spark_catalog", classOf[HudiliteSessionCatalog].getName)
    session.conf.set(Interpreted.Setting._1, Interpreted.Setting._2)
    session.sql(s"CREATE DATABASE $database LOCATION '$home'")
    session.sql(s"USE $database")
    session
  }

  override def afterAll(): Unit = {
    spark.sql("USE default")
    spark.sql(s"DROP DATABASE $database CASCADE")
    SparkSession.setActiveSession(SharedSession.spark)
  }

  protected def sql(statement: String): Seq[Row] = {
    SparkSession.setActiveSession(spark)
    spark.sql(statement).collect().toSeq
  }

  protected def rows(table: String): Seq[String] = sql(s"SELECT * FROM $table").map(_.toString).sorted

  /** Entry of a table in the catalog. */
  protected def registered(table: String): Registered =
    new Metastore(spark).find(Identifier.of(Array(database), table)).get

  /** The condition of the error that a statement raises. */
  protected def condition(statement: String): String = {
    val raised = intercept[Exception](sql(statement))
    val causes = Iterator.iterate[Throwable](raised)(_.getCause).takeWhile(_ != null).toList
    causes.collectFirst { case e: HudiliteException => e.condition }.getOrElse(
      causes.reverse.map(_.getMessage).find(text => text != null && text.startsWith("["))
        .fold(raised.toString)(_.drop(1).takeWhile(_ != ']')))
  }
}
