package io.hudilite.spark.slice.rewrite

import io.hudilite.filegroup.{BaseFile, BaseFileFooter}
import io.hudilite.spark.basefile.encode.{BaseFileWriter, BloomSettings}
import io.hudilite.spark.basefile.read.OldBaseFile
import io.hudilite.spark.row.{Binaries, CarriedSchema, RunningTask}

import org.apache.spark.unsafe.types.UTF8String

/** Appends whole base files to a new one, one behind the other. Every row stays as it is but for the name of its file.
  *
  * A file is copied as bytes where its bytes mean the same in the new one and its row groups are not too small
  * (docs/decisions/0014-row-groups-as-bytes.md); the rows of other files are read and written again. The new file is
  * sorted by key only when the files come in the order of their keys and do not overlap.
  *
  * @param writer
  *   of the new file; its bloom filter is not one that was carried over
  * @param bloom
  *   the layout of its bloom filter
  * @param keptFooterBytes
  *   bytes of footers that are held at most between the look at all of them and the copying
  * @param told
  *   told of the key of each row; `None` where nobody asks
  */
private[spark] final class FileAppender(writer: BaseFileWriter, bloom: BloomSettings, keptFooterBytes: Long,
    told: Option[UTF8String => Unit] = None) {

  private val keys = writer.keys
  private val worthBytes = writer.layout.files.rowGroupBytes / FileAppender.WorthShare

  /** Appends all rows of all files: in the order of their keys, since files that do not overlap make a sorted one. */
  def append(files: Seq[BaseFile])(open: BaseFile => OldBaseFile): Unit =
    inOrderOfKeys(files)(open).foreach(old => append(old()))

  // Footers that are too many to be kept are read again.
  private def inOrderOfKeys(files: Seq[BaseFile])(open: BaseFile => OldBaseFile): Seq[() => OldBaseFile] = {
    var bytes = 0L
    files.map { file =>
      val old = open(file)
      val isKept = bytes + old.footerBytes <= keptFooterBytes
      if (isKept) bytes += old.footerBytes
      val again = if (isKept) () => old else () => open(file)
      (UTF8String.fromString(old.footer(BaseFileFooter.MinKey).getOrElse("")), file.name, again)
    }.sortWith { case ((a, first, _), (b, second, _)) =>
      val order = a.compareTo(b)
      order < 0 || (order == 0 && first < second)
    }.map(_._3)
  }

  /** Appends all rows of a file, as bytes where that is possible and worth it. */
  private def append(old: OldBaseFile): Unit = {
    val copy = new RowGroupCopy(old, writer)
    try if (isWorthCopying(old) && copy.isPossible) copyAll(old, copy) else rewrite(old)
    finally copy.close()
  }

  private def isWorthCopying(old: OldBaseFile): Boolean =
    old.blocks.nonEmpty && old.blocks.map(_.getCompressedSize).sum / old.blocks.size >= worthBytes

  private def copyAll(old: OldBaseFile, copy: RowGroupCopy): Unit = {
    val known = isKnownByFooter(old)
    old.blocks.indices.foreach { group =>
      RunningTask.stopIfKilled()
      copy.appendChunks(group)
      if (known) noteRange(old, group)
      if (!known || told.isDefined) readKeys(old, group, known)
    }
  }

  /** The footer has all that the new one must say of the keys. If so, the new one's filter has them now. */
  private def isKnownByFooter(old: OldBaseFile): Boolean = {
    val bounds = Seq(BaseFileFooter.MinKey, BaseFileFooter.MaxKey).flatMap(old.footer(_))
    val known = bounds.size == 2 && BloomCarry.of(old, bloom).exists(keys.absorb)
    if (known) keys.widenBy(bounds)
    known
  }

  private def noteRange(old: OldBaseFile, group: Int): Unit =
    OldBaseFile.keyRange(old.blocks(group)).filter(_ => old.sortedByKey) match {
      case Some((smallest, largest)) => keys.noteRun(smallest, largest, old.uniqueKeys)
      case None => keys.noteUnordered()
    }

  private def readKeys(old: OldBaseFile, group: Int, known: Boolean): Unit = {
    val batches = old.keys(Seq(old.blocks(group)))
    try
      while (batches.next()) {
        RunningTask.stopIfKilled()
        var row = 0
        while (row < batches.rows) { // hot path
          val key = batches.vectors(0).getUTF8String(row)
          if (!known) keys.add(Binaries.bytes(key), Binaries.offset(key), key.numBytes)
          if (told.isDefined) told.get(key)
          row += 1
        }
      }
    finally batches.close()
  }

  private def rewrite(old: OldBaseFile): Unit = if (old.rows > 0) {
    val batches = old.batches(old.blocks)
    try
      while (batches.next()) {
        RunningTask.stopIfKilled()
        writer.keepRun(batches.vectors, 0, batches.rows)
        told.foreach { tell =>
          val keys = batches.vectors(CarriedSchema.KeyOrdinal)
          (0 until batches.rows).foreach(row => tell(keys.getUTF8String(row)))
        }
      }
    finally batches.close()
  }
}

private[spark] object FileAppender {

  /** Some eighty footers with a bloom filter of full size. */
  val KeptFooterBytes: Long = 32L << 20

  /** The row groups of a file that is copied as bytes have on average at least this part of the size of new ones. */
  private val WorthShare = 16
}
