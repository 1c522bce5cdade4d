package io.hudilite.codec.hfile

import io.hudilite.error.CorruptTable

import java.nio.charset.StandardCharsets.UTF_8
import java.util.Arrays

import scala.collection.mutable

/** Records of an HFile in the order of their keys' bytes, each key once, also where the file has them in the order of Java's
  * strings ([[KeyOrder]]). These orders differ only among neighbours that are alike up to a letter from U+E000 on: such a run
  * is sorted in memory. `CORRUPT_FILE` is raised where a key comes twice, and where a run that is not sorted is longer.
  *
  * @param path
  *   for errors
  * @param mostBytes
  *   of keys and records in memory
  */
final class KeysByBytes(records: Iterator[(Array[Byte], Array[Byte])], path: String,
    mostBytes: Long = KeysByBytes.MostBytes) extends Iterator[(Array[Byte], Array[Byte])] {

  import KeysByBytes._

  private val ahead = records.buffered
  private var run: Iterator[Entry] = Iterator.empty
  private var last: Array[Byte] = _ // null before the first one

  override def hasNext: Boolean = run.hasNext || ahead.hasNext

  override def next(): Entry = { // hot path
    val entry = if (run.hasNext) run.next() else first()
    if (last != null && Arrays.compareUnsigned(last, entry._1) >= 0)
      throw strange(if (Arrays.equals(last, entry._1)) "comes twice" else TooMany, entry._1)
    last = entry._1
    entry
  }

  private def first(): Entry = {
    val entry = ahead.next()
    val plain = KeyOrder.plainBytes(entry._1)
    if (plain == entry._1.length || !ahead.hasNext || !isOfRun(entry._1, plain)) entry
    else {
      run = runOf(entry, plain)
      run.next()
    }
  }

  private def isOfRun(key: Array[Byte], plain: Int): Boolean = {
    val next = ahead.head._1
    next.length > plain && !KeyOrder.isPlain(next(plain)) && Arrays.equals(key, 0, plain, next, 0, plain)
  }

  private def runOf(entry: Entry, plain: Int): Iterator[Entry] = {
    val some = mutable.ArrayBuffer(entry)
    var bytes = bytesOf(entry)
    var isSorted = true
    while (bytes < mostBytes && ahead.hasNext && isOfRun(entry._1, plain)) { // hot path
      val next = ahead.next()
      isSorted &&= Arrays.compareUnsigned(some.last._1, next._1) < 0
      some += next
      bytes += bytesOf(next)
    }
    if (isSorted) some.iterator
    // The rest may belong between these.
    else if (bytes >= mostBytes && ahead.hasNext && isOfRun(entry._1, plain)) throw strange(TooMany, entry._1)
    else some.sortWith((a, b) => Arrays.compareUnsigned(a._1, b._1) < 0).iterator
  }

  private def strange(problem: String, key: Array[Byte]): CorruptTable = CorruptTable("CORRUPT_FILE", "path" -> path,
    "reason" -> s"the key ${new String(key, UTF_8).take(MostShown)} $problem")
}

object KeysByBytes {

  private type Entry = (Array[Byte], Array[Byte])

  private val MostBytes = 64L << 20
  private val MostShown = 100
  private val TooMany = "is among too many that are not in the order of their bytes"

  private def bytesOf(entry: Entry): Long = entry._1.length.toLong + entry._2.length
}
