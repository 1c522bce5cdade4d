package io.hudilite.spark.write.attempt

import io.hudilite.spark.write.job.WriteGroups

/** The groups of a write, made once, on the driver, before its tasks are sent out: its lookup has told by then in which
  * partitions the rows are that change, and only the groups of these are read, and sent along.
  *
  * @param tasks
  *   number of tasks of the write, which is planned before
  * @param make
  *   looks the groups up; what it raises ends the write
  */
final class LateGroups(val tasks: Int, @transient private val make: () => WriteGroups) extends Serializable {

  private var made: WriteGroups = _ // hot path: null until they are made

  def isPrepared: Boolean = synchronized(made != null)

  /** Makes the groups, unless they are. */
  def prepare(): Unit = synchronized {
    if (made == null) made = make().copy(tasks = tasks)
  }

  // hot path: called for every row
  def groups: WriteGroups = {
    if (made == null) throw new IllegalStateException("tasks of a write were sent out before its groups were made")
    made
  }
}

object LateGroups {

  /** Groups that are known already. */
  def of(groups: WriteGroups): LateGroups = {
    val known = new LateGroups(groups.tasks, () => groups)
    known.prepare()
    known
  }
}
