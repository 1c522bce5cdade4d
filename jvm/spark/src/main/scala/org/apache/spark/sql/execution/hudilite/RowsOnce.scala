package org.apache.spark.sql.execution.hudilite

import java.io.ObjectOutputStream

import org.apache.spark.{Partition, TaskContext}
import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow

/** Rows that may differ when they are evaluated again.
  *
  * Spark evaluates rows again when shuffle files are lost after they were read. Rows read by then do not match the new
  * ones, so the job has to fail. Nothing is committed, and the write can be run again. Spark serializes an RDD for each
  * set of tasks that it starts, and that is where it shows.
  *
  * @param areWritten
  *   true, on the driver, once all rows have been evaluated
  * @param lost
  *   the error to raise when they would be evaluated again
  */
private[hudilite] final class RowsOnce(rows: RDD[InternalRow], @transient areWritten: () => Boolean,
    @transient lost: () => RuntimeException)
    extends RDD[InternalRow](rows) {

  override protected def getPartitions: Array[Partition] = firstParent[InternalRow].partitions

  override def compute(split: Partition, context: TaskContext): Iterator[InternalRow] =
    firstParent[InternalRow].iterator(split, context)

  private def writeObject(out: ObjectOutputStream): Unit = {
    if (areWritten()) throw lost()
    out.defaultWriteObject()
  }
}
