package io.hudilite.spark.scan.task

import io.hudilite.record.RowPlace
import io.hudilite.spark.basefile.read.{ConstantColumn, FileRead, RowReader, SplitReader, StructView}

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{
  BoundReference,
  CreateNamedStruct,
  Expression,
  Literal,
  UnsafeProjection
}
import org.apache.spark.sql.execution.vectorized.ConstantColumnVector
import org.apache.spark.sql.types.{DataType, LongType, StringType, StructField, StructType}
import org.apache.spark.sql.vectorized.{ColumnVector, ColumnarBatch}
import org.apache.spark.unsafe.types.UTF8String

/** Origin of one column of a scan. */
private[scan] sealed trait ColumnSource

private[scan] object ColumnSource {

  /** The column at this place among those that a reader delivers. */
  final case class Delivered(at: Int, dataType: DataType) extends ColumnSource

  /** One value in all rows of a file, in Spark's internal form. */
  final case class Constant(dataType: DataType, value: Any) extends ColumnSource

  /** A struct that is null in no row. */
  final case class Struct(dataType: StructType, fields: Seq[ColumnSource]) extends ColumnSource
}

/** The columns of a scan: those that files hold come from their readers, the others are constants of a file, numbers of
  * rows, or structs of these. Batches and rows are put together by one mapping.
  *
  * Values of partition columns are those that the folder says: a row may lie in a partition that is not that of its
  * values (docs/format.md#partitions). Statements that change rows address them by their numbers in their base files.
  * Rows of slices with log files have none: one of a log is in no base file, and the others are found by their keys.
  *
  * @param folders
  *   values of columns by partition
  */
private[spark] final class ScanColumns(val job: ScanTask, folders: Map[String, Map[String, Any]]) {

  import ColumnSource._

  private val columns = job.files.columns

  private val facts = job.facts.getOrElse(new StructType())

  private def isFacts(field: StructField): Boolean = job.facts.isDefined && field.name == RowPlace.FileFacts

  private val ofFiles = columns.fields.filterNot(f =>
    f.name == RowPlace.FileId || f.name == RowPlace.Position || isFacts(f) || job.dropped(f.name))

  private val numbersRows =
    columns.fieldNames.contains(RowPlace.Position) || facts.fieldNames.contains(FileFacts.RowIndex)

  /** Columns that are read of slices with log files. */
  val inSlices: FileRead = job.files.copy(columns = StructType(ofFiles))

  /** Columns that are read of base files without log files, with the numbers of rows behind them. */
  val inBaseFiles: FileRead =
    if (numbersRows) job.files.copy(columns = inSlices.columns.add(RowReader.RowIndex)) else inSlices

  /** @param read
    *   batches of [[inBaseFiles]] or [[inSlices]]
    */
  def ofBatches(read: SplitReader[ColumnarBatch], from: FileRead, file: FileFacts): SplitReader[ColumnarBatch] = {
    val sources = sourcesOf(from.columns, file)
    if (areDelivered(sources, from.columns)) read else new MappedBatches(read, sources)
  }

  /** @param read
    *   rows of [[inBaseFiles]]
    */
  def ofRows(read: SplitReader[InternalRow], file: FileFacts): SplitReader[InternalRow] = {
    val sources = sourcesOf(inBaseFiles.columns, file)
    if (areDelivered(sources, inBaseFiles.columns)) read else new MappedRows(read, sources)
  }

  /** The sources of the scan's columns in a file. */
  private def sourcesOf(read: StructType, file: FileFacts): Seq[ColumnSource] = {
    val places = read.fieldNames.zipWithIndex.toMap
    val ofFolder = folders.getOrElse(file.partition, Map.empty[String, Any])
    val number =
      places.get(RowReader.RowIndex.name).fold[ColumnSource](Constant(LongType, null))(Delivered(_, LongType))
    def fact(field: StructField): ColumnSource =
      if (field.name == FileFacts.RowIndex) number else Constant(field.dataType, file.value(field.name))
    columns.fields.toSeq.map {
      case StructField(RowPlace.FileId, _, _, _) => Constant(StringType, UTF8String.fromString(file.fileId))
      case StructField(RowPlace.Position, _, _, _) => number
      case field if isFacts(field) => Struct(facts, facts.fields.toSeq.map(fact))
      case StructField(name, dataType, _, _) if ofFolder.contains(name) => Constant(dataType, ofFolder(name))
      case StructField(name, dataType, _, _) => Delivered(places(name), dataType)
    }
  }

  private def areDelivered(sources: Seq[ColumnSource], read: StructType): Boolean =
    sources.map { case Delivered(at, _) => at; case _ => -1 } == read.indices
}

private final class MappedBatches(inner: SplitReader[ColumnarBatch], sources: Seq[ColumnSource])
    extends SplitReader[ColumnarBatch] {

  override def next(): Boolean = inner.next()

  override def get(): ColumnarBatch = {
    val batch = inner.get()
    new ColumnarBatch(sources.map(vector(batch, _)).toArray, batch.numRows)
  }

  private def vector(batch: ColumnarBatch, source: ColumnSource): ColumnVector = source match {
    case ColumnSource.Delivered(at, _) => batch.column(at)
    case ColumnSource.Constant(dataType, value) => ConstantColumn.of(batch.numRows, dataType, value)
    case ColumnSource.Struct(dataType, fields) =>
      val present = new ConstantColumnVector(batch.numRows, dataType)
      new StructView(present, dataType, fields.toIndexedSeq.map(vector(batch, _)))
  }

  override def size: Int = inner.size
  override def close(): Unit = inner.close()
}

private final class MappedRows(inner: SplitReader[InternalRow], sources: Seq[ColumnSource])
    extends SplitReader[InternalRow] {

  private val projection = UnsafeProjection.create(sources.map(expression))

  private def expression(source: ColumnSource): Expression = source match {
    case ColumnSource.Delivered(at, dataType) => BoundReference(at, dataType, nullable = true)
    case ColumnSource.Constant(dataType, value) => Literal(value, dataType)
    case ColumnSource.Struct(dataType, fields) =>
      CreateNamedStruct(dataType.fieldNames.toSeq.zip(fields).flatMap { case (name, field) =>
        Seq(Literal(name), expression(field))
      })
  }

  override def next(): Boolean = inner.next()
  override def get(): InternalRow = projection(inner.get())
  override def size: Int = 1
  override def close(): Unit = inner.close()
}
