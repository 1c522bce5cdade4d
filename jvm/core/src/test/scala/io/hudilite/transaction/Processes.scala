package io.hudilite.transaction

import io.hudilite.transaction.lock.{Owner, Process}

/** Processes beside the one of the tests. */
object Processes {

  /** One of this machine that has ended. */
  def gone(): Process = named(_.copy(pid = Int.MaxValue.toLong, process = "gone"))

  /** One of another machine. */
  def elsewhere(host: String, process: String): Process = named(_.copy(host = host, process = process))

  /** One whose name is almost that of the tests' own. */
  def named(change: Owner => Owner): Process = new Process(change(Process.current.owner))
}
