package io.hudilite.spark.slice.rewrite

import io.hudilite.spark.basefile.encode.BaseFileWriter
import io.hudilite.spark.basefile.read.OldBaseFile
import io.hudilite.spark.row.KeyCheck

import java.io.Closeable

import org.apache.spark.unsafe.types.UTF8String

/** The rows of an old base file in the order of their keys' bytes, those of a key in the order of the file, on their way
  * into the new one.
  */
private[spark] trait BaseFileCursor extends Closeable {

  /** Keeps every row whose key is less than `key`. */
  def keepBelow(key: UTF8String): Unit

  /** The next row has this key; asked after `keepBelow` of the same key. */
  def isAt(key: UTF8String): Boolean

  /** Number of the next row in the file. */
  def position: Long

  /** Value of a data column of the next row, null when it is null. */
  def value(ordinal: Int): Any

  /** Keeps the next row. */
  def keepOne(): Unit

  /** Leaves the next row out of the new file. */
  def dropOne(): Unit

  /** Makes sure that rows kept so far are in the new file before another one is written. */
  def settle(): Unit

  /** Keeps all rows that are left. */
  def keepRest(): Unit

  /** Rows that have not been kept or dropped yet. */
  def remaining: Long
}

private[spark] object BaseFileCursor {

  /** The rows of `old`, sorted first when the file is not; rows that are kept go to `writer`.
    *
    * @param compared
    *   ordinals of the data columns whose values are asked for
    * @param keys
    *   looks at all keys that are read
    */
  def open(old: OldBaseFile, writer: BaseFileWriter, compared: Array[Int], keys: KeyCheck): BaseFileCursor =
    if (old.sortedByKey) new SortedRowGroups(old, writer, compared, keys)
    else new SortedBaseFile(old, writer, keys)
}

/** The old rows of a slice without a base file. */
private[spark] object NoBaseFile extends BaseFileCursor {
  override def keepBelow(key: UTF8String): Unit = ()
  override def isAt(key: UTF8String): Boolean = false
  override def position: Long = throw new IllegalStateException("there is no old row")
  override def value(ordinal: Int): Any = throw new IllegalStateException("there is no old row")
  override def keepOne(): Unit = throw new IllegalStateException("there is no old row")
  override def dropOne(): Unit = throw new IllegalStateException("there is no old row")
  override def settle(): Unit = ()
  override def keepRest(): Unit = ()
  override def remaining: Long = 0L
  override def close(): Unit = ()
}
