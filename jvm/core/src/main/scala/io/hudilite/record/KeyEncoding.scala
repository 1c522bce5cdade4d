package io.hudilite.record

import io.hudilite.config.KeyGeneratorType
import io.hudilite.error.{InvalidInput, Listed, UnsupportedTable}

/** Spelling of record keys and partition paths (docs/format.md, record keys and partition paths).
  *
  * Values come as the strings that Hudi makes of them; `null` stands for a missing value.
  */
object KeyEncoding {

  val NullPlaceholder = "__null__"
  val EmptyPlaceholder = "__empty__"

  /** Directory of rows whose partition value is null or empty. */
  val DefaultPartition = "__HIVE_DEFAULT_PARTITION__"

  /** Record key of one row; raises `NULL_RECORD_KEY` when there is none.
    *
    * @param prefixed
    *   `field:value,…` instead of the bare value of the one field
    */
  def recordKey(fields: IndexedSeq[String], values: Array[String], prefixed: Boolean): String = {
    val key = recordKeyOrNull(fields, values, prefixed)
    if (key == null) throw nullKey(fields)
    key
  }

  /** Record key of one row, null when there is none. */
  def recordKeyOrNull(fields: IndexedSeq[String], values: Array[String], prefixed: Boolean): String =
    if (prefixed) prefixedKey(fields, values)
    else if (values(0) == null || values(0).isEmpty) null
    else values(0)

  // hot path: null and while as in every loop over rows
  private def prefixedKey(fields: IndexedSeq[String], values: Array[String]): String = {
    val key = new java.lang.StringBuilder
    var anyValue = false
    var i = 0
    while (i < fields.length) {
      if (i > 0) key.append(',')
      val value = values(i)
      key.append(fields(i)).append(':')
      if (value == null) key.append(NullPlaceholder)
      else if (value.isEmpty) key.append(EmptyPlaceholder)
      else {
        key.append(value)
        anyValue = true
      }
      i += 1
    }
    if (anyValue) key.toString else null
  }

  /** The values of a composite key, spelled so that other values give another text, even those that make the same key.
    */
  def distinct(values: Array[String]): String =
    values.map(value => if (value == null) "null" else s"${value.length}'$value'").mkString(" ")

  private def nullKey(fields: Seq[String]): InvalidInput =
    InvalidInput("NULL_RECORD_KEY", "fields" -> Listed.of(fields))

  /** True when keys are spelled with field names; `None` when only the table's rows can tell.
    *
    * A complex key generator with one key field has been spelled both ways below version 9: see `detectPrefixed`.
    */
  def isPrefixed(generator: KeyGeneratorType, fieldCount: Int, tableVersion: Int): Option[Boolean] =
    if (fieldCount > 1) Some(true)
    else if (generator != KeyGeneratorType.Complex) Some(false)
    else if (tableVersion >= 9) Some(true)
    else None

  /** The table's spelling, from one of its rows: the stored key and the value of its one key field. */
  def detectPrefixed(field: String, value: String, storedKey: String): Boolean =
    if (storedKey == value) false
    else if (storedKey == s"$field:$value") true
    else throw UnsupportedTable("UNSUPPORTED_TABLE_FEATURE", "path" -> storedKey,
      "feature" -> s"the record key '$storedKey'", "reason" -> s"it is not made of the value '$value' of $field",
      "way" -> UnsupportedTable.NewTable)

  /** The values of `fields` in a stored key, in the key's order and `null` for a missing one. A key without both a
    * comma and a colon, or without any of the fields, is one value by itself.
    */
  def keyValues(key: String, fields: Seq[String]): Seq[String] =
    if (key.indexOf(',') < 0 || key.indexOf(':') < 0) Seq(key)
    else {
      val found = pairs(key, 0).collect { case (field, value) if fields.contains(field) => value }
      if (found.isEmpty) Seq(key)
      else found.map {
        case NullPlaceholder => null
        case EmptyPlaceholder => ""
        case value => value
      }
    }

  // A value may hold ',' and ':' itself: it ends at the last ',' before the next ':' that has one.
  private def pairs(key: String, start: Int): List[(String, String)] = {
    val colon = key.indexOf(':', start)
    def end(from: Int): Int = {
      val next = key.indexOf(':', from)
      val comma = if (next < 0) -1 else key.lastIndexOf(',', next)
      if (next < 0) key.length else if (comma > colon) comma else end(next + 1)
    }
    val stop = end(colon + 1)
    val pair = key.substring(start, colon) -> key.substring(colon + 1, stop)
    if (stop >= key.length) List(pair) else pair :: pairs(key, stop + 1)
  }

  /** Partition path of one row, empty without partition fields. */
  def partitionPath(fields: IndexedSeq[String], values: Array[String], hiveStyle: Boolean, urlEncode: Boolean): String =
    if (fields.length == 1) level(fields(0), values(0), hiveStyle, urlEncode)
    else fields.indices.map(i => level(fields(i), values(i), hiveStyle, urlEncode)).mkString("/")

  private def level(field: String, value: String, hiveStyle: Boolean, urlEncode: Boolean): String = {
    val name =
      if (value == null || value.isEmpty) DefaultPartition
      else if (urlEncode) escape(value)
      else value
    if (hiveStyle) s"$field=$name" else name
  }

  // Hive's set, which is not that of URLs: blanks, '+', '}' and letters outside ASCII stay as they are.
  private val Escaped: java.util.BitSet = {
    val set = new java.util.BitSet(128)
    set.set(0x00, 0x20)
    set.set(0x7f)
    "\"#%'*/:=?\\{[]^".foreach(c => set.set(c.toInt))
    set
  }

  /** `%XX` for each character that may not stand in a directory name. */
  def escape(value: String): String =
    if (!value.exists(c => Escaped.get(c.toInt))) value
    else value.map(c => if (Escaped.get(c.toInt)) f"%%${c.toInt}%02X" else c.toString).mkString

  /** Undoes `escape`; a `%` without two hexadecimal digits behind it stays as it is. */
  def unescape(name: String): String =
    if (name.indexOf('%') < 0) name
    else "%([0-9A-Fa-f]{2})".r.replaceAllIn(name,
      m =>
        java.util.regex.Matcher.quoteReplacement(Integer.parseInt(m.group(1), 16).toChar.toString))
}
