package io.hudilite.spark.basefile.encode

import io.hudilite.spark.row.Digits

import java.nio.charset.StandardCharsets

/** `<instant>_<task>_<counter>`, the text of `_hoodie_commit_seqno`, spelled into one reused buffer.
  *
  * @param first
  *   the counter of the first number
  */
private[spark] final class SequenceNumbers(instant: String, task: Int, first: Long = 0L) {

  private val prefix = s"${instant}_${task}_".getBytes(StandardCharsets.UTF_8)
  val buffer: Array[Byte] = java.util.Arrays.copyOf(prefix, prefix.length + Digits.MostBytes)
  private var counter = first
  private var used = 0

  /** Bytes of the current number in `buffer`. */
  def length: Int = used

  /** Moves on to the next number. */
  def next(): Unit = {
    used = Digits.put(counter, buffer, prefix.length)
    counter += 1
  }
}
