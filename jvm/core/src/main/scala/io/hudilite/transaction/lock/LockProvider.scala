package io.hudilite.transaction.lock

import io.hudilite.storage.Place

/** Locks of tables, which keep writers apart as far as they reach. Every change of a table's timeline or properties is
  * made under its lock. Writers that the lock does not join give way to each other by claims
  * (docs/format.md#concurrency).
  */
trait LockProvider {

  /** Runs `body` while holding the lock of the table. A thread that already holds it just runs `body`. Raises
    * `LOCK_TIMEOUT` when the lock is not free in time.
    *
    * @param table
    *   folder of the table, which may not exist yet
    */
  def withTableLock[T](table: Place, waitMs: Long)(body: => T): T

  /** True when processes of these two running systems exclude each other by the lock. */
  def joins(table: Place, machine: String, other: String): Boolean

  /** Names of the lock's files in the table's `.hoodie` folder, in the order in which they are removed with the table.
    */
  def fileNames: Seq[String]
}
