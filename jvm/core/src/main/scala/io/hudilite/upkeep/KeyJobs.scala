package io.hudilite.upkeep

import io.hudilite.filegroup.FileSlice
import io.hudilite.metadata.{SecondaryIndex, SecondaryKey}
import io.hudilite.record.{KeyChange, KeyNotes}
import io.hudilite.storage.Storage
import io.hudilite.table.Table
import io.hudilite.timeline.{ToldFacts, WriteStat}

import java.io.{ByteArrayInputStream, FileNotFoundException}
import java.nio.charset.StandardCharsets.UTF_8
import java.util.{Arrays, Comparator}

import scala.collection.mutable

/** Runs work on the record index of a table that may be too much for the driver.
  *
  * `Transaction.commit` calls it for a write whose index is kept up, and `Transaction.begin` where an index is made or the
  * metadata table is compacted, both under the table lock. The metadata table has a pending action of the instant then, so
  * that whoever rolls the write back, or runs the compaction again, finds the files. They count for nobody before that
  * action completes, which the caller sees to.
  */
trait KeyJobs extends Serializable {

  /** Deals the changes of all sources to their shards and writes each shard that has any.
    *
    * A shard is written by one call of [[KeyShards.write]] in the order of the keys' UTF-8 bytes without a sign; changes of
    * one key come in any order. An attempt that is made again, or beside another, writes a file of the same name: the first
    * one stays, and its statistics are returned. No shard without changes is written.
    */
  def run(sources: Seq[KeySource], shards: KeyShards, storage: Storage): Seq[WriteStat]

  /** Sources of the keys of the rows in these slices, which have log files: those that a reader sees. `None` where these
    * jobs cannot merge log files, so that no index is made of them.
    */
  def merged(table: Table, slices: Seq[FileSlice]): Option[Seq[KeySource]] = {
    val _ = (table, slices)
    None
  }

  /** Makes files, each by itself, and tells of them in the order of the work: here one after the other on the driver.
    *
    * An attempt that is made again, or beside another, makes the file of the same name with the same bytes.
    */
  def made(work: Seq[FileWork], storage: Storage): Seq[WriteStat] = work.map(_.run(storage, () => ()))

  /** Reads the pairs of the rows that a reader sees in slices with log files. `None` where these jobs cannot merge log files,
    * so that no secondary index goes by them.
    *
    * @param table
    *   before the action, with the columns that it has after it
    * @param index
    *   values are spelled by its type, that of the column after the action
    * @param latest
    *   the greatest instant of log files in such slices
    */
  def mergedPairs(table: Table, index: SecondaryIndex, latest: String): Option[MergedPairs] = {
    val _ = (table, index, latest)
    None
  }
}

/** Jobs on the driver alone. Of many changes some shards are written at a time, so that few are in memory: each source is
  * read once for each of these passes.
  */
object DriverKeyJobs extends KeyJobs {

  /** Changes in memory at a time. */
  val MostAtOnce = 1000000L

  override def run(sources: Seq[KeySource], shards: KeyShards, storage: Storage): Seq[WriteStat] = {
    val changes = sources.map(_.estimate).sum
    val passes = math.max(1L, math.min(shards.count.toLong, (changes + MostAtOnce - 1) / MostAtOnce)).toInt
    (0 until passes).flatMap { pass =>
      val dealt = mutable.TreeMap.empty[Int, mutable.ArrayBuffer[KeyChange]]
      for (source <- sources; change <- source.changes(storage)) { // hot path
        val number = shards.numberOf(change.key, change.partition)
        if (number % passes == pass) dealt.getOrElseUpdate(number, mutable.ArrayBuffer.empty) += change
      }
      dealt.keys.toList.flatMap(n => shards.write(storage, n, sorted(dealt.remove(n).get)))
    }
  }

  private def sorted(changes: mutable.ArrayBuffer[KeyChange]): Iterator[KeyChange] = {
    val decorated = changes.iterator.map(c => (c.key.getBytes(UTF_8), c)).toArray
    Arrays.sort(decorated, ByBytes)
    decorated.iterator.map(_._2)
  }

  private object ByBytes extends Comparator[(Array[Byte], KeyChange)] {
    override def compare(a: (Array[Byte], KeyChange), b: (Array[Byte], KeyChange)): Int =
      Arrays.compareUnsigned(a._1, b._1)
  }
}

/** Pairs of merged rows, read where they are needed. */
trait MergedPairs extends Serializable {

  /** A pair of each row that a reader sees in the slice. The iterator closes what it has opened when it is through. */
  def of(slice: FileSlice): Iterator[SecondaryKey]
}

/** A file that is made where there is most room for the work: on the driver or in a task. */
trait FileWork extends Serializable {

  /** Bytes that are read for it, for the choice between driver and tasks. */
  def bytes: Long

  /** It takes little memory however large the file is, so that several may run beside each other. */
  def isStreamed: Boolean

  /** Makes the file.
    *
    * @param goesOn
    *   called from time to time; raises an error where nobody wants the file any more
    */
  def run(storage: Storage, goesOn: () => Unit): WriteStat
}

/** Some changes of keys, read where they are needed: on the driver or in a task. */
trait KeySource extends Serializable {

  /** The changes, which are taken once. The iterator closes what it has opened when it is through. */
  def changes(storage: Storage): Iterator[KeyChange]

  /** They are read in tasks alone, as merged log files are. */
  def inTasks: Boolean = false

  /** About how many changes there are, for the choice between driver and tasks. */
  def estimate: Long
}

/** The file groups of a record index that work is dealt to. */
trait KeyShards extends Serializable {

  /** Shards are written in tasks alone, since they may read merged log files. */
  def inTasks: Boolean = false

  /** Number of all shards: at most, they are numbered from zero. */
  def count: Int

  /** Number of the shard of a key, from 0 to `count - 1`. */
  def numberOf(key: String, partition: String): Int

  /** Writes the file of a shard.
    *
    * @param changes
    *   all changes of this shard, sorted by the UTF-8 bytes of the keys
    * @return
    *   `None` where nothing is to be said
    */
  def write(storage: Storage, number: Int, changes: Iterator[KeyChange]): Option[WriteStat]
}

/** The keys that a write brought, moved or took away, as its tasks tell them: few in the messages of the tasks, more in
  * files beside the markers of the write. Only tasks whose attempt was committed are among them.
  */
final case class ToldKeys(parts: Seq[KeySource]) extends ToldFacts {
  def ++(other: ToldKeys): ToldKeys = ToldKeys(parts ++ other.parts)
  def estimate: Long = parts.map(_.estimate).sum
}

object ToldKeys {

  /** A write that has brought and taken no key. */
  val Nothing: ToldKeys = ToldKeys(Nil)

  /** Those of a write with these files; `None` where its tasks were not asked. */
  def of(stats: Seq[WriteStat]): Option[ToldKeys] = {
    val told = stats.flatMap(_.keys).collect { case keys: ToldKeys => keys }
    if (stats.nonEmpty && told.isEmpty) None else Some(ToldKeys(told.flatMap(_.parts)))
  }

  /** @param bytes
    *   as [[io.hudilite.metadata.KeyNotes]] writes them
    */
  final case class Sent(bytes: Array[Byte], estimate: Long) extends KeySource {
    override def changes(storage: Storage): Iterator[KeyChange] = KeyNotes.read(new ByteArrayInputStream(bytes))
  }

  /** @param path
    *   of the file, as the storage takes it
    */
  final case class Noted(path: String, estimate: Long) extends KeySource {
    override def changes(storage: Storage): Iterator[KeyChange] = KeyNotes.read(
      new ByteArrayInputStream(storage.read(path).getOrElse(throw new FileNotFoundException(path))))
  }
}
