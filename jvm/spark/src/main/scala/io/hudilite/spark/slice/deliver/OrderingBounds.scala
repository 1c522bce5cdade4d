package io.hudilite.spark.slice.deliver

import io.hudilite.merge.MergeRule
import io.hudilite.stats.{ColumnBounds, FileBounds, ValueBounds}

import org.apache.spark.sql.types._
import org.apache.spark.unsafe.types.UTF8String

/** Limits that the ordering values of a base file do not exceed, by its statistics.
  *
  * A record that wins over these wins over every row of the file, also over those without ordering values: records of a
  * daily batch are mostly newer than all that is there, and then nobody has to read what they are compared with.
  */
private[slice] object OrderingBounds {

  /** Values of the columns' types, null for a column without any; `None` when one is not certain.
    *
    * @param file
    *   with the bounds of the columns
    * @param columns
    *   top-level columns with the types that they are read as
    */
  def of(file: FileBounds, columns: Seq[StructField]): Option[IndexedSeq[Any]] = {
    val bounds = columns.toIndexedSeq.map(c => file.columns.get(c.name).flatMap(bound(_, file.rows, c.dataType)))
    if (bounds.forall(_.isDefined)) Some(bounds.flatten) else None
  }

  /** Where there are nulls, which are not less than every value, null counts, too. */
  private def bound(column: ColumnBounds, rows: Long, wanted: DataType): Option[Any] =
    if (column.nulls == rows) Some(null)
    else column.values.flatMap(greatest(_, wanted)).map { value =>
      if (column.nulls > 0 && MergeRule.compare(null, value) >= 0) null else value
    }

  private def greatest(values: ValueBounds, wanted: DataType): Option[Any] = (values, wanted) match {
    case (ValueBounds.Ints(_, max), IntegerType) => Some(max)
    case (ValueBounds.Ints(_, max), LongType) => Some(max.toLong)
    case (ValueBounds.Longs(_, max), LongType) => Some(max)
    case (ValueBounds.Days(_, max), DateType) => Some(max).filter(_ >= CertainDays)
    case (ValueBounds.Micros(_, max), TimestampType) => Some(max).filter(_ >= CertainDays * MicrosPerDay)
    // A bound that a writer has cut is greater.
    case (ValueBounds.Texts(_, max), StringType) => Some(UTF8String.fromString(max))
    case _ => None
  }

  // 1901-01-01: what was written before 1900 in the old calendar is shifted by readers, but not to behind that.
  private val CertainDays = -25202
  private val MicrosPerDay = 86400L * 1000000L
}
