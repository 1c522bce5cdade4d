package io.hudilite.spark.basefile.skeleton

import io.hudilite.error.UnsupportedTable
import io.hudilite.filegroup.BaseFile
import io.hudilite.record.FolderValues
import io.hudilite.schema.EvolvedColumns
import io.hudilite.spark.basefile.read._
import io.hudilite.spark.row.PathText

import org.apache.spark.sql.types.{StructField, StructType}
import org.apache.spark.sql.vectorized.{ColumnVector, ColumnarBatch}

/** All rows of a skeleton and its source, for what writes need of them. Partition columns that the source lacks have the
  * values of the path.
  */
private[spark] final class SkeletonBatches(basePath: String, skeleton: BaseFile, contexts: ReaderContexts,
    evolved: Option[EvolvedColumns], folders: FolderColumns) {

  private val range = FileRange.of(skeleton)

  /** @param constants
    *   values of some of the columns
    */
  def open(columns: StructType, batchRows: Int, constants: Map[String, Any] = Map.empty): OldRows = {
    val told = constants ++ toldByPath(columns)
    val read = StructType(columns.filterNot(f => told.contains(f.name)))
    val job = FileRead(basePath, read, Nil, None, keysToCheck = false, None, ReaderSettings.ofWholeFiles(batchRows),
      evolved)
    new SkeletonRows(columns, told, BaseFileRows.batches(job, contexts, range))
  }

  /** Values of the partition columns among these that the source lacks. */
  private def toldByPath(columns: StructType): Map[String, Any] = {
    val place = skeleton.source.map(new SourcePlace(basePath, range, _, contexts.conf))
    val lacking = columns.filter(f => folders.fields.contains(f.name) && !place.exists(_.has(f.name)))
    val texts = FolderValues.ofSource(skeleton.partition, folders.fields, folders.urlEncode)
    lacking.map(field => field.name -> valueOf(field, texts.map(_(folders.fields.indexOf(field.name))))).toMap
  }

  /** @param text
    *   none where the path does not tell it, and none in it for null
    */
  private def valueOf(field: StructField, text: Option[Option[String]]): Any = {
    def known(of: String): Option[Any] = if (PathText.tells(field.dataType)) PathText.read(of, field.dataType) else None
    text.flatMap(_.fold[Option[Any]](Some(null))(known)).getOrElse(
      throw UnsupportedTable("UNSUPPORTED_TABLE_FEATURE", "path" -> basePath,
        "feature" -> s"bootstrapped files in the partition '${skeleton.partition}'",
        "reason" -> s"its path does not tell the value of the column ${field.name}",
        "way" -> UnsupportedTable.ByHudi))
  }
}

/** @param columns
  *   to deliver
  * @param told
  *   values of those that `read` lacks
  */
private final class SkeletonRows(columns: StructType, told: Map[String, Any], read: SplitReader[ColumnarBatch])
    extends OldRows {

  private val places = columns.fieldNames.filterNot(told.contains).zipWithIndex.toMap
  private var current: Array[ColumnVector] = Array.empty

  override def next(): Boolean = {
    val more = read.next()
    if (more) current = columns.fields.map(field =>
      told.get(field.name).fold(read.get().column(places(field.name)))(ConstantColumn.of(rows, field.dataType, _)))
    more
  }

  override def rows: Int = read.size

  override def vectors: Array[ColumnVector] = current

  override def close(): Unit = read.close()
}
