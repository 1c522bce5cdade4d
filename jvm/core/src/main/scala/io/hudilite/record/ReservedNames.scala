package io.hudilite.record

import java.util.Locale

/** Names that columns may not have (docs/format.md#columns). */
object ReservedNames {

  /** Prefix of columns that hudilite makes for itself, while it reads and while it writes. */
  val InternalPrefix = "_hudilite_"

  // Spark's reader of Parquet files numbers rows in a column of this name.
  private val RowIndex = "_tmp_metadata_row_index"

  // Spark's rewrite of MERGE, UPDATE and DELETE finds its own columns by these names.
  private val OfRowLevelPlans = Set("__row_operation", "__row_id", "__row_from_source", "__row_from_target")
  private val OldRowIdPrefix = "__original_row_id_"

  /** Reason for which a table with a column of this name cannot be read, if there is one. */
  def unreadable(name: String): Option[String] = {
    val lower = name.toLowerCase(Locale.ROOT)
    if (lower.startsWith(InternalPrefix)) Some(s"names that begin with $InternalPrefix are hudilite's own")
    else if (lower == RowIndex) Some("Spark's reader of Parquet files has its own column of that name")
    else MetaFields.all.find(m => m != name && m == lower).map(m => s"it differs from the meta column $m only by case")
  }

  /** Reason for which a column of this name cannot be written, if there is one.
    *
    * @param inStruct
    *   true for a field of a column, which nothing can be confused with
    */
  def unwritable(name: String, inStruct: Boolean = false): Option[String] = {
    val lower = name.toLowerCase(Locale.ROOT)
    if (!isAvroName(name))
      Some("Avro names, as Hudi's schemas have them, begin with a letter or '_' and go on with letters, digits and '_'")
    else if (inStruct) None
    else if (OfRowLevelPlans(lower) || lower.startsWith(OldRowIdPrefix))
      Some("Spark's MERGE, UPDATE and DELETE have their own column of that name")
    else if (lower == MetaFields.Operation)
      Some("it is a meta column of Hudi's that writes do not support")
    else unreadable(name)
  }

  /** Two of these columns, of one table or struct, whose names differ at most in case. */
  def alike(names: Seq[String]): Option[(String, String)] =
    names.groupBy(_.toLowerCase(Locale.ROOT)).values.find(_.size > 1).map(same => same.head -> same(1))

  // As Avro's own check: letters of any alphabet, in the basic plane.
  private def isAvroName(name: String): Boolean = name.nonEmpty &&
    (name.head.isLetter || name.head == '_') && name.tail.forall(c => c.isLetterOrDigit || c == '_')
}
