package io.hudilite.spark.shim

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.analysis.EliminateSubqueryAliases
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.util.QuotingUtils.quoteIdentifier
import org.apache.spark.sql.connector.catalog.Table
import org.apache.spark.sql.execution.CachedData
import org.apache.spark.sql.execution.columnar.InMemoryRelation
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2Relation
import org.apache.spark.sql.hudilite.Datasets
import org.slf4j.LoggerFactory

import scala.util.control.NonFatal

/** A table with the rows of a path, under whichever name. */
trait TableOfPath extends Table {
  def basePath: String
}

/** Rows that CACHE TABLE and `cache()` keep of tables that have changed.
  *
  * Spark refreshes cached rows by the name in the statement alone; one table has several names and a path. From Spark
  * 4.1 on a cached name stands for the rows it had when it was cached, until it is refreshed. Before that a cached
  * table is found again by its state: nothing stale is read, but rows cached under a name are not found any more.
  */
object CachedPlans {

  private val log = LoggerFactory.getLogger("io.hudilite.spark.shim.CachedPlans")

  /** Makes everything cached of the table at a path be read again when it is next used. It does not throw: the change
    * of the table is committed.
    */
  def refresh(session: SparkSession, path: String): Unit =
    try if (!session.sharedState.cacheManager.isEmpty) synchronized(refreshFound(session, path))
    catch {
      case NonFatal(e) =>
        log.error(s"Cached rows of $path may be of an earlier state; UNCACHE TABLE drops them.", e)
    }

  /** Some of the rows of this plan are kept. */
  def isCached(session: SparkSession, rows: LogicalPlan): Boolean = !session.sharedState.cacheManager.isEmpty &&
    Datasets.ofRows(session, rows).queryExecution.withCachedData.exists(_.isInstanceOf[InMemoryRelation])

  private def refreshFound(session: SparkSession, path: String): Unit = {
    val manager = session.sharedState.cacheManager
    val stale = entries(session).map(entry => entry -> named(entry.plan, path)).filter(_._2.nonEmpty)
    if (stale.nonEmpty) manager.getClass.getMethods.find(_.getName == "recacheTableOrView") match {
      case Some(recache) => stale.flatMap(_._2).map(parts).distinct.foreach { name =>
          recache.invoke(manager, session, name, java.lang.Boolean.FALSE)
        }
      case None => stale.foreach { case (entry, relations) => cacheAgain(session, entry, relations) }
    }
  }

  // The field is private.
  private def entries(session: SparkSession): Seq[CachedData] = {
    val manager = session.sharedState.cacheManager
    val field = manager.getClass.getDeclaredField("cachedData")
    field.setAccessible(true)
    field.get(manager).asInstanceOf[scala.collection.Seq[CachedData]].toList
  }

  /** Relations of the table under its names. Those by its path alone are a snapshot that a DataFrame keeps. */
  private def named(plan: LogicalPlan, path: String): Seq[DataSourceV2Relation] = plan.collectWithSubqueries {
    case relation: DataSourceV2Relation
        if relation.catalog.isDefined && relation.identifier.isDefined &&
          pathOf(relation.table).contains(path) => relation
  }

  private def pathOf(table: Table): Option[String] = table match {
    case of: TableOfPath => Some(of.basePath)
    case _ => None
  }

  private def parts(relation: DataSourceV2Relation): Seq[String] = {
    val identifier = relation.identifier.get // looked at by `named`
    relation.catalog.get.name() +: identifier.namespace().toSeq :+ identifier.name()
  }

  /** Caches a CACHE TABLE again with the rows that the table has now. Queries over it keep their snapshot. */
  private def cacheAgain(session: SparkSession, entry: CachedData, relations: Seq[DataSourceV2Relation]): Unit = {
    val builder = entry.cachedRepresentation.cacheBuilder
    if (builder.tableName.isDefined && EliminateSubqueryAliases(entry.plan).isInstanceOf[DataSourceV2Relation]) {
      Datasets.ofRows(session, entry.plan).unpersist()
      val name = parts(relations.head).map(quoteIdentifier).mkString(".")
      session.catalog.cacheTable(name, builder.storageLevel)
    }
  }
}
