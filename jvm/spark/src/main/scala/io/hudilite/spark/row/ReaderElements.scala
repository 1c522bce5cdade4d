package io.hudilite.spark.row

import io.hudilite.storage.Closing

import org.apache.spark.TaskContext
import org.apache.spark.sql.connector.read.PartitionReader

/** Rows or batches that a reader of Spark's delivers to a task of hudilite's own, each valid until the next. */
private[spark] object ReaderElements {

  /** The reader is closed behind the last of them and as it fails, and with the task: whoever takes them may fail, too. */
  def of[T](reader: PartitionReader[T]): Iterator[T] = {
    val elements = new Closing(reader, Iterator.continually(reader).takeWhile(_.next()).map(_.get()))
    Option(TaskContext.get()).foreach(_.addTaskCompletionListener[Unit]((_: TaskContext) => elements.close()))
    elements
  }
}
