package io.hudilite.spark.basefile.skeleton

import io.hudilite.spark.basefile.read.{
  BaseFileReader,
  BatchReader,
  FileRange,
  FileRead,
  ReaderContexts,
  RowReader,
  SplitReader
}

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.vectorized.ColumnarBatch

/** The rows of a base file, wherever its columns lie: all in it, or those of a skeleton in its source. */
private[spark] object BaseFileRows {

  /** By Spark's vectorized reader. */
  def batches(job: FileRead, contexts: ReaderContexts, file: FileRange): SplitReader[ColumnarBatch] =
    file.file.sourceOfSkeleton.fold[SplitReader[ColumnarBatch]](new BatchReader(job,
        new BaseFileReader(job, contexts, file)))(
      new SkeletonFile(job, contexts, file, _).batches)

  /** By Parquet's own record assembly. */
  def rows(job: FileRead, contexts: ReaderContexts, file: FileRange): SplitReader[InternalRow] =
    file.file.sourceOfSkeleton.fold[SplitReader[InternalRow]](new RowReader(job,
        new BaseFileReader(job, contexts, file)))(
      new SkeletonFile(job, contexts, file, _).rows)
}
