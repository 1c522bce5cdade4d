package io.hudilite.spark.basefile.skeleton

import io.hudilite.filegroup.SourceFile
import io.hudilite.record.MetaFields
import io.hudilite.spark.basefile.read.{
  BaseFileReader,
  BatchReader,
  FileRange,
  FileRead,
  ReaderContexts,
  RowReader,
  ScanFilter,
  SplitReader
}

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.types.{StructField, StructType}
import org.apache.spark.sql.vectorized.ColumnarBatch

/** A skeleton and its source, which have each row at the same place (docs/format.md#bootstrapped-tables).
  *
  * Where only one of them has the wanted columns, only that is read, and filters leave out row groups and pages of it. Read
  * together neither leaves out a row, since each says nothing of the rows in the other's row groups.
  *
  * @param skeleton
  *   the whole file, with the meta columns
  * @param source
  *   the file with the others
  */
private[skeleton] final class SkeletonFile(job: FileRead, contexts: ReaderContexts, skeleton: FileRange,
    source: SourceFile) {

  import SkeletonFile._

  private val ofSource: Boolean = job.columns.exists(!isOwn(_))
  private val ofSkeleton: Boolean = !ofSource || job.columns.exists(f => MetaFields.all.contains(f.name))

  /** All rows have the commit time of the bootstrap. */
  private val isInRange: Boolean = job.commitTimes.forall(_.contains(skeleton.instant))

  def batches: SplitReader[ColumnarBatch] =
    if (!isInRange) new NoRows[ColumnarBatch]
    else if (!ofSource) new BatchReader(alone(meta = true), skeletonFile(alone(meta = true)))
    else if (!ofSkeleton) new BatchReader(alone(meta = false), sourceFile(alone(meta = false)))
    else together(new BatchReader(_, _))(new JoinedBatches(_, _, places, job.settings.batchSize))

  def rows: SplitReader[InternalRow] =
    if (!isInRange) new NoRows[InternalRow]
    else if (!ofSource) new RowReader(alone(meta = true), skeletonFile(alone(meta = true)))
    else if (!ofSkeleton) new RowReader(alone(meta = false), sourceFile(alone(meta = false)))
    else together(new RowReader(_, _))(new JoinedRows(_, _, job.columns, places))

  private def together[R <: AutoCloseable, T](open: (FileRead, BaseFileReader) => R)(join: (R, R) => T): T = {
    val (own, others) = (part(isOwn), part(!isOwn(_)))
    val first = open(own, skeletonFile(own))
    try {
      val second = open(others, sourceFile(others))
      try join(first, second)
      catch { case e: Throwable => second.close(); throw e }
    } catch { case e: Throwable => first.close(); throw e }
  }

  /** For each wanted column, the side that has it and its place there. */
  private def places: Seq[JoinedPlace] = {
    val (own, others) = (part(isOwn).columns, part(!isOwn(_)).columns)
    job.columns.fields.toSeq.map(field =>
      if (isOwn(field)) JoinedPlace(0, own.fieldIndex(field.name))
      else JoinedPlace(1, others.fieldIndex(field.name)))
  }

  private def part(has: StructField => Boolean): FileRead =
    job.copy(columns = StructType(job.columns.filter(has)), filters = Nil, keys = None, commitTimes = None)

  /** All wanted columns from one of the files, by the filters on its columns. */
  private def alone(meta: Boolean): FileRead = {
    def isHere(filter: ScanFilter): Boolean = filter.columns.forall(c => MetaFields.all.contains(c.head) == meta)
    job.copy(filters = ScanFilter.conjuncts(job.filters).filter(isHere), keys = job.keys.filter(_ => meta),
      commitTimes = None)
  }

  private def skeletonFile(part: FileRead): BaseFileReader =
    new BaseFileReader(part, contexts, skeleton.copy(source = None))

  private def sourceFile(part: FileRead): BaseFileReader = {
    val place = new SourcePlace(job.basePath, skeleton, source, contexts.conf)
    place.checkLength()
    val whole = skeleton.copy(fileLength = source.length, start = 0L, length = source.length, source = None)
    val file = new BaseFileReader(part, contexts, whole, Some(source.path))
    place.checkRows(file.footer)
    file
  }
}

private object SkeletonFile {

  /** A skeleton has the meta columns, and tells the numbers of rows as its source does. */
  private def isOwn(field: StructField): Boolean =
    MetaFields.all.contains(field.name) || field.name == RowReader.RowIndex.name
}
