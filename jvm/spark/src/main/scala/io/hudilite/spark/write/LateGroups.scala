package io.hudilite.spark.write

import java.io.ObjectOutputStream

/** The groups of a write, made when the first of its tasks is sent out: its lookup has told by then in which partitions the
  * rows are that change, and only the groups of these are read, and sent along.
  *
  * @param tasks
  *   number of tasks of the write, which is planned before
  * @param make
  *   called once, on the driver
  */
final class LateGroups(val tasks: Int, @transient private val make: () => WriteGroups) extends Serializable {

  lazy val groups: WriteGroups = make().copy(tasks = tasks)

  private def writeObject(out: ObjectOutputStream): Unit = {
    groups
    out.defaultWriteObject()
  }
}

object LateGroups {

  /** Groups that are known already. */
  def of(groups: WriteGroups): LateGroups = new LateGroups(groups.tasks, () => groups)
}
