package io.hudilite.service.compact

import io.hudilite.config.service.CompactionOptions
import io.hudilite.error.InvalidInput
import io.hudilite.filegroup.FileSlice
import io.hudilite.timeline.plan.CompactionOperation

import java.time.LocalDate

import scala.util.control.NonFatal

/** Bounds of the strategies.
  *
  * @param minLogBytes
  *   bytes of log files that a slice must have for LogFileSizeBased
  * @param minLogFiles
  *   log files that a slice must have for LogFileNumBased
  * @param targetIoMb
  *   MiB read and written at which a strategy with bounded IO stops
  * @param targetPartitions
  *   partitions that DayBased takes, or days that the partition-aware strategies look back
  * @param today
  *   the present day in the table's zone
  */
final case class CompactionSettings(
    today: LocalDate,
    minLogBytes: Long = 0L,
    minLogFiles: Long = 0L,
    targetIoMb: Long = 500L * 1024L,
    targetPartitions: Int = 10)

/** Chooses the file slices that a compaction rewrites, and their order.
  *
  * Implement it to have a strategy of your own: a public class with a constructor without parameters, on the classpath
  * of the driver and named by the option `hoodie.compaction.strategy`. `select` must be a pure function. It is called
  * once for each plan, under the table lock, with every slice that may be compacted: newest slices with log files whose
  * file group no pending compaction or clustering takes, in the order of partition and file id.
  */
trait CompactionStrategy {

  /** The slices to compact, in the order of the plan.
    *
    * @param candidates
    *   slices that may be compacted; any other in the result fails the scheduling
    */
  def select(candidates: Seq[CompactionCandidate], settings: CompactionSettings): Seq[CompactionCandidate]
}

object CompactionStrategy {

  private val HudiPackage = "org.apache.hudi.table.action.compact.strategy."
  private val Suffix = "CompactionStrategy"

  /** The strategy of this name: Hudi's class name, its short form such as `BoundedIO`, or a class of the user's.
    *
    * Raises `InvalidInput` when there is none.
    */
  def named(name: String): CompactionStrategy = {
    val short = name.trim.stripPrefix(HudiPackage).stripSuffix(Suffix)
    Strategies.byName.collectFirst { case (known, strategy) if known.equalsIgnoreCase(short) => strategy }
      .getOrElse(if (name.contains('.')) instance(name.trim)
        else throw invalid(name,
          "it must be one of " +
            Strategies.byName.keys.toSeq.sorted.mkString(", ") + ", or the name of a class"))
  }

  /** Short name of a strategy, or the class name of the user's own. */
  def nameOf(strategy: CompactionStrategy): String =
    Strategies.byName.collectFirst { case (name, known) if known eq strategy => name }
      .getOrElse(strategy.getClass.getName)

  private def instance(className: String): CompactionStrategy =
    try loader.loadClass(className).getDeclaredConstructor().newInstance() match {
        case strategy: CompactionStrategy => strategy
        case _ => throw invalid(className, s"the class does not implement ${classOf[CompactionStrategy].getName}")
      }
    catch {
      case e: InvalidInput => throw e
      case _: ClassNotFoundException => throw invalid(className, "the driver's classpath has no such class")
      case NonFatal(e) => throw invalid(className, s"the class cannot be instantiated ($e)")
    }

  private def loader: ClassLoader =
    Option(Thread.currentThread().getContextClassLoader).getOrElse(getClass.getClassLoader)

  private def invalid(name: String, reason: String): InvalidInput =
    InvalidInput.option(CompactionOptions.Strategy.name, name, reason)
}

/** A file slice that a compaction could rewrite, with the cost of that.
  *
  * @param slice
  *   a slice with log files
  * @param maxFileBytes
  *   assumed size of the new base file when the slice has none
  */
final case class CompactionCandidate(slice: FileSlice, maxFileBytes: Long) {

  import CompactionCandidate._

  def partition: String = slice.partition

  def logFiles: Int = slice.logs.size

  def logBytes: Long = slice.logs.map(_.length).sum

  /** Whole MiB to read: the base file and all log files. */
  def readMb: Long = (slice.base.map(_.bytes).getOrElse(0L) + logBytes) / MiB

  /** Whole MiB to write: about the size of the base file. */
  def writeMb: Long = slice.base.map(_.bytes).getOrElse(maxFileBytes) / MiB

  /** Whole MiB to read and write, by which a strategy with bounded IO counts. */
  def totalMb: Long = readMb + writeMb

  /** These figures by Hudi's names, as in a plan. */
  def metrics: Map[String, Double] = Map(
    "TOTAL_LOG_FILES" -> logFiles.toDouble,
    "TOTAL_LOG_FILES_SIZE" -> logBytes.toDouble,
    "TOTAL_IO_READ_MB" -> readMb.toDouble,
    "TOTAL_IO_WRITE_MB" -> writeMb.toDouble,
    "TOTAL_IO_MB" -> totalMb.toDouble)

  def operation: CompactionOperation = CompactionOperation(slice.partition, slice.fileId, slice.instant,
    slice.base.map(_.name), slice.logs.map(_.name), metrics)
}

object CompactionCandidate {
  private val MiB = 1024L * 1024L
}
