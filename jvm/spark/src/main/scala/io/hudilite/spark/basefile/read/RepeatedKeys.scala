package io.hudilite.spark.basefile.read

import io.hudilite.filegroup.{BaseFile, FooterCache}
import io.hudilite.spark.row.KeyCheck
import io.hudilite.stats.FileStatistics
import io.hudilite.storage.KnownPath

import java.util

import org.apache.spark.sql.catalyst.expressions.XXH64
import org.apache.spark.unsafe.types.UTF8String

import scala.collection.JavaConverters._

/** Record keys that a base file holds more than once, by their hashes. A key may be wrongly taken for repeated, which
  * costs no more than a rewrite and hardly ever happens.
  */
private[spark] final class RepeatedKeys private (hashes: Array[Long]) {

  def isEmpty: Boolean = hashes.isEmpty

  def contains(key: UTF8String): Boolean = util.Arrays.binarySearch(hashes, RepeatedKeys.hash(key)) >= 0
}

private[spark] object RepeatedKeys {

  private val None = new RepeatedKeys(Array.empty)

  /** Reads all keys of a file, unless its footer says that each is there only once; footers of Hudi's files never do.
    * Takes eight bytes for each row.
    *
    * @param check
    *   check of the keys that are read
    */
  def of(basePath: String, file: BaseFile, contexts: ReaderContexts, check: KeyCheck = KeyCheck.None)
      : RepeatedKeys = {
    val known = FileStatistics.at(basePath, contexts.conf).ofFile(file)
    if (known.keys.unique || known.rows < 2) None
    else {
      val path = FilePaths.absolute(basePath, file.relativePath)
      val hashes = hashesOf(path, file, known.rows.toInt, contexts, check)
      util.Arrays.sort(hashes)
      val repeated = (1 until hashes.length).iterator.map(i => (hashes(i - 1), hashes(i))).collect {
        case (before, hash) if before == hash => hash
      }.toArray.distinct
      if (repeated.isEmpty) None else new RepeatedKeys(repeated)
    }
  }

  private def hashesOf(path: String, file: BaseFile, rows: Int, contexts: ReaderContexts, check: KeyCheck)
      : Array[Long] = {
    val hashes = new Array[Long](rows)
    val footer = FooterCache.metadata(contexts.conf, path, file.length)
    val batches = FileBatches.of(new KnownPath(path, file.length), footer, footer.getBlocks.asScala.toSeq,
      BaseKeys.KeyColumn, contexts)
    try {
      var at = 0
      while (batches.next()) { // hot path
        check.check(batches.vectors(0), batches.rows)
        var row = 0
        while (row < batches.rows) {
          hashes(at) = hash(batches.vectors(0).getUTF8String(row))
          at += 1
          row += 1
        }
      }
    } finally batches.close()
    hashes
  }

  private def hash(key: UTF8String): Long =
    XXH64.hashUnsafeBytes(key.getBaseObject, key.getBaseOffset, key.numBytes, 42L)
}
