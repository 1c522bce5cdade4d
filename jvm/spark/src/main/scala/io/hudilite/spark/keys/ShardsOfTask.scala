package io.hudilite.spark.keys

import io.hudilite.record.KeyChange
import io.hudilite.spark.row.RunningTask
import io.hudilite.timeline.WriteStat
import io.hudilite.upkeep.KeyShards

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.unsafe.types.UTF8String

import scala.collection.BufferedIterator

/** Writes the shards whose changes one task gets, shard by shard. */
private[keys] final class ShardsOfTask(table: TaskTable, shards: KeyShards)
    extends (Iterator[InternalRow] => Iterator[WriteStat]) with Serializable {

  override def apply(rows: Iterator[InternalRow]): Iterator[WriteStat] = {
    val storage = table.storage
    val left = rows.buffered
    Iterator.continually(()).takeWhile(_ => left.hasNext).flatMap { _ =>
      val number = ChangesOfKeys.shardOf(left.head.getLong(ChangesOfKeys.LeadAt))
      val changes = new ChangesOfShard(left, number)
      val stat = shards.write(storage, number, changes)
      while (changes.hasNext) changes.next() // of which nothing is to be said
      stat
    }
  }
}

/** The changes of one shard, which come first among those that are left. */
private final class ChangesOfShard(left: BufferedIterator[InternalRow], number: Int) extends Iterator[KeyChange] {

  private var partition: UTF8String = _
  private var partitionName = ""
  private val fileIds = new java.util.HashMap[UTF8String, Option[String]]
  private var taken = 0L

  override def hasNext: Boolean =
    left.hasNext && ChangesOfKeys.shardOf(left.head.getLong(ChangesOfKeys.LeadAt)) == number

  override def next(): KeyChange = { // hot path
    if (!hasNext) throw new NoSuchElementException("no more changes")
    if ((taken & ChangesOfShard.KillCheckMask) == 0) RunningTask.stopIfKilled()
    taken += 1
    val row = left.next()
    val of = row.getUTF8String(ChangesOfKeys.PartitionAt)
    if (of != partition) {
      partition = of.copy()
      partitionName = of.toString
    }
    KeyChange(row.getUTF8String(ChangesOfKeys.KeyAt).toString, partitionName, group(row, ChangesOfKeys.FileAt),
      group(row, ChangesOfKeys.FromAt))
  }

  private def group(row: InternalRow, at: Int): Option[String] =
    if (row.isNullAt(at)) None else fileId(row.getUTF8String(at))

  private def fileId(of: UTF8String): Option[String] = {
    val known = fileIds.get(of)
    if (known != null) known
    else {
      val name = Some(of.toString)
      fileIds.put(of.copy(), name)
      name
    }
  }
}

private object ChangesOfShard {
  val KillCheckMask = 0xffffL
}
