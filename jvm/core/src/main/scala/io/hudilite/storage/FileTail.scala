package io.hudilite.storage

/** The last bytes of a file, from `from` to its end. */
private[storage] final class FileTail(val from: Long, content: Array[Byte]) {

  def size: Int = content.length

  /** Copies what begins at `position`, which lies in here, and returns how many bytes that were. */
  def read(position: Long, target: Array[Byte], offset: Int, count: Int): Int = {
    val at = (position - from).toInt
    val copied = math.min(count, content.length - at)
    System.arraycopy(content, at, target, offset, copied)
    copied
  }

  /** A longer tail, with the bytes before it. */
  def after(before: Array[Byte]): FileTail = new FileTail(from - before.length, before ++ content)
}

/** Ends of base files, kept by the process that read them: a base file never changes under its name. In its last bytes
  * are its footer and mostly its page indexes, and of a small file it is all there is. So whoever asks for one of these
  * brings the others along, in one request.
  */
private[storage] object FileTail {

  /** Read when the end of a file is asked for: what an object store delivers in about the time of a single byte. */
  val UsualBytes: Int = 64 * 1024

  /** A footer can be longer, with a bloom filter in it. */
  val MostBytes: Int = 1 << 20

  private val MaxKept = 64L << 20

  private val kept = new WeightedCache[(String, Long), FileTail](MaxKept)

  def of(path: String, length: Long): Option[FileTail] = kept.get(path -> length)

  def keep(path: String, length: Long, tail: FileTail): Unit = kept.put(path -> length, tail, tail.size.toLong)
}
