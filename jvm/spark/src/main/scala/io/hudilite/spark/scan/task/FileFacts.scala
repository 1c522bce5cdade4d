package io.hudilite.spark.scan.task

import io.hudilite.filegroup.FileSlice
import io.hudilite.record.RowPlace
import io.hudilite.spark.basefile.read.FileRange

import java.net.URI

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Path
import org.apache.spark.sql.types._
import org.apache.spark.unsafe.types.UTF8String

/** The file that rows are read from, as `_metadata` and `input_file_name()` tell it.
  *
  * @param fileId
  *   of its file group
  * @param path
  *   of the file
  * @param size
  *   bytes of the whole file
  * @param askModified
  *   asks the storage when the file was written, in milliseconds
  */
private[spark] final class FileFacts(
    val fileId: String, val partition: String, path: Path, size: Long, val blockStart: Long, val blockLength: Long,
    askModified: () => Long) {

  /** The answer of `input_file_name()`: Spark's own sources give it three slashes where there is no host. */
  def inputName: String = {
    val uri = path.toUri
    new URI(uri.getScheme, Option(uri.getAuthority).getOrElse(""), uri.getPath, null, null).toString
  }

  /** Value of one of the fields of [[FileFacts.Struct]] but the row's own, [[FileFacts.RowIndex]]. */
  def value(field: String): Any = field match {
    case FileFacts.FilePath => UTF8String.fromString(path.toUri.toString)
    case FileFacts.FileName => UTF8String.fromString(path.toUri.getRawPath.split('/').last)
    case FileFacts.FileSize => size
    case FileFacts.BlockStart => blockStart
    case FileFacts.BlockLength => blockLength
    case FileFacts.Modified => askModified() * 1000
    case other => throw new IllegalArgumentException(s"no fact on files: $other")
  }
}

private[spark] object FileFacts {

  val FilePath = "file_path"
  val FileName = "file_name"
  val FileSize = "file_size"
  val BlockStart = "file_block_start"
  val BlockLength = "file_block_length"
  val Modified = "file_modification_time"

  /** Number of the row in its base file; null where log files lie on top, of whose rows some are in no base file. */
  val RowIndex = "row_index"

  /** All that may be asked for, in the order of Spark's own sources. */
  val Struct: StructType = StructType(Seq(FilePath -> StringType, FileName -> StringType, FileSize -> LongType,
    BlockStart -> LongType, BlockLength -> LongType, Modified -> TimestampType).map { case (name, dataType) =>
    StructField(name, dataType, nullable = false)
  } :+ StructField(RowIndex, LongType))

  /** The part of it that `columns` ask for.
    *
    * @param ofTable
    *   columns of the table, one of which may have its name
    */
  def asked(columns: StructType, ofTable: StructType): Option[StructType] =
    if (ofTable.fieldNames.contains(RowPlace.FileFacts)) None
    else columns.fields.find(_.name == RowPlace.FileFacts).map(_.dataType).collect { case s: StructType => s }

  def without(columns: StructType): StructType = StructType(columns.fields.filter(_.name != RowPlace.FileFacts))

  /** Facts on the files of one table. */
  final class Source(conf: Configuration, basePath: String) {

    // As Spark names files: with the scheme, also where the user left that out.
    private lazy val base: Path = {
      val path = new Path(basePath)
      path.getFileSystem(conf).makeQualified(path)
    }

    def of(range: FileRange): FileFacts =
      facts(range.fileId, range.partition, range.relativePath, range.fileLength, range.start, range.length)

    /** The base file of the slice stands for all that is merged with it; without one it is the first log file. */
    def of(slice: FileSlice): FileFacts = {
      val (path, size) = slice.base.map(file => file.relativePath -> file.length).getOrElse {
        val log = slice.logs.head
        log.relativePath -> log.length
      }
      facts(slice.fileId, slice.partition, path, size, 0L, size)
    }

    private def facts(fileId: String, partition: String, relativePath: String, size: Long, start: Long, length: Long)
        : FileFacts = {
      val path = new Path(s"$base/$relativePath")
      new FileFacts(fileId, partition, path, size, start, length,
        () => path.getFileSystem(conf).getFileStatus(path).getModificationTime)
    }
  }
}
