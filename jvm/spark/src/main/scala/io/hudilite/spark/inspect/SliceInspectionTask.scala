package io.hudilite.spark.inspect

import io.hudilite.filegroup.{BaseFile, FileSlice}
import io.hudilite.spark.row.SharedConf
import io.hudilite.spark.task.{SliceBatch, TaskWork}
import io.hudilite.stats.FileStatistics

import org.apache.spark.sql.Row
import org.apache.spark.sql.catalyst.{CatalystTypeConverters, InternalRow}
import org.apache.spark.sql.types.StructType

/** Rows of file slices, made by tasks.
  *
  * @param schema
  *   the columns that are asked for: footers are opened only for those that are in them
  */
private final case class SliceInspectionTask(of: SliceInspection, schema: StructType, basePath: String,
    conf: SharedConf)
    extends TaskWork[SliceBatch, InternalRow] {

  @transient private lazy val converter = CatalystTypeConverters.createToCatalystConverter(schema)

  override def apply(batch: SliceBatch): Seq[InternalRow] = batch.slices.flatMap(rowsOf).map { values =>
    converter(Row.fromSeq(schema.fieldNames.toSeq.map(values(_)))).asInstanceOf[InternalRow]
  }

  /** Values by the names of columns; those of footers may be absent when nobody asks for them. */
  private[inspect] def rowsOf(slice: FileSlice): Seq[Map[String, Any]] = of match {
    case Inspection.FileGroups => Seq(group(slice))
    case Inspection.Files => slice.base.toSeq.map(base(slice, _)) ++ slice.logs.map { log =>
        file(slice, log.time) ++ Map[String, Any]("kind" -> "log", "rows" -> null, "bytes" -> log.length,
          "min_key" -> null, "max_key" -> null, "name" -> log.name)
      }
  }

  /** @param instant
    *   instant in the name of the file
    */
  private def file(slice: FileSlice, instant: String): Map[String, Any] =
    Map("partition" -> slice.partition, "file_id" -> slice.fileId, "instant" -> instant)

  private def group(slice: FileSlice): Map[String, Any] = file(slice, slice.instant) ++ Map[String, Any](
    "base_file" -> slice.base.map(_.name).orNull, "base_bytes" -> slice.base.map(_.length).getOrElse(0L),
    "log_files" -> slice.logs.size, "log_bytes" -> slice.logs.map(_.length).sum)

  private def base(slice: FileSlice, base: BaseFile): Map[String, Any] = file(slice, base.instant) ++
    Map[String, Any]("kind" -> "base", "bytes" -> base.length, "name" -> base.name) ++ footer(base)

  private def footer(file: BaseFile): Map[String, Any] =
    if (!schema.fieldNames.exists(of.footerColumns)) Map.empty
    else {
      val known = FileStatistics.at(basePath, conf.value).ofFile(file)
      Map[String, Any]("rows" -> known.rows, "min_key" -> known.keys.min.orNull, "max_key" -> known.keys.max.orNull)
    }
}

private object SliceInspectionTask {

  /** Slices of a task where footers are read, which takes a request each, and where their names say all. */
  private val WithFooters = 64
  private val NamesOnly = 10000

  def batches(slices: Iterator[FileSlice], withFooters: Boolean): Seq[SliceBatch] =
    SliceBatch.grouped(slices, if (withFooters) WithFooters else NamesOnly)
}
