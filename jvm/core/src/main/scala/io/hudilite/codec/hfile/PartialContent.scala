package io.hudilite.codec.hfile

import java.util.zip.Inflater

/** The content of a block that is unpacked from its beginning on, as far as it is asked for. Its checksums fit the packed
  * bytes, so that nothing has to be unpacked to find damage.
  *
  * @param inflater
  *   has the packed bytes, and what follows them
  * @param after
  *   bytes that follow the packed ones
  * @param done
  *   takes the inflater back
  */
private[hfile] final class PartialContent(inflater: Inflater, length: Int, after: Int, done: Inflater => Unit) {

  import PartialContent._

  private var isOpen = true
  private var until = 0

  /** All of the content, zeros where nobody has asked yet. */
  val bytes: Array[Byte] = new Array[Byte](length)

  // hot path: called for every cell
  /** Unpacks up to there at least, as far as there is content. The end of what is unpacked. */
  def reach(end: Int): Int = {
    if (end > until && until < length) unpack(math.min(length, math.max(end, until + StepBytes)))
    until
  }

  private def unpack(end: Int): Unit = {
    until = HFileCodec.inflate(inflater, bytes, until, end)
    if (until < end) throw HFileCodec.wrong(until.toString, length)
    if (until == length) {
      HFileCodec.checkEnd(inflater, length, after)
      close()
    }
  }

  def close(): Unit = if (isOpen) {
    isOpen = false
    done(inflater)
  }
}

private object PartialContent {

  // A call of the inflater costs as much as some hundred bytes.
  private val StepBytes = 1024
}
