package io.hudilite.spark.keys

import io.hudilite.filegroup.{FileNames, FileSlice}
import io.hudilite.record.{KeyChange, MetaFields}
import io.hudilite.spark.row.ReaderElements
import io.hudilite.spark.scan.plan.{HudiliteScanBuilder, Query, TableState}
import io.hudilite.storage.Storage
import io.hudilite.table.Table
import io.hudilite.upkeep.KeySource

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.connector.read.{InputPartition, PartitionReaderFactory}
import org.apache.spark.sql.types.{StringType, StructField, StructType}
import org.apache.spark.unsafe.types.UTF8String

import scala.collection.JavaConverters._

/** Keys of the rows that readers see in some file slices: a part of a scan, which a task reads. */
private[keys] final case class KeysOfRows(part: InputPartition, factory: PartitionReaderFactory,
    override val estimate: Long) extends KeySource {

  override def inTasks: Boolean = true

  override def changes(storage: Storage): Iterator[KeyChange] = {
    val places = new PlacesOfRows
    if (factory.supportColumnarReads(part))
      ReaderElements.of(factory.createColumnarReader(part)).flatMap(_.rowIterator.asScala).map(places.of)
    else ReaderElements.of(factory.createReader(part)).map(places.of)
  }
}

private[keys] object KeysOfRows {

  private val File = StructType(Seq(StructField("file_name", StringType)))
  private val Columns = StructType(Seq(StructField(MetaFields.RecordKey, StringType),
      StructField(MetaFields.PartitionPath, StringType), StructField("_metadata", File)))

  // Of a slice of which nobody counts the rows.
  private val RowBytes = 50L

  /** A source for each part of the scan of these slices. */
  def of(session: SparkSession, table: Table, slices: Seq[FileSlice]): Seq[KeysOfRows] =
    if (slices.isEmpty) Nil
    else {
      val state = new TableState(table, Query.Planned(table.timeline.lastTime.getOrElse(""), slices))
      val batch = new HudiliteScanBuilder(session, state, Columns, Map.empty).build().toBatch
      val parts = batch.planInputPartitions().toSeq
      val each = slices.map(_.totalLength).sum / RowBytes / math.max(parts.size, 1) + 1
      val factory = batch.createReaderFactory()
      parts.map(KeysOfRows(_, factory, each))
    }
}

/** The key and the place of a row. Rows of one file come one after the other. */
private final class PlacesOfRows {

  private var file: UTF8String = _
  private var fileId: Option[String] = None
  private var partition: UTF8String = _
  private var path = ""

  def of(row: InternalRow): KeyChange = {
    val name = row.getStruct(2, 1).getUTF8String(0)
    if (name != file) {
      file = name.copy()
      fileId = Some(PlacesOfRows.fileIdOf(name.toString))
    }
    val in = row.getUTF8String(1)
    if (in != partition) {
      partition = in.copy()
      path = in.toString
    }
    KeyChange(row.getUTF8String(0).toString, path, fileId)
  }
}

private object PlacesOfRows {
  def fileIdOf(name: String): String =
    FileNames.parseBaseFile(name).map(_.fileId).orElse(FileNames.parseLogFile(name).map(_.fileId))
      .getOrElse(throw new IllegalStateException(s"$name is no file of a slice"))
}
