package io.hudilite.stats

import io.hudilite.codec.bloom.BloomFilter
import io.hudilite.filegroup.BaseFile

import org.apache.hadoop.conf.Configuration

/** Facts on the record keys of base files that somebody knows without opening them. */
trait KnownKeys {

  /** It is said to know some of what is asked for. */
  def mayTell(ranges: Boolean, blooms: Boolean): Boolean

  /** Bounds of the keys of those of the files of which they are certain. */
  def bounds(files: Seq[BaseFile]): Map[BaseFile, KeyBounds]

  /** Bloom filters of keys; `None` where nobody has any. */
  def filters: Option[KnownFilters]
}

/** Bloom filters of record keys that lie in another place than in the files; ships to tasks. */
trait KnownFilters extends Serializable {

  /** A reader for one task. */
  def reader(conf: Configuration): FilterReader
}

/** Reads bloom filters of record keys. */
trait FilterReader {

  /** One answer for each of the files that have a filter here, each made before the filter is let go. `use` may be called
    * by several threads.
    */
  def each[A](files: Seq[BaseFile])(use: (BaseFile, BloomFilter) => A): Map[BaseFile, A]
}
