package io.hudilite.stats

import io.hudilite.codec.bloom.BloomFilter

/** Facts on one base file.
  *
  * @param columns
  *   by name, those of the columns asked for of which something is certain
  */
final case class FileBounds(rows: Long, keys: KeyBounds, columns: Map[String, ColumnBounds] = Map.empty)

/** Facts on the record keys of a file.
  *
  * @param min
  *   least record key in Java's string order, `None` when the writer did not record it
  * @param bloom
  *   absent when the file has none, or when it was not asked for; must not be added to
  * @param sorted
  *   it is certain that rows are in the order of the UTF-8 bytes of their record keys
  * @param unique
  *   it is certain that no two rows have the same record key
  */
final case class KeyBounds(min: Option[String], max: Option[String], bloom: Option[BloomFilter] = None,
    sorted: Boolean = false, unique: Boolean = false)

/** Facts on one column of a file. A column that the file lacks has as many nulls as there are rows.
  *
  * @param values
  *   `None` where there are nulls only, and where their bounds are not certain
  */
final case class ColumnBounds(nulls: Long, values: Option[ValueBounds])

/** The least and the greatest value of a column, without its nulls, as the file stores them: in which calendar old days
  * and times are is the reader's to know.
  */
sealed trait ValueBounds

object ValueBounds {

  final case class Ints(min: Int, max: Int) extends ValueBounds

  final case class Longs(min: Long, max: Long) extends ValueBounds

  /** Days since 1970-01-01. */
  final case class Days(min: Int, max: Int) extends ValueBounds

  /** Instants in microseconds since 1970-01-01, UTC. */
  final case class Micros(min: Long, max: Long) extends ValueBounds

  /** Texts in the order of their UTF-8 bytes. A writer may cut long bounds: no value is less than `min` or greater than
    * `max`, and none need be equal.
    */
  final case class Texts(min: String, max: String) extends ValueBounds
}
