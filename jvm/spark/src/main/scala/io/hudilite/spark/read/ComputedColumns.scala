package io.hudilite.spark.read

import io.hudilite.record.RowPlace
import io.hudilite.spark.basefile.read.{FileRead, RowReader, SplitReader}

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{
  BoundReference,
  CreateNamedStruct,
  Expression,
  Literal,
  UnsafeProjection
}
import org.apache.spark.sql.types.{LongType, StructField, StructType}
import org.apache.spark.sql.vectorized.{ColumnVector, ColumnarBatch}

/** The columns of a scan that say where rows are, put among those that its files hold, and those that are what the folder
  * of a file says: a row may lie in a partition that is not that of its values (docs/format.md#partitions).
  *
  * The numbers of rows in their base files are how statements that change rows address them. What a slice with log files
  * shows has none: a row of its log is in no base file, and its others are found by their keys.
  *
  * @param folders
  *   values of columns by partition
  */
private[read] final class ComputedColumns(val job: ScanTask, folders: Map[String, Map[String, Any]]) {

  private val columns = job.files.columns
  private val wantsPositions = columns.fieldNames.contains(RowPlace.Position)
  private val ofFiles = if (job.facts.isEmpty) columns else FileFacts.without(columns)

  /** What is read of base files without log files, with the name by which their readers number rows. */
  val inBaseFiles: FileRead = {
    val named = ofFiles.fields.map(f => if (f.name == RowPlace.Position) RowReader.RowIndex else f)
    val index = if (job.facts.exists(_.fieldNames.contains(FileFacts.RowIndex)) && !wantsPositions)
      Seq(RowReader.RowIndex)
    else Nil
    if (named.sameElements(columns.fields)) job.files else job.files.copy(columns = StructType(named ++ index))
  }

  /** What is read of slices with log files. */
  val inSlices: FileRead =
    if (!wantsPositions && job.facts.isEmpty) job.files
    else job.files.copy(columns = StructType(ofFiles.fields.filter(_.name != RowPlace.Position)))

  /** @param read
    *   batches of [[inBaseFiles]]
    */
  def ofBaseFile(read: SplitReader[ColumnarBatch], facts: FileFacts, partition: String): SplitReader[ColumnarBatch] =
    inFolder(
      if (job.facts.isEmpty) read else new ComputedBatches(columns, read, inBaseFiles.columns, job.facts, facts),
      partition)

  /** @param read
    *   rows of [[inBaseFiles]]
    */
  def ofBaseRows(read: SplitReader[InternalRow], facts: FileFacts, partition: String): SplitReader[InternalRow] = {
    val rows = job.facts.fold(read)(new ComputedRows(columns, read, inBaseFiles.columns, _, facts))
    folders.get(partition).filter(_.nonEmpty).fold(rows)(new FolderRows(columns, rows, _))
  }

  /** @param read
    *   batches of [[inSlices]]
    */
  def ofSlice(read: SplitReader[ColumnarBatch], facts: FileFacts, partition: String): SplitReader[ColumnarBatch] =
    inFolder(
      if (inSlices eq job.files) read else new ComputedBatches(columns, read, inSlices.columns, job.facts, facts),
      partition)

  private def inFolder(read: SplitReader[ColumnarBatch], partition: String): SplitReader[ColumnarBatch] =
    folders.get(partition).filter(_.nonEmpty).fold(read)(new FolderBatches(columns, read, _))
}

/** Where the columns of a scan stand in what a reader delivers. */
private final class ReadPlaces(columns: StructType, read: StructType) {

  /** Of the numbers of rows; -1 when they are not known. */
  val rowIndex: Int = read.fieldNames.indexOf(RowReader.RowIndex.name)

  /** By column; -1 for one that is not read. */
  val of: Array[Int] = columns.fieldNames.map {
    case RowPlace.Position => rowIndex
    case name => read.fieldNames.indexOf(name)
  }
}

/** @param asked
  *   what is wanted of the facts on the file, if they are
  */
private final class ComputedBatches(
    columns: StructType, inner: SplitReader[ColumnarBatch], read: StructType, asked: Option[StructType],
    facts: FileFacts)
    extends SplitReader[ColumnarBatch] {

  private val places = new ReadPlaces(columns, read)
  private val values: Map[String, Any] =
    asked.toSeq.flatMap(_.fieldNames).filter(_ != FileFacts.RowIndex).map(f => f -> facts.value(f)).toMap

  override def next(): Boolean = inner.next()

  override def get(): ColumnarBatch = {
    val batch = inner.get()
    val rowIndex: ColumnVector =
      if (places.rowIndex >= 0) batch.column(places.rowIndex) else ConstantColumn.of(batch.numRows, LongType, null)
    val vectors = columns.fields.zip(places.of).map {
      case (_, at) if at >= 0 => batch.column(at)
      case (StructField(RowPlace.FileFacts, struct: StructType, _, _), _) if asked.isDefined =>
        new StructVector(struct,
          struct.fields.map { f =>
            if (f.name == FileFacts.RowIndex) rowIndex else ConstantColumn.of(batch.numRows, f.dataType, values(f.name))
          })
      case _ => rowIndex
    }
    new ColumnarBatch(vectors, batch.numRows)
  }

  override def size: Int = inner.size
  override def close(): Unit = inner.close()
}

private final class ComputedRows(
    columns: StructType, inner: SplitReader[InternalRow], read: StructType, asked: StructType, facts: FileFacts)
    extends SplitReader[InternalRow] {

  private val places = new ReadPlaces(columns, read)
  private val projection = UnsafeProjection.create(columns.fields.zip(places.of).map {
    case (field, at) if at >= 0 => BoundReference(at, field.dataType, nullable = true)
    case _ => CreateNamedStruct(asked.fields.toSeq.flatMap(f => Seq[Expression](Literal(f.name), fact(f))))
  }.toSeq)

  private def fact(field: StructField): Expression =
    if (field.name == FileFacts.RowIndex) BoundReference(places.rowIndex, LongType, nullable = true)
    else Literal(facts.value(field.name), field.dataType)

  override def next(): Boolean = inner.next()
  override def get(): InternalRow = projection(inner.get())
  override def size: Int = 1
  override def close(): Unit = inner.close()
}
