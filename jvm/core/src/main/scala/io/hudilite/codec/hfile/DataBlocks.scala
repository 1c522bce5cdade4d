package io.hudilite.codec.hfile

import java.nio.ByteBuffer

/** Blocks of data, one after the other. */
private[hfile] trait DataBlocks {

  /** Goes on to the next block; `false` after the last one. */
  def next(): Boolean

  /** The cells of the block, in a buffer with an array. */
  def cells: ByteBuffer

  // hot path: called for every cell
  /** Unpacks the block up to this index of its array at least; the end of what is unpacked. */
  def unpackedTo(end: Int): Int

  /** The part of its keys that is asked for; `None`: all. */
  def wanted: Option[Wanted]

  /** Bytes of the file that are read at once at most, unless a block has more. */
  final protected val RunBytes: Int = 4 * 1024 * 1024

  /** Bytes between two blocks that are read, too, rather than asked for in two requests. */
  final protected val GapBytes: Int = 64 * 1024
}

/** All blocks of data. Blocks of other kinds may lie between them. */
private[hfile] final class AllBlocks(bytes: HFileBytes, trailer: HFileTrailer, path: String) extends DataBlocks {

  private var window = ByteBuffer.allocate(0)
  private var windowAt = trailer.firstDataBlock
  private var position = trailer.firstDataBlock
  private var content = window

  override def cells: ByteBuffer = content
  override def unpackedTo(end: Int): Int = Int.MaxValue
  override def wanted: Option[Wanted] = None

  override def next(): Boolean = {
    var found = false
    while (!found && trailer.entries > 0 && position <= trailer.lastDataBlock) found = open()
    found
  }

  /** Reads the block at the position; `false` when it holds no cells. */
  private def open(): Boolean = {
    reach(HFileBlock.HeaderBytes)
    val size = HFileBlock.size(window, (position - windowAt).toInt)
    reach(size)
    val block = HFileBlock.read(window, (position - windowAt).toInt, trailer.codec, path)
    position += size
    content = block.content
    block.magic == HFileBlock.Magic.Data
  }

  /** Lets the window hold so many bytes from the position on. */
  private def reach(count: Long): Unit = if (position + count > windowAt + window.limit()) {
    val left = trailer.loadOnOpen - position
    if (count > left) throw new IllegalArgumentException(s"a block of an HFile has $count bytes, $left are left")
    window = bytes.range(position, math.min(left, math.max(count, RunBytes.toLong)).toInt)
    windowAt = position
  }
}

/** The blocks that some keys may be in: those that lie close to each other are read at once. One with checksums is unpacked up
  * to the last of the keys.
  *
  * @param sought
  *   in the order of the file
  */
private[hfile] final class SoughtBlocks(
    sought: IndexedSeq[Wanted], bytes: HFileBytes, codec: HFileCodec, path: String) extends DataBlocks {

  private var run = ByteBuffer.allocate(0)
  private var runAt = 0L
  private var reached = 0
  private var content = run
  private var part: PartialContent = _ // null where all is unpacked

  override def cells: ByteBuffer = content
  override def unpackedTo(end: Int): Int = if (part == null) Int.MaxValue else part.reach(end)
  override def wanted: Option[Wanted] = sought.lift(reached - 1)

  override def next(): Boolean = {
    if (part != null) part.close()
    reached < sought.size && open()
  }

  private def open(): Boolean = {
    val place = sought(reached).place
    if (place.end > runAt + run.limit()) readRun()
    val at = (place.offset - runAt).toInt
    val size = HFileBlock.size(run, at)
    if (size != place.size)
      throw new IllegalArgumentException(s"a block of an HFile has $size bytes and ${place.size} by its index")
    val block = HFileBlock.packed(run, at, path)
    if (block.magic != HFileBlock.Magic.Data)
      throw new IllegalArgumentException("the index of an HFile names a block that is none of data")
    part = if (block.isChecked) codec.open(block.data, block.length).orNull else null
    content = if (part == null) codec.unpack(block.data, block.length) else ByteBuffer.wrap(part.bytes)
    reached += 1
    true
  }

  private def readRun(): Unit = {
    val from = sought(reached).place.offset
    var end = sought(reached).place.end
    sought.iterator.drop(reached + 1).map(_.place)
      .takeWhile(p => p.offset - end <= GapBytes && p.end - from <= RunBytes)
      .foreach(p => end = math.max(end, p.end))
    run = bytes.range(from, Math.toIntExact(end - from))
    runAt = from
  }
}
