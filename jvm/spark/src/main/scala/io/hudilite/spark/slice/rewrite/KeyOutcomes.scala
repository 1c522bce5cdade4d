package io.hudilite.spark.slice.rewrite

import io.hudilite.config.DeleteMarker
import io.hudilite.filegroup.{BaseFile, FileSlice}
import io.hudilite.log.BlockInstants
import io.hudilite.merge.{MergeRule, Outcome, Version}
import io.hudilite.schema.EvolvedColumns
import io.hudilite.spark.basefile.read.OldBaseFile
import io.hudilite.spark.logfile.read.{LogBlocks, LogJob, LogRowLayout, MergedLog}
import io.hudilite.spark.row.CarriedSchema

import org.apache.hadoop.conf.Configuration
import org.apache.parquet.hadoop.metadata.BlockMetaData
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.types.StructType
import org.apache.spark.sql.vectorized.{ColumnVector, ColumnarArray}
import org.apache.spark.unsafe.types.UTF8String

import scala.collection.mutable

/** Tells of changes that are appended to the log of a file slice which keys they take out of it, and which come back. A
  * change may lose against the row that is there, or meet one that is gone: the log files of the slice are read for the
  * keys in question, and the ordering values of its base file where they are compared.
  *
  * @param logs
  *   how log files are read
  * @param ordinals
  *   of the data columns with the ordering values that the rule compares
  */
private[spark] final class KeyOutcomes(slice: FileSlice, logs: LogJob, ordinals: Array[Int], conf: Configuration,
    open: BaseFile => OldBaseFile)(came: UTF8String => Unit, left: UTF8String => Unit) {

  private val rule = logs.rule
  private val version = new RowVersion(logs.dataSchema, ordinals, None)
  private val changes = mutable.ArrayBuffer.empty[KeyVersion]

  /** A change; those of one slice come in the order of their keys' bytes.
    *
    * @param row
    *   null for a delete by key alone
    */
  def add(key: UTF8String, row: InternalRow, isDelete: Boolean): Unit = {
    if (changes.size >= KeyOutcomes.AtOnce && changes.last.key != key) settle()
    version.moveTo(row, isDelete)
    changes += KeyVersion.of(key.copy(), version, ordinals.length, isDelete || row == null)
  }

  /** Tells of the changes so far. */
  def settle(): Unit = if (changes.nonEmpty) {
    val keys = changes.iterator.map(_.key).toArray.distinct
    val found = mutable.HashMap.empty[UTF8String, Version]
    slice.base.foreach(readBase(_, keys, found))
    if (slice.logs.nonEmpty) readLog(keys, found)
    keys.indices.foldLeft(0)((from, i) => settle(keys(i), from, found.get(keys(i))))
    changes.clear()
  }

  private def settle(key: UTF8String, from: Int, before: Option[Version]): Int = {
    var (now, at) = (before, from)
    while (at < changes.size && changes(at).key == key) {
      now = Some(now.fold[Version](changes(at))(KeyOutcomes.later(rule, changes(at), _)))
      at += 1
    }
    val (was, is) = (before.exists(!_.isDelete), now.exists(!_.isDelete))
    if (was && !is) left(key) else if (!was && is) came(key)
    at
  }

  // Of several rows of a key readers take the first.
  private def readBase(file: BaseFile, keys: Array[UTF8String], found: mutable.HashMap[UTF8String, Version]): Unit = {
    val wanted = new java.util.HashSet[UTF8String](java.util.Arrays.asList(keys: _*))
    val old = open(file)
    val blocks = old.blocksFor(meets(_, keys))
    if (blocks.nonEmpty) readBlocks(old, blocks, wanted, found)
  }

  private def readBlocks(old: OldBaseFile, blocks: Seq[BlockMetaData], wanted: java.util.Set[UTF8String],
      found: mutable.HashMap[UTF8String, Version]): Unit = {
    val columns = (CarriedSchema.KeyOrdinal +: ordinals.map(_ + CarriedSchema.Meta.size)).distinct
    val read = ordinals.map(o => columns.indexOf(o + CarriedSchema.Meta.size))
    val batches = old.batches(blocks, columns)
    try
      while (batches.next()) {
        var row = 0
        while (row < batches.rows) { // hot path
          val key = batches.vectors(0).getUTF8String(row)
          if (wanted.contains(key) && !found.contains(key)) {
            val values = read.map(i => KeyOutcomes.value(batches.vectors(i), row))
            found.put(key.copy(), KeyVersion(key.copy(), values, isDelete = false, isUnordered = false))
          }
          row += 1
        }
      }
    finally batches.close()
  }

  private def meets(block: BlockMetaData, keys: Array[UTF8String]): Boolean =
    OldBaseFile.keyRange(block).forall { case (smallest, largest) =>
      UTF8String.fromBytes(smallest).compareTo(keys.last) <= 0 &&
      UTF8String.fromBytes(largest).compareTo(keys.head) >= 0
    }

  private def readLog(keys: Array[UTF8String], found: mutable.HashMap[UTF8String, Version]): Unit = {
    val layout = LogRowLayout(logs, StructType(logs.orderingColumns))
    val log = MergedLog.of(layout, LogBlocks.of(logs, slice, conf), conf, keys = Some(keys))
    try log.eachKey {
        val record = KeyVersion.of(log.key.copy(), log.record, ordinals.length, log.isDelete)
        found.put(record.key, found.get(record.key).fold[Version](record)(KeyOutcomes.later(rule, record, _)))
      }
    finally log.close()
  }
}

private[spark] object KeyOutcomes {

  /** Changes whose keys are looked for together. */
  private val AtOnce = 100000

  /** The way in which a write reads the log files of its table. */
  def logs(basePath: String, counting: BlockInstants, rule: MergeRule, marker: Option[DeleteMarker], data: StructType,
      evolved: Option[EvolvedColumns]): LogJob = LogJob(basePath, counting, rule, marker, data, evolved)

  private def later(rule: MergeRule, newer: Version, older: Version): Version = rule.decide(newer, older) match {
    case Outcome.Kept | Outcome.Underlaid => older
    case Outcome.Replaced | Outcome.Deleted | Outcome.Overlaid => newer
  }

  private def value(vector: ColumnVector, row: Int): Any =
    if (vector.isNullAt(row)) null
    else InternalRow.copyValue(new ColumnarArray(vector, row, 1).get(0, vector.dataType))
}

/** The version of a key, with all that a merge looks at. */
private final case class KeyVersion(key: UTF8String, values: Array[Any], override val isDelete: Boolean,
    override val isUnordered: Boolean) extends Version {
  override def ordering(field: Int): Any = values(field)
}

private object KeyVersion {
  def of(key: UTF8String, version: Version, fields: Int, isDelete: Boolean): KeyVersion =
    if (version.isUnordered) KeyVersion(key, Array.fill[Any](fields)(null), isDelete, isUnordered = true)
    else KeyVersion(key, Array.tabulate[Any](fields)(i => InternalRow.copyValue(version.ordering(i))), isDelete,
      isUnordered = false)
}
