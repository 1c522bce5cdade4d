package io.hudilite.spark.catalog

import io.hudilite.spark.catalog.metastore.{Metastore, Registered}
import io.hudilite.spark.scan.plan.{AggregateScan, KnownStatistics, TableState}

import org.apache.spark.sql.{Row, SparkSession}
import org.apache.spark.sql.catalyst.analysis.Resolver
import org.apache.spark.sql.catalyst.catalog.{CatalogColumnStat, CatalogStatistics}
import org.apache.spark.sql.connector.expressions.Expression
import org.apache.spark.sql.connector.expressions.aggregate.{AggregateFunc, Aggregation, CountStar}
import org.apache.spark.sql.connector.read.SupportsPushDownAggregates
import org.apache.spark.sql.execution.command.LeafRunnableCommand
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2Relation
import org.apache.spark.sql.hudilite.Datasets
import org.apache.spark.sql.types._
import org.apache.spark.sql.util.CaseInsensitiveStringMap

/** ANALYZE TABLE. The session's catalog keeps statistics of this state of the table that scans cannot have without
  * reading rows, as it does for other formats. After the next write plans do without them again, since they were true
  * of that state only.
  *
  * @param columns
  *   columns to compute statistics of
  * @param noScan
  *   true for no more than commits and footers tell
  */
private[catalog] final case class AnalyzeStatement(
    table: HudiliteTable, entry: Registered, columns: Seq[String], noScan: Boolean)
    extends LeafRunnableCommand {

  // Arguments in the text of EXPLAIN.
  override protected def stringArgs: Iterator[Any] = Iterator(entry.name, columns.mkString("[", ", ", "]"), noScan)

  override def run(session: SparkSession): Seq[Row] = {
    table.source.foreach(analyze(session, _))
    Nil
  }

  private def analyze(session: SparkSession, source: TableState): Unit = {
    val before = entry.statistics(source.state)
    val (rows, fresh) = found(session)
    val files = source.files
    val bytes = files.files.map(_.bytes).sum + files.merged.map(_.totalLength).sum
    val kept = before.fold(Map.empty[String, CatalogColumnStat])(_.colStats)
    new Metastore(session).analyzed(entry, source.state,
      CatalogStatistics(BigInt(bytes), rows.map(BigInt(_)).orElse(before.flatMap(_.rowCount)), kept ++ fresh))
  }

  private def found(session: SparkSession): (Option[Long], Map[String, CatalogColumnStat]) = {
    val relation = DataSourceV2Relation.create(table, None, None)
    if (columns.nonEmpty) {
      val (rows, found) =
        Datasets.statistics(session, relation, columns.map(name => relation.output.find(_.name == name).get))
      (Some(rows),
        found.map { case (column, stat) =>
          column.name -> stat.toCatalogColumnStat(column.name, column.dataType)
        })
    } else if (noScan) (counted, Map.empty)
    else (Some(Datasets.ofRows(session, relation).count()), Map.empty)
  }

  /** Number of rows; `None` when commits and footers do not tell. */
  private def counted: Option[Long] = table.newScanBuilder(CaseInsensitiveStringMap.empty()) match {
    case builder: SupportsPushDownAggregates
        if builder.pushAggregation(new Aggregation(Array[AggregateFunc](new CountStar), Array.empty[Expression])) =>
      builder.build() match {
        case answered: AggregateScan => Some(answered.row.getLong(0))
        case _ => None
      }
    case _ => None
  }
}

private[catalog] object AnalyzeStatement {

  /** The statement for a whole table. Raises `InvalidInput` for a table, or a part of one, of which the catalog keeps
    * no statistics.
    */
  def ofTable(table: HudiliteTable, ofPartitions: Boolean, noScan: Boolean): AnalyzeStatement = {
    if (ofPartitions) throw UnsupportedStatement.AnalyzePartition.of(table.basePath)
    AnalyzeStatement(table, entryOf(table), Nil, noScan)
  }

  /** The statement for columns.
    *
    * @param names
    *   `None` for all columns
    */
  def ofColumns(table: HudiliteTable, names: Option[Seq[String]], resolver: Resolver): AnalyzeStatement = {
    val entry = entryOf(table)
    val fields = names.fold(table.schema.fields.toSeq)(_.map(name =>
        table.schema.find(field => resolver(field.name, name)).getOrElse(throw UnsupportedStatement.AnalyzeColumn(name,
            s"no such column; the table has ${table.schema.fieldNames.mkString(", ")}").of(table.basePath))))
    fields.find(field => !isCounted(field.dataType)).foreach(field =>
      throw UnsupportedStatement.AnalyzeColumn(field.name,
        s"Spark has no statistics of ${field.dataType.simpleString}; name the other columns").of(table.basePath))
    AnalyzeStatement(table, entry, fields.map(_.name), noScan = false)
  }

  private def entryOf(table: HudiliteTable): Registered =
    table.entry.getOrElse(throw UnsupportedStatement.Analyze.of(table.basePath))

  // Types of which Spark counts distinct values.
  private def isCounted(dataType: DataType): Boolean = dataType match {
    case _: NumericType | BooleanType | StringType | BinaryType | DateType | TimestampType | TimestampNTZType => true
    case _ => false
  }

  /** Statistics that the catalog has of the state that is read, in the terms of plans. */
  def known(entry: Registered, source: TableState): Option[KnownStatistics] =
    entry.statistics(source.state).map { found =>
      val columns = for (field <- source.dataSchema; stat <- found.colStats.get(field.name))
        yield field.name -> stat.toPlanStat(field.name, field.dataType)
      KnownStatistics(found.rowCount.map(_.toLong), columns.toMap)
    }
}
