package io.hudilite.spark.lookup

import io.hudilite.filegroup.FileSlice
import io.hudilite.record.MetaFields
import io.hudilite.spark.task.TaskWork

import org.apache.spark.TaskContext
import org.apache.spark.unsafe.types.UTF8String

/** A slice, and keys that were found in it and elsewhere. */
private[lookup] final case class AskedSlice(slice: FileSlice, keys: Array[String])

/** Which of the keys have a row in their slice, as a query sees it. */
private[lookup] final class AliveKeys(probe: SliceProbe, metrics: ProbeMetrics)
    extends TaskWork[AskedSlice, FoundPlace] {

  override def apply(asked: AskedSlice): Seq[FoundPlace] = {
    val keys = asked.keys.map(UTF8String.fromString)
    java.util.Arrays.sort(keys, (a: UTF8String, b: UTF8String) => a.compareTo(b))
    val slice = asked.slice
    val at = probe.output.fieldIndex(MetaFields.RecordKey)
    probe.rows(ProbedSlice(slice, addedInLogs = false), keys, metrics, TaskContext.get())
      .map(row => FoundPlace(slice.partition, slice.fileId, row.getUTF8String(at).toString)).toList.distinct
  }
}
