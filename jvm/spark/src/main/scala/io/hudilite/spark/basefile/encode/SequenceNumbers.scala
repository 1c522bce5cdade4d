package io.hudilite.spark.basefile.encode

import java.nio.charset.StandardCharsets

/** `<instant>_<task>_<counter>`, the text of `_hoodie_commit_seqno`, spelled into one reused buffer.
  *
  * @param first
  *   the counter of the first number
  */
private[spark] final class SequenceNumbers(instant: String, task: Int, first: Long = 0L) {

  private val prefix = s"${instant}_${task}_".getBytes(StandardCharsets.UTF_8)
  val buffer: Array[Byte] = java.util.Arrays.copyOf(prefix, prefix.length + 19)
  private var counter = first
  private var used = 0

  /** Bytes of the current number in `buffer`. */
  def length: Int = used

  /** Moves on to the next number. */
  def next(): Unit = {
    var digits = 1
    var bound = 10L
    while (bound <= counter && digits < 18) { // hot path
      digits += 1
      bound *= 10
    }
    var rest = counter
    var i = prefix.length + digits - 1
    while (i >= prefix.length) {
      buffer(i) = ('0' + rest % 10).toByte
      rest /= 10
      i -= 1
    }
    counter += 1
    used = prefix.length + digits
  }
}
