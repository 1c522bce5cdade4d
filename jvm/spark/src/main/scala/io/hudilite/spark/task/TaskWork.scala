package io.hudilite.spark.task

/** What tasks do: each takes an item of a plan and answers with what it did or found. A task that Spark runs again does
  * its item again.
  */
private[spark] trait TaskWork[I, O] extends Serializable {
  def apply(item: I): Seq[O]
}
