package io.hudilite.table

import io.hudilite.error.HudiliteException
import io.hudilite.filegroup.{BaseFile, BaseFileFooter, FileGroupId, FileSlice, StoredFile}
import io.hudilite.index.BucketIndex
import io.hudilite.metadata.stored.{MetadataTable, RecordIndex}
import io.hudilite.record.MetaFields
import io.hudilite.storage.Parallel

import java.io.IOException

import org.slf4j.LoggerFactory

import scala.collection.JavaConverters._

/** Finds out if the record index of a metadata table knows the place of every row (docs/format.md#record-index).
  *
  * It has one place for a key. Rows that share one, as two inserts without a lookup leave them, rows that an index of
  * another kind made in another partition, and rows whose deletion came late, would be lost to a reader who goes by it.
  * Nothing but their number betrays them: each place is that of a row, so that with as many places as rows no row is
  * without one.
  *
  * @param table
  *   its newest state
  */
private[table] final class WholeIndex(table: Table, metadata: MetadataTable) {

  import WholeIndex._

  private val index = new RecordIndex(metadata)

  /** The index, or the reason why a reader cannot go by it. */
  def found: Either[String, RecordIndex] =
    try if (metadata.isWithinReach) whole else Left("the table has a long archive, which is not compared with it")
    catch {
      // Also a file that was compacted and cleaned away since its folder was listed, or a storage that does not answer.
      case e @ (_: HudiliteException | _: IOException) =>
        WholeIndex.log.warn(s"The record index of ${table.basePath} is not used: ${e.getMessage}")
        Left(String.valueOf(e.getMessage))
    }

  private def whole: Either[String, RecordIndex] = {
    val slices = table.allSlices().values.flatten.toSeq
    val inLogs = new KeysInLogs(table).among(slices)
    for {
      _ <- foreign(slices, inLogs.added).toLeft(())
      places <- index.entries
      inFiles <- rowsOf(slices)
      rows = inFiles - inLogs.taken.values.sum
      _ <- if (places == rows) Right(()) else Left(s"it has $places places for $rows rows")
    } yield index
  }

  /** Log files may have keys that the base file lacks, which nothing counts. */
  private def foreign(slices: Seq[FileSlice], added: Set[FileGroupId]): Option[String] = {
    val inLogs = slices.filter(mayInsertIntoLogs).map(_.groupId) ++ added
    inLogs.headOption.map(group => s"log files of ${group.fileId} may have keys of their own")
  }

  // A file id with the number of a bucket tells of one, whose commits count no inserts.
  private def mayInsertIntoLogs(slice: FileSlice): Boolean =
    slice.base.isEmpty ||
      (slice.logs.nonEmpty && (BucketIndex.bucketOfFile(slice.fileId).isDefined || ofRings))

  private lazy val ofRings = Buckets(table).areConsistent

  /** Rows of the base files, also those that log files delete, which have no place. */
  private def rowsOf(slices: Seq[FileSlice]): Either[String, Long] = {
    val files = slices.flatMap(_.base)
    val counted = RowCounts.of(table, files)
    val others = files.filterNot(f => counted.contains(f.relativePath))
    val byStatistics = if (others.isEmpty) Map.empty[String, Long] else index.rows(others, MetaFields.RecordKey)
    val left = others.filterNot(f => byStatistics.contains(f.relativePath))
    if (left.size > MostFooters) Left(s"nobody counts the rows of ${left.size} files")
    else Right(counted.values.sum + byStatistics.values.sum + Parallel.map(left)(inFooter).sum)
  }

  // Of files whose commits are archived.
  private def inFooter(file: BaseFile): Long = {
    val path = s"${table.basePath.stripSuffix("/")}/${file.relativePath}"
    BaseFileFooter.metadata(new StoredFile(table.storage, path, file.length), path).getBlocks.asScala
      .map(_.getRowCount).sum
  }
}

private object WholeIndex {

  /** Footers that a snapshot may cost, once. */
  val MostFooters = 1000

  private val log = LoggerFactory.getLogger("io.hudilite.table.WholeIndex")
}
