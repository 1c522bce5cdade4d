package io.hudilite.filegroup

import java.nio.charset.StandardCharsets.US_ASCII
import java.util.UUID

import scala.util.matching.Regex

/** The parts of a base file's name, `<fileId>_<writeToken>_<instant>.<extension>`. */
final case class BaseFileName(fileId: String, writeToken: String, instant: String, extension: String)

/** The parts of a log file's name, `.<fileId>_<time>.log.<version>_<writeToken>[.cdc]`.
  *
  * @param time
  *   table version 6: base instant of the slice; from version 8 on: instant of the delta commit that wrote the file
  */
final case class LogFileName(fileId: String, time: String, version: Int, writeToken: Option[String], isCdc: Boolean)

/** Grammar of data file names (docs/format.md#file-names). */
object FileNames {

  val BaseExtension: String = ".parquet"
  val PartitionMetadata: String = ".hoodie_partition_metadata"

  // A record index has paths of partitions in the ids of its file groups.
  private val Base: Regex =
    "([a-zA-Z0-9-]+|record-index-[^._]+(?=[^.]+\\.hfile$))_([a-zA-Z0-9-]+)_([0-9]+)\\.([a-zA-Z0-9]+)".r
  private val Log: Regex = "\\.([^._]+)_([^.]*)\\.log\\.(\\d+)(?:_(\\d+-\\d+-\\d+)(\\.cdc)?)?".r

  // Digits of numbers that are sure to fit an int, such as versions of log files.
  private val MostDigits = 9
  private val ExternalSuffix = "_hudiext"

  def baseFile(fileId: String, writeToken: String, instant: String): String =
    s"${fileId}_${writeToken}_$instant$BaseExtension"

  def logFile(fileId: String, time: String, version: Int, writeToken: String): String =
    s".${fileId}_$time.log.${version}_$writeToken"

  def parseBaseFile(name: String): Option[BaseFileName] = name match {
    case Base(fileId, token, instant, extension) => Some(BaseFileName(fileId, token, instant, extension))
    case _ => None
  }

  def parseLogFile(name: String): Option[LogFileName] = name match {
    case Log(fileId, time, version, token, cdc) if version.length <= MostDigits =>
      Some(LogFileName(fileId, time, version.toInt, Option(token), cdc != null))
    case _ => None
  }

  /** A file of another format that was registered in place. No reader of ours understands its name. */
  def isExternalFile(name: String): Boolean = name.endsWith(ExternalSuffix)

  /** The marker file that makes a directory a partition. Besides the plain one, Hudi can write it as parquet or ORC. */
  def isPartitionMetadata(name: String): Boolean = name.startsWith(PartitionMetadata)

  /** Id of a new file group. Readers of the record index expect a UUID and a number.
    *
    * All attempts of a task give their file groups equal ids. So files of an attempt that lost lie in a file group of
    * the one that won, where a reader sees a file too many. The id of a file group of a bucket begins with eight
    * digits, so others do not.
    *
    * @param task
    *   number of the task in its stage
    * @param number
    *   number of file groups that the attempt has begun before
    */
  def newFileId(instant: String, task: Int, number: Int): String =
    Iterator.from(0).map(n => UUID.nameUUIDFromBytes(s"$instant/$task/$number/$n".getBytes(US_ASCII)).toString)
      .find(id => !id.take(BucketDigits).forall(Character.isDigit)).map(id => s"$id-0").get

  private val BucketDigits = 8

  /** Makes the name unique per task attempt, so that a retried task never writes over another's file. */
  def writeToken(partitionId: Int, stageId: Int, attemptId: Long): String = s"$partitionId-$stageId-$attemptId"
}
