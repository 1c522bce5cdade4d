package io.hudilite.log

import io.hudilite.error.CorruptTable

import java.util.Collections
import java.util.LinkedHashMap
import java.util.Map.Entry

import org.slf4j.LoggerFactory

/** Errors and warnings about bytes in a log file that are no whole block. */
private[log] object LogDamage {

  private val log = LoggerFactory.getLogger("io.hudilite.log.LogDamage")

  private val MostRemembered = 10000

  // Places that were warned of. The oldest of many are forgotten.
  private val warned = Collections.newSetFromMap(Collections.synchronizedMap(
      new LinkedHashMap[(String, Long), java.lang.Boolean]() {
        override def removeEldestEntry(eldest: Entry[(String, Long), java.lang.Boolean]): Boolean = size >
          MostRemembered
      }))

  /** True for bytes that are no block, and for blocks of a type that files of rows do not have: change data has files
    * of its own.
    */
  def isDamage(block: LogBlock): Boolean = block.kind == BlockKind.Corrupt || block.kind == BlockKind.ChangeData

  def inCommitted(block: LogBlock): CorruptTable = CorruptTable("CORRUPT_FILE", "path" -> block.path,
    "reason" -> s"${describe(block)}, although the write of the file has completed")

  /** Warns once for each place in a process. */
  def warn(block: LogBlock): Unit =
    if (warned.add(block.path -> block.contentOffset))
      log.warn(
        s"Passing over damage in the log file ${block.path}: ${describe(block)}. Apache Hudi's readers pass over " +
          "it, too: in a table of version 6 a writer that died may have left it.")

  private def describe(block: LogBlock): String = {
    val found = if (block.kind == BlockKind.Corrupt) "no whole log block" else "change data, which has files of its own"
    s"its ${block.contentLength} bytes at offset ${block.contentOffset} are $found"
  }
}
