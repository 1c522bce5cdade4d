package io.hudilite.filegroup

import scala.collection.mutable

/** Deals work out evenly: pure. */
object Lots {

  /** At most `count` lots, none of them empty: the heavy items first, each to the lot that is lightest by then. Two
    * lots differ by the weight of one item at most. Within a lot the items go from heavy to light.
    */
  def deal[T](items: Seq[T], count: Int)(weight: T => Long): Seq[Seq[T]] = {
    val lots = Vector.tabulate(count.min(items.size))(new Lot[T](_))
    val lightest = new java.util.PriorityQueue[Lot[T]](lots.size.max(1),
      (a: Lot[T], b: Lot[T]) =>
        java.lang.Long.compare(a.weight, b.weight) match {
          case 0 => Integer.compare(a.number, b.number)
          case order => order
        })
    lots.foreach(lightest.add)
    items.sortBy(-weight(_)).foreach { item => // hot path: once per file
      val lot = lightest.poll()
      lot.items += item
      lot.weight += weight(item)
      lightest.add(lot)
    }
    lots.map(_.items.toList).filter(_.nonEmpty)
  }

  /** Lots for the tasks of a job: as many as there are full tasks in the work, at least one for each core, and none of them
    * empty.
    *
    * @param fullTask
    *   weight that keeps a task busy
    */
  def ofTasks[T](items: Seq[T], cores: Int, fullTask: Long)(weight: T => Long): Seq[Seq[T]] = {
    val full = (items.map(weight).sum + fullTask - 1) / fullTask
    deal(items, full.max(cores.toLong).min(items.size.toLong).toInt)(weight)
  }

  private final class Lot[T](val number: Int) {
    val items = mutable.ArrayBuffer.empty[T]
    var weight = 0L
  }
}
