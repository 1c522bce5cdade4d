package io.hudilite.transaction

import io.hudilite.error.CommitConflict
import io.hudilite.filegroup.{BaseFile, FileNames, Partitions}
import io.hudilite.table.Table
import io.hudilite.timeline.{Action, WriteStat}
import io.hudilite.transaction.rollback.{Marker, Markers}

import java.nio.charset.StandardCharsets.UTF_8
import java.util.concurrent.{Callable, Executors, TimeUnit}

/** Writers of a copy-on-write table whose base files hold lines of `key=count`: an upsert adds one to the count of its
  * key where it finds it, and a new file group where it does not.
  */
final class KeyedWriters(table: Table) {

  private val storage = table.storage
  private val partition = "p"

  /** Lets each writer upsert the key so often, again after each conflict; the answer is what the table holds then, and a
    * key that it holds twice is `CorruptTable` of this test.
    */
  def run(writers: Int, rounds: Int): Map[String, Int] = {
    val pool = Executors.newFixedThreadPool(writers)
    val tasks = (1 to writers).map(n =>
      pool.submit(new Callable[Unit] {
        override def call(): Unit = (1 to rounds).foreach(round => untilCommitted("k", s"$n-$round"))
      }))
    try tasks.foreach(_.get(120, TimeUnit.SECONDS))
    finally pool.shutdown()
    val rows = contents(table.refresh()).toSeq.flatMap(_._2)
    assert(rows.map(_._1).distinct.size == rows.size, s"a key has more than one row: $rows")
    rows.toMap
  }

  @annotation.tailrec
  private def untilCommitted(key: String, name: String): Unit = {
    val now = table.refresh()
    val transaction = Transaction.begin(now, Action.Commit, "UPSERT")
    val committed =
      try {
        transaction.commit(Seq(upsert(now, transaction.instant, key, name)),
          assumption = Assumption.KeysAbsent(anywhere = false))
        true
      } catch { case _: CommitConflict => transaction.rollback(); false }
    if (!committed) untilCommitted(key, name)
  }

  private def upsert(now: Table, instant: String, key: String, name: String): WriteStat =
    contents(now).find(_._2.contains(key)) match {
      case Some((old, rows)) => write(instant, old.fileId, old.instant, rows.updated(key, rows(key) + 1))
      case None => write(instant, s"$name-0", WriteStat.NoPreviousCommit, Map(key -> 1))
    }

  private def contents(now: Table): Map[BaseFile, Map[String, Int]] = (for {
    slice <- now.slices(Seq(partition))(partition)
    base <- slice.base
  } yield base ->
    new String(storage.read(s"${table.basePath}/${base.relativePath}").get, UTF_8).linesIterator
      .map(_.split('=')).map(parts => parts(0) -> parts(1).toInt).toMap).toMap

  private def write(instant: String, fileId: String, previous: String, rows: Map[String, Int]): WriteStat = {
    val name = FileNames.baseFile(fileId, "0-0-0", instant)
    Partitions.createMetadata(storage, table.basePath, partition, instant)
    Markers.create(storage, table.basePath, instant, Marker(s"$partition/$name", Markers.Create))
    storage.createNew(s"${table.basePath}/$partition/$name",
      rows.map { case (key, count) => s"$key=$count" }.mkString("\n").getBytes(UTF_8))
    WriteStat(fileId, s"$partition/$name", previous, partition, numWrites = rows.size.toLong,
      numInserts = if (previous == WriteStat.NoPreviousCommit) 1 else 0)
  }
}
