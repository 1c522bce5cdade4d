package io.hudilite.spark.bootstrap.task

import io.hudilite.error.{CorruptTable, UnsupportedTable}
import io.hudilite.filegroup.{BaseFileFooter, SourceStatus}
import io.hudilite.record.MetaFields
import io.hudilite.schema.ColumnNames
import io.hudilite.spark.basefile.read.ReaderContexts
import io.hudilite.spark.row.SharedConf
import io.hudilite.spark.task.{TaskJob, TaskWork}

import java.io.FileNotFoundException

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.{FileStatus, Path}
import org.apache.parquet.schema.MessageType
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.types.StructType

import scala.collection.JavaConverters._

/** A file of a source.
  *
  * @param partition
  *   path of its folder below that of the source
  */
private[bootstrap] final case class FoundSource(partition: String, status: SourceStatus)

/** A file of a source, as a task has looked at it.
  *
  * @param flaw
  *   why its rows cannot stay there, if that is so
  */
private[bootstrap] final case class LookedAt(source: FoundSource, flaw: Option[String])

/** Looks at footers of source files, before anything is made of them.
  *
  * @param root
  *   folder of all sources
  * @param columns
  *   columns of the table that the files are to have
  * @param keys
  *   names of those that they must have, for the record key
  * @param told
  *   columns that folders tell, and files must not
  */
private[bootstrap] final case class SourceLook(root: SourceRoot, columns: StructType, keys: Seq[String],
    told: Seq[String],
    conf: SharedConf) extends TaskWork[SourceLook.Paths, LookedAt] {

  override def apply(paths: SourceLook.Paths): Seq[LookedAt] = {
    val contexts = new ReaderContexts(conf.value, caseSensitive = false)
    paths.paths.map { text =>
      val path = new Path(text)
      val status = SourceLook.status(path, contexts.conf)
      LookedAt(FoundSource(root.partitionOf(path), status), flaw(status, contexts))
    }
  }

  private def flaw(file: SourceStatus, contexts: ReaderContexts): Option[String] =
    try {
      val schema = BaseFileFooter.metadata(contexts.conf, file.path, file.length).getFileMetaData.getSchema
      contexts.columns(schema, columns, ColumnNames.Same, "it")
      flaw(schema)
    } catch {
      case e: UnsupportedTable => Some(e.getMessage.takeWhile(_ != '\n'))
      case _: CorruptTable => Some("it is no Parquet file")
    }

  private def flaw(schema: MessageType): Option[String] = {
    val names = schema.getFields.asScala.map(_.getName).toSeq
    def has(column: String): Boolean = names.exists(_.equalsIgnoreCase(column))
    MetaFields.all.find(has).map(column => s"it has the meta column $column")
      .orElse(told.find(has).map(column => s"it has the partition column $column, whose values its folder tells"))
      .orElse(keys.find(!has(_)).map(column => s"it lacks the column $column of the record key"))
      .orElse(names.find(name => !columns.exists(_.name.equalsIgnoreCase(name))).map(column =>
          s"it has the column $column, which other files lack; set spark.sql.parquet.mergeSchema to take it along"))
  }
}

private[bootstrap] object SourceLook {

  /** Paths of the files of one task. */
  final case class Paths(paths: Seq[String])

  // A footer takes some milliseconds.
  private val LeastOfTask = 8

  def run(session: SparkSession, look: SourceLook, paths: Seq[String]): Seq[LookedAt] = {
    val ofTask = (paths.size / (session.sparkContext.defaultParallelism * 4).max(1)).max(LeastOfTask)
    TaskJob.run(session, s"hudilite bootstrap: footers of ${look.root}", look,
      paths.grouped(ofTask).map(some => Paths(some.toList)).toList)
  }

  /** The file as its file system lists it now. */
  private[task] def status(path: Path, conf: Configuration): SourceStatus = {
    val file: FileStatus =
      try path.getFileSystem(conf).getFileStatus(path)
      catch {
        case e: FileNotFoundException => throw CorruptTable.because(e, "CORRUPT_FILE", "path" -> path.toString,
            "reason" -> "it was listed as a source of a bootstrap, and is gone")
      }
    val may = file.getPermission
    SourceStatus(path.toString, file.getLen, file.getReplication.toInt, file.getBlockSize, file.getModificationTime,
      file.getAccessTime, (may.getUserAction.name, may.getGroupAction.name, may.getOtherAction.name, may.getStickyBit),
      file.getOwner, file.getGroup)
  }
}
