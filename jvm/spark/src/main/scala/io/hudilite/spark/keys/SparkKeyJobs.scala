package io.hudilite.spark.keys

import io.hudilite.error.HudiliteException
import io.hudilite.filegroup.{FileSlice, Lots}
import io.hudilite.metadata.SecondaryIndex
import io.hudilite.spark.row.{RunningTask, SharedConf}
import io.hudilite.spark.shim.Sessions
import io.hudilite.spark.task.{TaskJob, TaskWork}
import io.hudilite.spark.write.job.WriteGroups
import io.hudilite.storage.{HadoopStorage, Storage, TableStorage}
import io.hudilite.table.Table
import io.hudilite.timeline.WriteStat
import io.hudilite.upkeep.{DriverKeyJobs, FileWork, KeyJobs, KeyShards, KeySource, MergedPairs}

import java.io.IOException

import org.apache.spark.SparkException
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2Relation
import org.apache.spark.sql.functions.col
import org.apache.spark.sql.hudilite.Datasets

/** Deals changes of keys to the shards of a record index: tasks read the changes, Spark shuffles and sorts them, and a task
  * writes a shard. Few are dealt by the driver, for whom a job takes longer.
  *
  * @param mostOfDriver
  *   changes that the driver deals
  * @param mostBytes
  *   bytes that the driver reads for files which it makes
  */
private[spark] final class SparkKeyJobs(@transient session: SparkSession, basePath: String,
    mostOfDriver: Long = SparkKeyJobs.MostOfDriver, mostBytes: Long = SparkKeyJobs.MostBytes) extends KeyJobs {

  import SparkKeyJobs._

  override def run(sources: Seq[KeySource], shards: KeyShards, storage: Storage): Seq[WriteStat] =
    if (sources.map(_.estimate).sum <= mostOfDriver && !shards.inTasks && !sources.exists(_.inTasks))
      DriverKeyJobs.run(sources, shards, storage)
    else dealt(sources, shards)

  override def merged(table: Table, slices: Seq[FileSlice]): Option[Seq[KeySource]] =
    Some(KeysOfRows.of(session, table, slices))

  override def mergedPairs(table: Table, index: SecondaryIndex, latest: String): Option[MergedPairs] =
    Some(PairsOfRows.of(session, table, index, latest))

  /** Small files are made by the driver, as long as they are few bytes together, and each of the others in a task. Those
    * that take memory are made by the driver in any case, one at a time.
    */
  override def made(work: Seq[FileWork], storage: Storage): Seq[WriteStat] = {
    val smallest = work.indices.filter(work(_).isStreamed).sortBy(work(_).bytes)
    val sums = smallest.scanLeft(0L)(_ + work(_).bytes).drop(1)
    val ofTasks = smallest.drop(sums.count(_ <= mostBytes)).reverse // the largest first
    val some = ofTasks.zip(inTasks(ofTasks.map(work))).toMap
    work.indices.map(i => some.getOrElse(i, work(i).run(storage, () => ())))
  }

  private def inTasks(work: Seq[FileWork]): Seq[WriteStat] =
    if (work.isEmpty) Nil
    else failing(TaskJob.run(session, s"hudilite: compaction of the metadata table of $basePath",
        new FilesOfTask(TaskTable(basePath, SharedConf(Sessions.hadoopConf(session)))), work))

  /** Errors of tasks as the driver would raise them: upkeep goes by those of hudilite's, and lets a service wait for the next
    * write after those of the storage.
    */
  private def failing[T](job: => T): T =
    try HudiliteException.unwrapping(job)
    catch {
      case e: SparkException if !String.valueOf(e.getMessage).contains("cancelled") =>
        throw new IOException(s"the indexes of $basePath could not be written by tasks: ${e.getMessage}", e)
    }

  private def dealt(sources: Seq[KeySource], shards: KeyShards): Seq[WriteStat] = {
    val table = TaskTable(basePath, SharedConf(Sessions.hadoopConf(session)))
    val cores = session.sparkContext.defaultParallelism
    val tasks = shards.count.min(cores * TasksPerCore).max(1)
    val dealing = KeyDealing(table, shards, WriteGroups.valuesHashedTo(tasks))
    val changes = new ChangesOfKeys(s"hudilite: record keys of $basePath", dealing, batches(sources, cores))
    val rows = Datasets.ofRows(session, DataSourceV2Relation.create(changes, None, None))
      .repartition(tasks, col(ChangesOfKeys.Task)).sortWithinPartitions(ChangesOfKeys.Lead, ChangesOfKeys.Key)
    failing(Sessions.withSettings(session)(
        rows.queryExecution.toRdd.mapPartitions(new ShardsOfTask(table, shards)).collect().toSeq))
  }

  private def batches(sources: Seq[KeySource], cores: Int): Seq[KeyBatch] =
    Lots.ofTasks(sources, cores, ChangesOfTask)(_.estimate + 1).map(KeyBatch(_))
}

private object SparkKeyJobs {
  val MostOfDriver = 50000L

  /** Some 200,000 keys of a record index: a quarter of a second. */
  val MostBytes: Long = 8L << 20

  private val ChangesOfTask = 1000000L
  private val TasksPerCore = 8
}

/** The storage of the table in a task. */
private[keys] final case class TaskTable(basePath: String, conf: SharedConf) {
  def storage: Storage = TableStorage.of(new HadoopStorage(conf.value), basePath)
}

/** Makes the file of a task. */
private final class FilesOfTask(table: TaskTable) extends TaskWork[FileWork, WriteStat] {
  override def apply(item: FileWork): Seq[WriteStat] =
    Seq(item.run(table.storage, () => RunningTask.stopIfKilled()))
}

/** Sources of one task. */
private[keys] final case class KeyBatch(sources: Seq[KeySource])

/** The way of a change to the task that writes its shard.
  *
  * @param taskValues
  *   values that Spark's hash partitioning puts to each of the tasks
  */
private[keys] final case class KeyDealing(table: TaskTable, shards: KeyShards, taskValues: Array[Int]) {
  def taskValue(shard: Int): Int = taskValues(shard % taskValues.length)
}
