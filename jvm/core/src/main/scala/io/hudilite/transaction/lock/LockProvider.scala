package io.hudilite.transaction.lock

import io.hudilite.storage.Place

/** Keeps writers of a table apart, as far as it reaches. Every change of a table's timeline or properties is made under
  * it; writers that it does not reach give way to each other by claims (docs/format.md#concurrency).
  */
trait LockProvider {

  /** Runs `body` while holding the lock of the table; a thread that already holds it just runs `body`. Raises
    * `LOCK_TIMEOUT` when the lock is not free in time.
    *
    * @param table
    *   its folder, which may not exist yet
    */
  def withTableLock[T](table: Place, waitMs: Long)(body: => T): T

  /** Processes of these two running systems exclude each other by the lock. */
  def joins(table: Place, machine: String, other: String): Boolean

  /** Names of the files in the table's `.hoodie` folder that make the lock, in the order in which they go with the table. */
  def fileNames: Seq[String]
}
