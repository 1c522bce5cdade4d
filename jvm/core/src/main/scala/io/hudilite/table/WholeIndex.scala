package io.hudilite.table

import io.hudilite.error.HudiliteException
import io.hudilite.filegroup.{BaseFile, BaseFileFooter, FileGroupId, FileSlice, StoredFile}
import io.hudilite.index.BucketIndex
import io.hudilite.metadata.stored.{MetadataTable, RecordIndex, ValueIndex}
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

  /** The index, or the reason why a reader cannot go by it. A storage that does not answer says nothing of it, and raises
    * `IOException`.
    */
  def found: Either[String, RecordIndex] =
    try if (metadata.isWithinReach) whole else Left("the table has a long archive, which is not compared with it")
    catch { case e: HudiliteException => Left(unused(table, e)) }

  private def whole: Either[String, RecordIndex] = {
    val slices = table.allSlices().values.flatten.toSeq
    val inLogs = new KeysInLogs(table).among(slices)
    for {
      _ <- foreign(slices, inLogs.added).toLeft(())
      places <- index.entries
      inFiles <- rowsOf(slices)
      rows = inFiles - inLogs.taken.values.sum
      _ <- if (places == rows) Right(()) else Left(s"it has $places places for $rows rows")
    } yield if (inLogs.taken.isEmpty) index else new RecordIndex(metadata, hidesKeys = true)
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

private[table] object WholeIndex {

  /** Footers that a snapshot may cost, once. */
  val MostFooters = 1000

  private val log = LoggerFactory.getLogger("io.hudilite.table.WholeIndex")

  /** Warns, and says the reason. */
  def unused(table: Table, reason: Throwable): String = {
    log.warn(s"The record index of ${table.basePath} is not used: ${reason.getMessage}")
    String.valueOf(reason.getMessage)
  }
}

/** The secondary indexes of a table, and which of them know the value of every row (docs/format.md#reads-by-secondary-indexes).
  *
  * A record index that knows the place of every row has one place for a row. So an index with as many pairs of a value and a
  * key as that has places has lost none, unless one for each that it should not have any more.
  *
  * @param table
  *   its newest state
  * @param metadata
  *   its metadata table, where a reader asks it and it lists such an index
  */
private[hudilite] final class ValueIndexes(table: Table, metadata: Option[MetadataTable], memory: => FileMemory) {

  import ValueIndexes.log

  /** Those that can be read, whether they are whole or not. */
  lazy val all: Seq[ValueIndex] =
    try metadata.toSeq.flatMap(known => table.schemaJson.toSeq.flatMap(ValueIndex.all(known, _)))
    catch {
      case e @ (_: HudiliteException | _: IOException) =>
        warn("The secondary indexes", e)
        Nil
    }

  /** Some of them may be gone by, as far as the properties of the table tell. */
  def mayBeWhole: Boolean = all.exists(_.beside(table.config).isEmpty)

  /** The index, or the reason why a reader cannot go by it. */
  def whole(index: ValueIndex): Either[String, ValueIndex] = {
    def told(e: Throwable): Either[String, ValueIndex] = Left(warn(s"The secondary index ${index.name}", e))
    try memory.valueIndex(index.name)(
        try found(index)
        catch { case e: HudiliteException => told(e) })
    catch { case e: IOException => told(e) } // the next reader asks again
  }

  private def found(index: ValueIndex): Either[String, ValueIndex] = for {
    _ <- index.beside(table.config).toLeft(())
    keys <- table.askedIndex.left.map(reason => s"no record index, $reason")
    _ <- if (keys.isPartitioned) Left("the record index is one of each partition") else Right(())
    places <- keys.entries
    values <- index.entries
    _ <- if (values == places) Right(()) else Left(s"it has $values values for $places rows")
  } yield index

  private def warn(of: String, reason: Throwable): String = {
    log.warn(s"$of of ${table.basePath} cannot be used: ${reason.getMessage}")
    String.valueOf(reason.getMessage)
  }
}

private object ValueIndexes {
  private val log = LoggerFactory.getLogger("io.hudilite.table.ValueIndexes")
}
