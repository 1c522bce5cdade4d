package io.hudilite.spark.shim

import org.apache.spark.sql.SparkSession

/** The catalogs of a session. */
object Catalogs {

  /** Has the session load the catalog that its settings give this name; the session's analyzer must be there.
    *
    * Spark's manager of catalogs is a class in 4.0 and an interface in 4.3, so that a compiled call fits one of the two.
    */
  def load(session: SparkSession, name: String): Unit = {
    val manager: AnyRef = session.sessionState.catalogManager
    val catalog = manager.getClass.getMethod("catalog", classOf[String])
    catalog.setAccessible(true) // what implements the interface need not be public
    catalog.invoke(manager, name)
    ()
  }
}
