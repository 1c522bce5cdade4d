package io.hudilite.spark.scan.plan

import io.hudilite.filegroup.BaseFile
import io.hudilite.schema.EvolvedColumns
import io.hudilite.stats.{BoundsWanted, ColumnBounds, FileBounds, FileStatistics, ValueBounds}
import io.hudilite.table.{RowCounts, Table}

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow
import org.apache.spark.sql.connector.expressions.{Expression, NamedReference}
import org.apache.spark.sql.connector.expressions.aggregate.{AggregateFunc, Aggregation, Count, CountStar, Max, Min}
import org.apache.spark.sql.connector.read.LocalScan
import org.apache.spark.sql.types._

/** An aggregate that statistics answered: one row, no file is read. */
final case class AggregateScan(schema: StructType, row: InternalRow, text: String) extends LocalScan {
  override def readSchema(): StructType = schema
  override def rows(): Array[InternalRow] = Array(row)
  override def description(): String = text
}

/** Answers `count(*)` of whole files from what their commits counted, and `count`, `min` and `max` of columns from the
  * files' statistics, where these are exact. No more files are asked about than the driver can while a query is planned.
  *
  * Bounds of text can be cut short by a writer and those of fractions can leave out NaN, so both are refused; so are
  * days before the change of calendars, which a reader might have to shift, and files from before a change of columns.
  */
object FileAggregates {

  // 1900-01-01; the two calendars and all zones agree from there on.
  private val FirstCertainDay = -25567L

  /** @param folder
    *   values of columns as the folder of the file says them
    * @param dropped
    *   columns of which files say nothing
    */
  private final case class KnownFile(bounds: FileBounds, folder: Map[String, Any], dropped: Set[String])

  private final case class ColumnFacts(nulls: Long, min: Option[Long], max: Option[Long])

  /** The answer, or `None` when some part of it is not certain. */
  def answer(
      statistics: FileStatistics, table: Table, files: Seq[BaseFile], aggregation: Aggregation,
      schema: StructType, evolved: Option[EvolvedColumns]): Option[AggregateScan] = {
    val functions = aggregation.aggregateExpressions.toSeq
    val columns = functions.map(columnOf(_, schema))
    def sameColumns: Boolean = evolved.forall(e => files.forall(f => e.isOfQuery(f.instant)))
    if (aggregation.groupByExpressions.nonEmpty || columns.exists(_.isEmpty)) None
    else if (columns.flatten.forall(_.isEmpty))
      rowsOf(statistics, table, files).map(rows => scan(functions, functions.map(_ => LongType -> (rows: Any))))
    else if (!sameColumns || files.exists(_.source.isDefined) || files.size > KeyPruning.MaxFilesOnDriver) None
    else {
      val partitions = PartitionPruning.of(table.config, schema, evolved)
      val bounds = statistics.of(files, BoundsWanted(columns = columns.flatten.flatten.map(_.name)))
      val dropped = table.config.droppedColumns.toSet
      val known = files.map(f => KnownFile(bounds(f), partitions.valuesOf(f.partition), dropped))
      val values = functions.zip(columns.flatten).map { case (function, column) => evaluate(function, column, known) }
      if (values.forall(_.isDefined)) Some(scan(functions, values.flatten)) else None
    }
  }

  /** Rows of these files, where they are counted. */
  private[plan] def rowsOf(statistics: FileStatistics, table: Table, files: Seq[BaseFile]): Option[Long] = {
    val counted = RowCounts.of(table, files)
    val others = files.filterNot(f => counted.contains(f.relativePath))
    if (others.size > KeyPruning.MaxFilesOnDriver) None
    else Some(counted.values.sum + statistics.of(others).values.map(_.rows).sum)
  }

  private def scan(functions: Seq[AggregateFunc], values: Seq[(DataType, Any)]): AggregateScan = {
    val fields = functions.zip(values).map { case (f, (dataType, _)) => StructField(f.toString, dataType) }
    AggregateScan(StructType(fields.toArray), new GenericInternalRow(values.map(_._2).toArray),
      s"hudilite aggregates from statistics: ${functions.mkString(", ")}")
  }

  /** The column that a function looks at, itself none for `count(*)`; `None` for a function without exact answer. */
  private def columnOf(function: AggregateFunc, schema: StructType): Option[Option[StructField]] = function match {
    case _: CountStar => Some(None)
    case c: Count if !c.isDistinct => field(c.column, schema).filter(f => isAtomic(f.dataType)).map(Some(_))
    case m: Min => field(m.column, schema).filter(f => isOrdered(f.dataType)).map(Some(_))
    case m: Max => field(m.column, schema).filter(f => isOrdered(f.dataType)).map(Some(_))
    case _ => None
  }

  private def field(expression: Expression, schema: StructType): Option[StructField] = expression match {
    case r: NamedReference if r.fieldNames.length == 1 => schema.fields.find(_.name == r.fieldNames.head)
    case _ => None
  }

  private def isAtomic(dataType: DataType): Boolean = dataType match {
    case _: StructType | _: ArrayType | _: MapType => false
    case _ => true
  }

  private def isOrdered(dataType: DataType): Boolean = dataType match {
    case IntegerType | LongType | DateType => true
    case _ => false
  }

  private def evaluate(
      function: AggregateFunc, column: Option[StructField], files: Seq[KnownFile]): Option[(DataType, Any)] = {
    val rows = files.map(_.bounds.rows).sum
    column match {
      case None => Some(LongType -> rows)
      case Some(field) =>
        val bounded = !function.isInstanceOf[Count]
        val found = files.map(factsOf(_, field, bounded))
        if (found.exists(_.isEmpty)) None
        else {
          val facts = found.flatten
          function match {
            case _: Count => Some(LongType -> (rows - facts.map(_.nulls).sum))
            case _: Min =>
              Some(field.dataType -> value(facts.flatMap(_.min).reduceOption((a, b) => a.min(b)), field.dataType))
            case _ =>
              Some(field.dataType -> value(facts.flatMap(_.max).reduceOption((a, b) => a.max(b)), field.dataType))
          }
        }
    }
  }

  private def value(bound: Option[Long], dataType: DataType): Any = bound match {
    case Some(v) if dataType == LongType => v
    case Some(v) => v.toInt
    case None => null
  }

  /** `None` where the column is not certain. */
  private def factsOf(file: KnownFile, field: StructField, bounded: Boolean): Option[ColumnFacts] =
    if (file.bounds.rows == 0) Some(ColumnFacts(0, None, None)) // its folder has a value of no row
    else if (file.folder.contains(field.name)) Some(factsOf(file.folder(field.name), file.bounds.rows))
    else if (file.dropped(field.name)) None
    else file.bounds.columns.get(field.name).flatMap(factsOf(_, file.bounds.rows, field.dataType, bounded))

  /** Where the folder says the value of all rows. */
  private def factsOf(value: Any, rows: Long): ColumnFacts = value match {
    case null => ColumnFacts(rows, None, None)
    case number: Int => ColumnFacts(0, Some(number.toLong), Some(number.toLong))
    case number: Long => ColumnFacts(0, Some(number), Some(number))
    case _ => ColumnFacts(0, None, None)
  }

  private def factsOf(column: ColumnBounds, rows: Long, wanted: DataType, bounded: Boolean): Option[ColumnFacts] =
    if (!bounded || column.nulls == rows) Some(ColumnFacts(column.nulls, None, None))
    else column.values.flatMap(numbers).filter { case (min, _) => wanted != DateType || min >= FirstCertainDay }
      .map { case (min, max) => ColumnFacts(column.nulls, Some(min), Some(max)) }

  private def numbers(values: ValueBounds): Option[(Long, Long)] = values match {
    case ValueBounds.Ints(min, max) => Some((min.toLong, max.toLong))
    case ValueBounds.Longs(min, max) => Some((min, max))
    case ValueBounds.Days(min, max) => Some((min.toLong, max.toLong))
    case ValueBounds.Micros(_, _) | ValueBounds.Texts(_, _) => None
  }
}
