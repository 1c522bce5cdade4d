package io.hudilite.spark.scan.plan

import io.hudilite.filegroup.{BaseFile, FooterCache}
import io.hudilite.schema.EvolvedColumns
import io.hudilite.spark.basefile.read.FilePaths
import io.hudilite.storage.Parallel
import io.hudilite.table.Table

import org.apache.hadoop.conf.Configuration
import org.apache.parquet.column.statistics.{IntStatistics, LongStatistics, Statistics}
import org.apache.parquet.hadoop.metadata.{ColumnChunkMetaData, ParquetMetadata}
import org.apache.parquet.schema.LogicalTypeAnnotation.{DateLogicalTypeAnnotation, IntLogicalTypeAnnotation}
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow
import org.apache.spark.sql.connector.expressions.{Expression, NamedReference}
import org.apache.spark.sql.connector.expressions.aggregate.{AggregateFunc, Aggregation, Count, CountStar, Max, Min}
import org.apache.spark.sql.connector.read.LocalScan
import org.apache.spark.sql.types._

import scala.collection.JavaConverters._

/** An aggregate that footers answered: one row, no file is read. */
final case class AggregateScan(schema: StructType, row: InternalRow, text: String) extends LocalScan {
  override def readSchema(): StructType = schema
  override def rows(): Array[InternalRow] = Array(row)
  override def description(): String = text
}

/** Answers `count(*)` of whole files from what their commits counted, and `count`, `min` and `max` of columns from their
  * footers, where these are exact. No more footers are read here than the driver can read while a query is planned.
  *
  * Bounds of text can be cut short by a writer and those of fractions can leave out NaN, so both are refused; so are
  * days before the change of calendars, which a reader might have to shift, and files from before a change of columns.
  */
object FooterAggregates {

  // 1900-01-01; the two calendars and all zones agree from there on.
  private val FirstCertainDay = -25567L

  /** @param folder
    *   values of columns as the folder of the file says them
    */
  private final case class FileFooter(footer: ParquetMetadata, folder: Map[String, Any])

  private final case class ColumnFacts(nulls: Long, min: Option[Long], max: Option[Long])

  /** The answer, or `None` when some part of it is not certain. */
  def answer(
      conf: Configuration, table: Table, files: Seq[BaseFile], aggregation: Aggregation,
      schema: StructType, evolved: Option[EvolvedColumns]): Option[AggregateScan] = {
    val functions = aggregation.aggregateExpressions.toSeq
    val columns = functions.map(columnOf(_, schema))
    def sameColumns: Boolean = evolved.forall(e => files.forall(f => e.isOfQuery(f.instant)))
    if (aggregation.groupByExpressions.nonEmpty || columns.exists(_.isEmpty)) None
    else if (columns.flatten.forall(_.isEmpty))
      rowsOf(conf, table, files).map(rows => scan(functions, functions.map(_ => LongType -> (rows: Any))))
    else if (!sameColumns || files.size > KeyPruning.MaxFilesOnDriver) None
    else {
      val partitions = PartitionPruning.of(table.config, schema, evolved)
      val footers = Parallel.map(files)(f =>
        FileFooter(FooterCache.metadata(conf, FilePaths.absolute(table.basePath, f.relativePath), f.length),
          partitions.valuesOf(f.partition)))
      val values = functions.zip(columns.flatten).map { case (function, column) => evaluate(function, column, footers) }
      if (values.forall(_.isDefined)) Some(scan(functions, values.flatten)) else None
    }
  }

  private def rowsOf(conf: Configuration, table: Table, files: Seq[BaseFile]): Option[Long] = {
    val counted = RowCounts.of(table, files)
    val others = files.filterNot(f => counted.contains(f.relativePath))
    if (others.size > KeyPruning.MaxFilesOnDriver) None
    else Some(counted.values.sum + Parallel.map(others)(f =>
      FooterCache.read(conf, FilePaths.absolute(table.basePath, f.relativePath), f.length, withBloom = false).rows).sum)
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
      function: AggregateFunc, column: Option[StructField], footers: Seq[FileFooter]): Option[(DataType, Any)] = {
    val rows = footers.map(_.footer.getBlocks.asScala.map(_.getRowCount).sum).sum
    column match {
      case None => Some(LongType -> rows)
      case Some(field) =>
        val bounded = !function.isInstanceOf[Count]
        val chunks = footers.map(chunksOf(_, field, bounded))
        if (chunks.exists(_.isEmpty)) None
        else {
          val facts = chunks.flatten.flatten
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

  /** Facts of every row group of the file; `None` when one is not certain. */
  private def chunksOf(file: FileFooter, field: StructField, bounded: Boolean): Option[Seq[ColumnFacts]] = {
    val blocks = file.footer.getBlocks.asScala.toSeq
    val schema = file.footer.getFileMetaData.getSchema
    if (file.folder.contains(field.name))
      Some(blocks.map(b => factsOf(file.folder(field.name), b.getRowCount)))
    else if (!schema.getFields.asScala.exists(_.getName.equalsIgnoreCase(field.name)))
      Some(blocks.map(b => ColumnFacts(b.getRowCount, None, None)))
    else {
      val facts = blocks.map(b =>
        b.getColumns.asScala.find(_.getPath.toDotString == field.name)
          .flatMap(factsOf(_, field.dataType, b.getRowCount, bounded)))
      if (facts.forall(_.isDefined)) Some(facts.flatten) else None
    }
  }

  /** Where the folder says the value of all rows. */
  private def factsOf(value: Any, rows: Long): ColumnFacts = value match {
    case null => ColumnFacts(rows, None, None)
    case number: Int => ColumnFacts(0, Some(number.toLong), Some(number.toLong))
    case number: Long => ColumnFacts(0, Some(number), Some(number))
    case _ => ColumnFacts(0, None, None)
  }

  private def factsOf(chunk: ColumnChunkMetaData, wanted: DataType, rows: Long, bounded: Boolean): Option[ColumnFacts] =
    Option(chunk.getStatistics).filter(_.isNumNullsSet).flatMap { statistics =>
      val nulls = statistics.getNumNulls
      if (!bounded || nulls == rows) Some(ColumnFacts(nulls, None, None))
      else bounds(chunk, statistics).filter { case (min, _) => wanted != DateType || min >= FirstCertainDay }
        .map { case (min, max) => ColumnFacts(nulls, Some(min), Some(max)) }
    }

  private def bounds(chunk: ColumnChunkMetaData, statistics: Statistics[_]): Option[(Long, Long)] = {
    val plain = chunk.getPrimitiveType.getLogicalTypeAnnotation match {
      case null | _: DateLogicalTypeAnnotation => true
      case i: IntLogicalTypeAnnotation => i.isSigned
      case _ => false
    }
    statistics match {
      case i: IntStatistics if plain && i.hasNonNullValue => Some((i.getMin.toLong, i.getMax.toLong))
      case l: LongStatistics if plain && l.hasNonNullValue => Some((l.getMin, l.getMax))
      case _ => None
    }
  }
}
