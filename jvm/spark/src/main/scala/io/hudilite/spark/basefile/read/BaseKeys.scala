package io.hudilite.spark.basefile.read

import io.hudilite.filegroup.{BaseFile, FooterCache}
import io.hudilite.log.RowPosition
import io.hudilite.record.MetaFields
import io.hudilite.spark.row.{KeyCheck, OrderedRows}
import io.hudilite.stats.FileStatistics
import io.hudilite.storage.KnownPath

import java.io.Closeable

import org.apache.parquet.hadoop.metadata.{BlockMetaData, ParquetMetadata}
import org.apache.spark.sql.types.{StringType, StructField, StructType}
import org.apache.spark.unsafe.types.UTF8String

import scala.collection.JavaConverters._

/** Finds the rows of a base file that have some keys, which are asked for in the order of their bytes.
  *
  * The file's keys are read once, in step with these, and row groups that can have none of them are not read at all.
  * For a file whose rows are in no order every answer is unknown.
  *
  * @param check
  *   check of the keys that are read
  */
private[spark] final class BaseKeys(basePath: String, file: BaseFile, contexts: ReaderContexts,
    check: KeyCheck = KeyCheck.None) extends OrderedRows with Closeable {

  import BaseKeys._

  private val conf = contexts.conf
  private val path = s"$basePath/${file.relativePath}"
  private val sorted = FileStatistics.at(basePath, conf).ofFile(file).keys.sorted
  private lazy val footer: ParquetMetadata = FooterCache.metadata(conf, path, file.length)
  private lazy val groups: Array[BlockMetaData] = footer.getBlocks.asScala.toArray
  private lazy val ranges = groups.map(OldBaseFile.keyRange(_).map { case (smallest, largest) =>
    (UTF8String.fromBytes(smallest), UTF8String.fromBytes(largest))
  })

  private var group = 0
  private var batches: FileBatches = _
  private var first = 0L // position of the batch's first row in the file
  private var rows = 0
  private var row = 0

  // Key asked for last, and the answer. For the last row of a batch the next row has yet to be looked at, since it may
  // have this key, too.
  private var wanted: UTF8String = _
  private var answer = RowPosition.Unknown

  /** Position of the row with this key; [[RowPosition.Absent]] when there is none. It is unknown when there are
    * several, and for a key that is less than an earlier one.
    */
  def position(key: UTF8String): Long =
    if (!sorted) RowPosition.Unknown
    else {
      val order = if (wanted == null) 1 else key.compareTo(wanted)
      if (order < 0) RowPosition.Unknown
      else {
        if (order > 0) {
          wanted = key.copy()
          answer = if (seek() && isWanted) found() else RowPosition.Absent
        }
        answer
      }
    }

  /** Moves to the first row that is not below the key; false when there is none, or the key lies between row groups. */
  private def seek(): Boolean = {
    var searching = true
    while (searching) { // hot path
      if (batches != null) {
        row = firstNotBelow(row, rows)
        if (row < rows) searching = false else nextBatch()
      } else if (group >= groups.length || startsAbove) searching = false
      else if (endsBelow) passGroup()
      else openGroup()
    }
    batches != null
  }

  override protected def compare(row: Int): Int = keyAt(row).compareTo(wanted)

  private def keyAt(row: Int): UTF8String = batches.vectors(0).getUTF8String(row)

  private def isWanted: Boolean = keyAt(row) == wanted

  private def startsAbove: Boolean = ranges(group).exists { case (smallest, _) => smallest.compareTo(wanted) > 0 }

  private def endsBelow: Boolean = ranges(group).exists { case (_, largest) => largest.compareTo(wanted) < 0 }

  private def found(): Long = {
    val position = first + row
    row += 1
    if (seek() && isWanted) RowPosition.Unknown else position
  }

  private def openGroup(): Unit = {
    batches = FileBatches.of(new KnownPath(path, file.length), footer, Seq(groups(group)), KeyColumn, contexts)
    nextBatch()
  }

  /** Reads the next batch, or leaves the row group when there is none. */
  private def nextBatch(): Unit = {
    first += rows
    row = 0
    rows = 0
    if (batches.next()) {
      rows = batches.rows
      check.check(batches.vectors(0), rows)
    } else {
      close()
      group += 1
    }
  }

  private def passGroup(): Unit = {
    first += groups(group).getRowCount
    group += 1
  }

  override def close(): Unit = if (batches != null) {
    batches.close()
    batches = null
  }
}

private[spark] object BaseKeys {

  /** Column of the record key alone. */
  val KeyColumn: FileColumns =
    FileColumns(StructType(Seq(StructField(MetaFields.RecordKey, StringType))), Vector(Conversion.AsIs))
}
