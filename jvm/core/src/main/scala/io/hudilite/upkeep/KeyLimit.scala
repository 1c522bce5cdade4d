package io.hudilite.upkeep

import io.hudilite.codec.hfile.HFileWriter
import io.hudilite.error.UnsupportedTable

import java.nio.charset.StandardCharsets.UTF_8

/** Refuses keys that are longer than an HFile takes, before any is written.
  *
  * @param path
  *   of what has them
  * @param index
  *   that is to have them, as an error names it
  * @param parts
  *   of a key, as an error names them
  */
private[upkeep] final case class KeyLimit(path: String, index: String, parts: String) {

  import KeyLimit._

  /** The key; raises `UNSUPPORTED_TABLE_FEATURE` where it is too long. */
  def checked(key: String): String = { // hot path
    if (key.length > HFileWriter.MostKeyBytes / BytesOfLetter) {
      val bytes = key.getBytes(UTF_8).length
      if (bytes > HFileWriter.MostKeyBytes) throw refused(key, bytes)
    }
    key
  }

  private def refused(key: String, bytes: Int): UnsupportedTable =
    UnsupportedTable("UNSUPPORTED_TABLE_FEATURE", "path" -> path,
      "feature" -> s"$index, of which $parts that begins with '${key.take(Shown)}' has $bytes bytes",
      "reason" -> s"${HFileWriter.MostKeyBytes} are the most; drop the index, or shorten the value")
}

private object KeyLimit {

  // In UTF-8 at most, of each unit of UTF-16.
  private val BytesOfLetter = 3

  private val Shown = 40
}
