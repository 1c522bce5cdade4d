package io.hudilite.storage

import java.util.concurrent.ConcurrentLinkedQueue

import scala.collection.JavaConverters._

/** One request to a storage: its kind, one of `StorageCalls.Kinds`, and the path that it names. */
final case class StorageCall(kind: String, path: String)

/** Calls to a storage, in their order. */
final case class StorageCalls(all: Seq[StorageCall]) {

  def total: Int = all.size

  def count(kind: String): Int = all.count(_.kind == kind)

  /** Number of each kind that was asked for. */
  def counts: Map[String, Int] = all.groupBy(_.kind).map { case (kind, calls) => kind -> calls.size }

  /** Paths that calls of this kind named, with repetitions. */
  def paths(kind: String): Seq[String] = all.filter(_.kind == kind).map(_.path)

  /** Such as `31 = 2 list, 20 head, 9 get`. */
  def summary: String = s"$total = " +
    StorageCalls.Kinds.collect { case kind if count(kind) > 0 => s"${count(kind)} $kind" }.mkString(", ")

  /** A line for each kind and name, most frequent first; digits are left out, so that files of one sort count together. */
  def details: String = all.groupBy(c => (c.kind, StorageCalls.sort(c.path))).toSeq
    .map { case ((kind, name), calls) => (calls.size, kind, name) }
    .sortBy { case (count, kind, name) => (-count, kind, name) }
    .map { case (count, kind, name) => f"$count%6d $kind%-6s $name" }.mkString("\n")
}

object StorageCalls {

  /** Kinds of calls: a listing, a question for the status of a file, a read of a range, a write, a deletion, a rename, a
    * new folder.
    */
  val Kinds: Seq[String] = Seq("list", "head", "get", "put", "delete", "rename", "mkdir")

  // The last two names of a path say what sort of file it is, but for ids and times in them.
  private def sort(path: String): String =
    path.split('/').takeRight(2).mkString("/").replaceAll("[0-9a-f]{8}-[0-9a-f-]{27}", "ID").replaceAll("[0-9]+", "N")

  /** Takes down calls from any thread. */
  final class Log {
    private val calls = new ConcurrentLinkedQueue[StorageCall]()
    def add(kind: String, path: String): Unit = {
      require(Kinds.contains(kind), kind)
      calls.add(StorageCall(kind, path))
      ()
    }
    def clear(): Unit = calls.clear()
    def taken: StorageCalls = StorageCalls(calls.asScala.toList)
  }
}
