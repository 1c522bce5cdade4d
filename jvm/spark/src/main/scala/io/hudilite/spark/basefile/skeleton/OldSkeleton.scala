package io.hudilite.spark.basefile.skeleton

import io.hudilite.error.UnsupportedTable
import io.hudilite.filegroup.{BaseFile, SourceFile}
import io.hudilite.record.FolderValues
import io.hudilite.schema.EvolvedColumns
import io.hudilite.spark.basefile.read._
import io.hudilite.spark.row.{CarriedSchema, KeySettings, PathText}

import org.apache.parquet.hadoop.metadata.BlockMetaData
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.types.{DataType, StructField, StructType}
import org.apache.spark.sql.vectorized.{ColumnVector, ColumnarBatch}

/** A skeleton that a merge replaces by a base file with all columns. Partition columns that the source lacks have the values
  * of the path.
  */
private[spark] final class OldSkeleton(basePath: String, skeleton: BaseFile, columnsOfTable: StructType,
    contexts: ReaderContexts, evolved: Option[EvolvedColumns], keys: KeySettings, source: SourceFile)
    extends OldBaseFile(basePath, skeleton, columnsOfTable, contexts, evolved) {

  private lazy val place = new SourcePlace(basePath, FileRange.of(skeleton), source, contexts.conf)

  private lazy val carried: StructType = CarriedSchema.schema(columnsOfTable)

  /** Values of columns that the source lacks, by the places of the columns. */
  private lazy val told: Map[Int, Any] = {
    val fields = keys.partitionFields.map(_.name)
    val texts = FolderValues.ofSource(skeleton.partition, fields, keys.urlEncode)
    val lacking = carried.fields.zipWithIndex.toSeq.filter { case (f, _) => fields.contains(f.name) && !place.has(f.name) }
    lacking.map { case (field, at) =>
      at -> valueOf(field, texts.map(_(fields.indexOf(field.name))))
    }.toMap
  }

  /** @param text
    *   none where the path does not tell it, and none in it for null
    */
  private def valueOf(field: StructField, text: Option[Option[String]]): Any =
    text.flatMap(_.fold[Option[Any]](Some(null))(known(_, field.dataType))).getOrElse(
      throw UnsupportedTable("UNSUPPORTED_TABLE_FEATURE", "path" -> basePath,
        "feature" -> s"bootstrapped files in the partition '${skeleton.partition}'",
        "reason" -> s"its path does not tell the value of the column ${field.name}",
        "way" -> UnsupportedTable.ByHudi))

  private def known(text: String, dataType: DataType): Option[Any] =
    if (PathText.tells(dataType)) PathText.read(text, dataType) else None

  /** All rows: row groups of a skeleton say nothing of the source. */
  override def batches(of: Seq[BlockMetaData]): OldRows = {
    if (of.size != blocks.size) throw new IllegalStateException(s"some row groups of the skeleton ${skeleton.name}")
    new SkeletonRows(carried, told, BaseFileRows.batches(read, contexts, FileRange.of(skeleton)))
  }

  override def batches(of: Seq[BlockMetaData], ordinals: Array[Int]): OldRows =
    throw new IllegalStateException(s"some columns of the skeleton ${skeleton.name}")

  private def read: FileRead = FileRead(basePath,
    StructType(carried.fields.indices.filterNot(told.contains).map(carried(_))), Nil, None, keysToCheck = false, None,
    settings, evolved)

  // As a scan of these rows has them.
  private def settings: ReaderSettings = {
    val sql = SQLConf.get
    ReaderSettings(vectorized = true, columnar = true, sql.parquetVectorizedReaderBatchSize, offHeap = false,
      caseSensitive = false, pushFilters = false,
      datetimeRebaseMode = sql.getConfString(SQLConf.PARQUET_REBASE_MODE_IN_READ.key),
      int96RebaseMode = sql.getConfString(SQLConf.PARQUET_INT96_REBASE_MODE_IN_READ.key),
      int96Conversion = sql.isParquetINT96TimestampConversion, timeZone = sql.sessionLocalTimeZone)
  }
}

/** @param columns
  *   to deliver
  * @param told
  *   by their places, the values of those that `read` lacks
  */
private final class SkeletonRows(columns: StructType, told: Map[Int, Any], read: SplitReader[ColumnarBatch])
    extends OldRows {

  private val places = columns.indices.filterNot(told.contains).zipWithIndex.toMap

  override def next(): Boolean = read.next()

  override def rows: Int = read.size

  override def vectors: Array[ColumnVector] = columns.indices.map { at =>
    told.get(at).fold(read.get().column(places(at)))(ConstantColumn.of(rows, columns(at).dataType, _))
  }.toArray

  override def close(): Unit = read.close()
}
