package io.hudilite.metadata.stored

import io.hudilite.codec.hfile.{HFile, HFileRecords}

import java.nio.charset.StandardCharsets.UTF_8
import java.util.Arrays

/** Says which records of a partition are asked for. */
private[stored] sealed abstract class AskedKeys {

  def has(key: String): Boolean

  /** The records of the file that are asked for, with no more blocks read than those need. */
  def in(file: HFile): HFileRecords
}

private[stored] object AskedKeys {

  case object All extends AskedKeys {
    override def has(key: String): Boolean = true
    override def in(file: HFile): HFileRecords = file.scan
  }

  /** Those of these keys. */
  final case class These(keys: Set[String]) extends AskedKeys {
    private lazy val sorted = ascending(keys)
    override def has(key: String): Boolean = keys(key)
    override def in(file: HFile): HFileRecords = file.lookup(sorted)
  }

  /** Those of these keys in UTF-8, each once.
    *
    * @param sorted
    *   by their bytes
    */
  final class Sorted(sorted: IndexedSeq[Array[Byte]]) extends AskedKeys {
    private lazy val texts = sorted.iterator.map(new String(_, UTF_8)).toSet
    override def has(key: String): Boolean = texts(key)
    override def in(file: HFile): HFileRecords = file.lookup(sorted)
  }

  /** Those whose keys begin with one of these texts. */
  final case class Beginning(prefixes: Set[String]) extends AskedKeys {
    private lazy val sorted = ascending(prefixes)
    private lazy val byLength = prefixes.groupBy(_.length)
    override def has(key: String): Boolean = byLength.exists { case (length, some) => some(key.take(length)) }
    override def in(file: HFile): HFileRecords = file.prefixes(sorted)
  }

  private def ascending(texts: Set[String]): Seq[Array[Byte]] =
    texts.toSeq.map(_.getBytes(UTF_8)).sortWith((a, b) => Arrays.compareUnsigned(a, b) < 0)
}
