package io.hudilite.spark.scan.plan

import io.hudilite.filegroup.FileSlice
import io.hudilite.record.MetaFields
import io.hudilite.spark.scan.task.{ScanPartition, ScanReaderFactory, SliceSplit}
import io.hudilite.spark.slice.deliver.SliceMerge
import io.hudilite.table.Table

import org.apache.spark.TaskContext
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.types.StructType

/** Reads file slices that tasks name: the rows that a reader sees. Files are asked for columns as writes and services ask
  * them, by any case where none has the very name, whatever the session says.
  */
final class SliceRows private (factory: ScanReaderFactory) extends Serializable {

  /** The rows of a slice, each valid until the next. Files are closed behind the last one, or as it fails. */
  def of(of: FileSlice): Iterator[InternalRow] = new Iterator[InternalRow] {

    private val reader = factory.createReader(ScanPartition(Seq(SliceSplit(of))))
    private var isOpen = true
    private var ready = false

    // Whoever takes the rows may fail.
    Option(TaskContext.get()).foreach(_.addTaskCompletionListener[Unit]((_: TaskContext) => close()))

    override def hasNext: Boolean = {
      if (isOpen && !ready) {
        var more = false
        try more = reader.next()
        finally if (!more) close()
        ready = more
      }
      ready
    }

    override def next(): InternalRow = {
      if (!hasNext) throw new NoSuchElementException("no more rows")
      ready = false
      reader.get()
    }

    private def close(): Unit = if (isOpen) {
      isOpen = false
      reader.close()
    }
  }
}

object SliceRows {

  /** @param columns
    *   those to deliver, which files hold
    * @param latest
    *   greatest instant whose log files count
    */
  def apply(session: SparkSession, table: Table, columns: StructType, latest: String): SliceRows = {
    val state = new TableState(table, Query.Planned(latest, Nil))
    new HudiliteScanBuilder(session, state, columns, Map.empty).build().toBatch.createReaderFactory() match {
      case factory: ScanReaderFactory =>
        val merge = SliceMerge(state.logs, Set(Seq(MetaFields.RecordKey)))
        val files = factory.job.files
        val anyCase = files.copy(settings = files.settings.copy(caseSensitive = false))
        new SliceRows(factory.copy(job = factory.job.copy(files = anyCase, merge = Some(merge))))
      case other => throw new IllegalStateException(s"not a reader of slices: $other")
    }
  }
}
