package io.hudilite.spark.slice.deliver

import io.hudilite.filegroup.BaseFile
import io.hudilite.record.RowPlace
import io.hudilite.spark.basefile.read.{KeyBatches, OldRows}
import io.hudilite.spark.basefile.skeleton.SkeletonBatches

import org.apache.spark.TaskContext
import org.apache.spark.sql.types.{StringType, StructType}
import org.apache.spark.unsafe.types.UTF8String

/** All rows of a skeleton and its source, for lookups of keys. */
private[spark] object SkeletonLookup {

  /** Batches of `columns`, then of the id of the file group. They are closed with the task at the latest. */
  def open(files: KeyBatches, skeleton: BaseFile, columns: StructType, context: TaskContext): OldRows = {
    val opened = new SkeletonBatches(files.basePath, skeleton, files.contexts, files.evolved, files.folders)
      .open(columns.add(RowPlace.FileId, StringType), files.batchRows,
        Map(RowPlace.FileId -> UTF8String.fromString(skeleton.fileId)))
    context.addTaskCompletionListener[Unit](_ => opened.close())
    opened
  }
}
