package io.hudilite.spark.scan.plan

import io.hudilite.config.{PlannedBuckets, ReadConf}
import io.hudilite.spark.basefile.read.{ExpressionFilters, ScanFilter}
import io.hudilite.spark.row.SessionConf
import io.hudilite.stats.{ColumnFilter, FileStatistics, Membership}

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.connector.expressions.SortOrder
import org.apache.spark.sql.connector.expressions.aggregate.Aggregation
import org.apache.spark.sql.connector.expressions.filter.Predicate
import org.apache.spark.sql.connector.read._
import org.apache.spark.sql.types.StructType

/** Collects filters, columns and limits that Spark pushes down, and ends in a scan.
  *
  * Every filter prunes files, row groups and pages where it can and goes back to Spark, which evaluates it on the rows
  * that are left.
  *
  * @param session
  *   that the query is of
  * @param source
  *   table and state to read
  * @param readSchema
  *   columns of the relation
  * @param options
  *   options of the read
  */
sealed class HudiliteScanBuilder(
    session: SparkSession, source: TableState, readSchema: StructType, options: Map[String, String])
    extends ScanBuilder
    with SupportsPushDownRequiredColumns
    with SupportsPushDownV2Filters
    with SupportsPushDownLimit
    with SupportsPushDownTopN {

  private val known = source.known
  private var columns: StructType = readSchema
  private var pushed: Array[Predicate] = Array.empty
  private var filters: Seq[ScanFilter] = Nil
  private var expressed: Seq[ColumnFilter] = Nil
  private var limit: Option[Int] = None
  private var top: Option[TopRows] = None

  override def pruneColumns(requiredSchema: StructType): Unit = columns = requiredSchema

  override def pushPredicates(predicates: Array[Predicate]): Array[Predicate] = {
    val understood = predicates.flatMap(p => ScanFilter.of(p, known).map(p -> _))
    pushed = understood.map(_._1)
    filters = understood.map(_._2).toList
    expressed = predicates.toSeq.flatMap(p => onIndexes(p)).toList
    predicates
  }

  private def onIndexes(predicate: Predicate): Option[ColumnFilter] = for {
    filters <- ofIndexes
    filter <- filters.of(predicate)
    known = Membership.of(new StatisticsFilter(filters.values).of(filter), column => filters.sets(column.path.head))
    if known != ColumnFilter.Other
  } yield known

  // A column of folders has their values, whatever files say.
  private lazy val ofIndexes: Option[ExpressionFilters] = source.table.expressionRanges.map(_.indexes.filterNot(index =>
      source.table.config.partitionFields.contains(index.column))).filter(_.nonEmpty).map(new ExpressionFilters(_,
      known))

  override def pushedPredicates(): Array[Predicate] = pushed

  override def pushLimit(rows: Int): Boolean = {
    limit = Some(rows)
    true
  }

  /** Spark sorts the rows of the files that are left, and takes the first of them. It asks where no filter is left to it. */
  override def pushTopN(orders: Array[SortOrder], rows: Int): Boolean = {
    top = TopRows.of(orders.toSeq, rows).filter(planner.findsFirst)
    top.isDefined
  }

  override def isPartiallyPushed(): Boolean = true

  private def planner: ScanPlanner =
    new ScanPlanner(source, filters, SessionConf.parquet(session, options), told = PlannedBuckets.ofRead(options),
      skips = ReadConf.skipsFiles(options), expressed = expressed, asksForKeys = ReadConf.asksForKeys(options))

  override def build(): Scan =
    new HudiliteScan(session, top.foldLeft(planner)(_ withFirst _), columns, limit)

  /** The answer from statistics to an aggregation of all that would be read, where they have it. */
  protected def answer(aggregation: Aggregation): Option[AggregateScan] =
    if (filters.nonEmpty || source.commitTimes.nonEmpty || source.files.merged.nonEmpty) None
    else FileAggregates.answer(FileStatistics.at(source.table.basePath, SessionConf.hadoop(session, options)),
      source.table,
      source.files.files, aggregation, known, source.evolved)
}

/** Builder for a query whose aggregates statistics may answer. */
final class AggregateScanBuilder(
    session: SparkSession, source: TableState, readSchema: StructType, options: Map[String, String])
    extends HudiliteScanBuilder(session, source, readSchema, options)
    with SupportsPushDownAggregates {

  private var aggregates: Option[AggregateScan] = None
  private var answered: Option[(Aggregation, Option[AggregateScan])] = None

  override def supportCompletePushDown(aggregation: Aggregation): Boolean = once(aggregation).isDefined

  override def pushAggregation(aggregation: Aggregation): Boolean = {
    aggregates = once(aggregation)
    aggregates.isDefined
  }

  // Spark asks twice for one aggregation: first whether, then to do it.
  private def once(aggregation: Aggregation): Option[AggregateScan] = answered match {
    case Some((same, result)) if same eq aggregation => result
    case _ =>
      val result = answer(aggregation)
      answered = Some((aggregation, result))
      result
  }

  // Groups of an aggregate are no rows of the table.
  override def pushTopN(orders: Array[SortOrder], rows: Int): Boolean = aggregates.isEmpty &&
    super.pushTopN(orders, rows)

  override def build(): Scan = aggregates.getOrElse(super.build())
}
