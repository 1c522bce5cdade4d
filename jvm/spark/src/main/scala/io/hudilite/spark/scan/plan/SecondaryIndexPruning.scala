package io.hudilite.spark.scan.plan

import io.hudilite.error.HudiliteException
import io.hudilite.filegroup.FileGroupId
import io.hudilite.record.RecordKeys
import io.hudilite.spark.basefile.read.ScanFilter
import io.hudilite.spark.row.FieldTypes

import java.io.IOException
import java.nio.charset.StandardCharsets.UTF_8
import java.util.Arrays

import org.apache.spark.sql.types._
import org.apache.spark.unsafe.types.UTF8String

/** Prunes file groups by secondary indexes of the metadata table: they tell the record keys of the rows that have a value,
  * and the record index the file groups of these keys (docs/format.md#reads-by-secondary-indexes).
  *
  * @param byKeys
  *   holds places against what files say of their keys
  */
private[scan] final class SecondaryIndexPruning(state: TableState, byKeys: RecordIndexPruning) {

  import SecondaryIndexPruning._

  private lazy val indexes = if (!isAsked) Nil
  else state.table.valueIndexes.all.filter(index =>
    !state.table.config.partitionFields.contains(index.column) && state.evolved.forall(_.keeps(index.column)))

  // Files of skeletons hold values elsewhere, and writes find their rows by key.
  private def isAsked: Boolean =
    state.query == Query.Snapshot && state.table.hasRecordIndex && !state.table.config.isBootstrapped

  /** Columns on which filters can leave out file groups by it. */
  lazy val columns: Set[Seq[String]] =
    if (indexes.isEmpty || !state.table.valueIndexes.mayBeWhole) Set.empty
    else indexes.map(index => Seq(index.column)).toSet

  /** @param filters
    *   those of the query; values that a column must have count
    * @param all
    *   the slices of the whole table, where all of it was looked at anyway
    * @param found
    *   those of them that are left
    */
  def prune(filters: Seq[ScanFilter], all: Option[StateSlices], found: StateSlices): IndexPruned =
    if (all.isEmpty || found.size < 2) IndexPruned(found, None)
    else {
      val parts = ScanFilter.conjuncts(filters)
      indexes.foldLeft(IndexPruned(found, None)) { (pruned, index) =>
        val left = pruned.slices
        asked(parts, index.column).filter(_ => left.size > 1).fold(pruned) { values =>
          val answer = guarded(index.name)(for {
            whole <- state.table.valueIndexes.whole(index)
            places <- state.table.recordIndex
            most = RecordIndexPruning.most(places.bytes, left.bytes)
            _ <- RecordIndexPruning.tooMany(values.size, whole.bytes, left.bytes).toLeft(())
            keys <- whole.keys(values, most).toRight(s"more than $most keys have these values")
            groups <- byKeys.groups(places.places, RecordKeys.of(keys), all.get, areThere = true)
          } yield groups)
          together(pruned, answer.left.map(reason => s"${index.name}: $reason"))
        }
      }
    }

  private def together(before: IndexPruned, answer: Either[String, Set[FileGroupId]]): IndexPruned = answer match {
    case Left(reason) => before.copy(answer = before.answer.orElse(Some(Left(reason))))
    case Right(groups) =>
      val kept = before.slices.ofGroups(groups)
      val leftOut = before.answer.flatMap(_.toOption).getOrElse(0) + before.slices.size - kept.size
      IndexPruned(kept, Some(Right(leftOut)))
  }

  /** Texts of the values of which the column must have one, when the filters say so and they are not too many. */
  private def asked(parts: Seq[ScanFilter], column: String): Option[Set[String]] = for {
    dataType <- FieldTypes.at(state.known, List(column))
    values <- KeyFilter.valuesOf(parts, Seq(column), mayBeNull = false)
    if values.size <= KeyFilter.MaxKeys
    texts = values.map(text(_, dataType))
    if texts.forall(_.isDefined)
  } yield texts.flatten.toSet

  private def guarded[T](name: String)(answer: => Either[String, T]): Either[String, T] =
    try answer
    catch {
      // Also a file that was compacted and cleaned away since its folder was listed, or a storage that does not answer.
      case e @ (_: HudiliteException | _: IOException) =>
        RecordIndexPruning.log.warn(
          s"The secondary index $name of ${state.table.basePath} is not used: ${e.getMessage}")
        Left(String.valueOf(e.getMessage))
    }
}

private object SecondaryIndexPruning {

  /** The text that an index has for a value in Spark's internal form: numbers of days and of microseconds for times.
    * Bytes that are no text have none.
    */
  def text(value: Any, dataType: DataType): Option[String] = (value, dataType) match {
    case (letters: UTF8String, StringType) =>
      Some(letters.toString).filter(text => Arrays.equals(text.getBytes(UTF_8), letters.getBytes))
    case (number @ (_: Int | _: Long), IntegerType | LongType | DateType | TimestampType) => Some(number.toString)
    case _ => None
  }
}
