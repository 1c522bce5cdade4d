package io.hudilite.spark.shim

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.connector.catalog.CatalogPlugin

import scala.collection.JavaConverters._

/** The catalogs of a session.
  *
  * Spark's manager of catalogs is a class in 4.0 and an interface in 4.3, so a compiled call fits one of the two.
  */
object Catalogs {

  /** Makes the session load the catalog that its settings give this name. The session's analyzer must exist. */
  def load(session: SparkSession, name: String): Unit = {
    of(session, name)
    ()
  }

  /** The catalog of this name. The session loads it if needed. */
  def of(session: SparkSession, name: String): CatalogPlugin = ask(session, "catalog", name).asInstanceOf[CatalogPlugin]

  /** The name of the catalog that resolves names without one. */
  def current(session: SparkSession): String = ask(session, "currentCatalog").asInstanceOf[CatalogPlugin].name

  private val Analysis = "org.apache.spark.sql.catalyst.analysis."

  // `spark.catalog` has its names resolved as well, and depends on Spark's error. Its class in Spark 3.5, and since.
  private val OfNames = Set("org.apache.spark.sql.internal.CatalogImpl", "org.apache.spark.sql.classic.Catalog")

  /** True while the names of a statement or of a DataFrame are resolved. Spark passes equal arguments when
    * `saveAsTable` looks for a table, so only the callers show the difference.
    */
  def areAskedByAnalyzer: Boolean = StackWalker.getInstance().walk[Boolean] { frames =>
    val callers = frames.map[String](_.getClassName).iterator.asScala.toList
    callers.exists(_.startsWith(Analysis)) && !callers.exists(OfNames)
  }

  private def ask(session: SparkSession, method: String, names: String*): AnyRef = {
    val manager: AnyRef = session.sessionState.catalogManager
    val asked = manager.getClass.getMethod(method, names.map(_ => classOf[String]): _*)
    asked.setAccessible(true) // an implementation of the interface need not be public
    asked.invoke(manager, names: _*)
  }
}
