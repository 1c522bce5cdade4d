package io.hudilite.spark.service.cluster.rewrite

import io.hudilite.error.CorruptTable
import io.hudilite.index.BucketIndex
import io.hudilite.record.MetaFields
import io.hudilite.spark.row.{CarriedSchema, RunningTask, TaskAttempt}
import io.hudilite.spark.shim.PlanNodes
import io.hudilite.spark.write.job.WriteJob
import io.hudilite.spark.write.task.{RollingFiles, TaskOutput, WrittenFiles}
import io.hudilite.timeline.WriteStat

import java.util.{EnumSet => JEnumSet, Set => JSet}

import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.connector.catalog.{SupportsWrite, Table, TableCapability}
import org.apache.spark.sql.connector.write._
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2Relation
import org.apache.spark.sql.hudilite.Datasets
import org.apache.spark.sql.types.StructType
import org.apache.spark.unsafe.types.UTF8String
import org.apache.spark.util.LongAccumulator

import scala.collection.mutable

/** The new file groups of a clustering as a table for Spark to write to. Rows have the columns of `CarriedSchema`, and those of
  * a partition, and of a bucket where the job has some, come together in each task.
  *
  * @param partitions
  *   paths of the partitions that the clustering is about
  * @param done
  *   counts the files that are finished
  */
private[rewrite] final class ClusteredFiles(job: WriteJob, partitions: Set[String], done: LongAccumulator)
    extends Table with SupportsWrite {

  // Spark commits in the thread that waits for the write.
  private var written: Seq[WriteStat] = Nil

  override def name(): String = s"hudilite clustering ${job.instant} of ${job.basePath}"

  override def schema(): StructType = CarriedSchema.schema(job.dataSchema)

  // The columns are those of the table's own rows: there is nothing for Spark to match by name.
  override def capabilities(): JSet[TableCapability] =
    JEnumSet.of(TableCapability.BATCH_WRITE, TableCapability.ACCEPT_ANY_SCHEMA)

  override def newWriteBuilder(info: LogicalWriteInfo): WriteBuilder = new WriteBuilder {
    override def build(): Write = new Write {
      override def description(): String = name()
      override def toBatch: BatchWrite = batch
    }
  }

  private def batch: BatchWrite = new BatchWrite {
    override def createBatchWriterFactory(info: PhysicalWriteInfo): DataWriterFactory =
      ClusteredFilesFactory(job, partitions, done)

    // One attempt of a task commits; the files of the others are strays by their markers.
    override def useCommitCoordinator(): Boolean = true
    override def commit(messages: Array[WriterCommitMessage]): Unit =
      written = messages.toSeq.flatMap(_.asInstanceOf[WrittenFiles].stats)
    override def abort(messages: Array[WriterCommitMessage]): Unit = ()
  }

  /** Writes the rows and returns one stat for each file. */
  def write(rows: DataFrame): Seq[WriteStat] = {
    val target = DataSourceV2Relation.create(this, None, None)
    Datasets.ofRows(rows.sparkSession, PlanNodes.append(target, rows.queryExecution.logical)).collect()
    written
  }
}

private final case class ClusteredFilesFactory(job: WriteJob, partitions: Set[String], done: LongAccumulator)
    extends DataWriterFactory {
  override def createWriter(partitionId: Int, taskId: Long): DataWriter[InternalRow] =
    new ClusteredFilesWriter(job, partitions, done, RunningTask.attempt(partitionId, taskId))
}

/** Writes what one task got: new file groups for each partition, or one for each of its buckets. */
private final class ClusteredFilesWriter(job: WriteJob, partitions: Set[String], done: LongAccumulator,
    attempt: TaskAttempt) extends DataWriter[InternalRow] {

  private val output = new TaskOutput(job, attempt)
  private val stats = mutable.ArrayBuffer.empty[WriteStat]
  private var partition: UTF8String = _
  private var index: Option[BucketIndex] = None
  private var bucket: Option[Int] = None
  private var files: RollingFiles = _

  override def write(row: InternalRow): Unit = {
    val of = row.getUTF8String(ClusteredFilesWriter.PartitionOrdinal)
    if (files == null || of != partition) index = job.buckets.map(_.in(if (of == null) "" else of.toString))
    val in = index.map(_.bucketOf(row.getUTF8String(CarriedSchema.KeyOrdinal).toString))
    if (files == null || of != partition || in != bucket) next(of, in)
    files.adopt(row)
  }

  private def next(of: UTF8String, in: Option[Int]): Unit = {
    finish()
    val path = if (of == null) "" else of.toString
    if (!partitions(path)) throw CorruptTable("CORRUPT_FILE", "path" -> job.basePath,
      "reason" ->
        (s"a row has '$path' in ${MetaFields.PartitionPath}, and lies in one of the partitions " +
          partitions.toSeq.sorted.map(p => s"'$p'").mkString(", ")))
    partition = if (of == null) null else of.copy()
    bucket = in
    files = new RollingFiles(output, path)
  }

  private def finish(): Unit = if (files != null) {
    stats ++= files.close()
    files = null
  }

  override def commit(): WriterCommitMessage = {
    finish()
    val told = output.confirm(stats.toList)
    done.add(stats.size.toLong)
    WrittenFiles(told)
  }

  override def abort(): Unit =
    try if (files != null) files.abort()
    finally output.discard()

  override def close(): Unit = ()
}

private object ClusteredFilesWriter {
  val PartitionOrdinal: Int = CarriedSchema.Meta.indexOf(MetaFields.PartitionPath)
}
