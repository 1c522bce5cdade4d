package io.hudilite.spark.logfile.show

import io.hudilite.codec.hfile.HFile
import io.hudilite.error.{CorruptTable, HudiliteException}
import io.hudilite.filegroup.FileSlice
import io.hudilite.log.{AvroBlock, BlockKind, LogBlock, LogFiles}
import io.hudilite.record.MetaFields
import io.hudilite.schema.ColumnNames
import io.hudilite.spark.logfile.read.{AvroRowDecoder, LogJob, LogRowLayout, MergedLog, ParquetBlockRows}
import io.hudilite.spark.row.{SchemaConversion, SharedConf}
import io.hudilite.spark.task.TaskWork
import io.hudilite.storage.HadoopStorage
import io.hudilite.table.{Table, TableAccess, TableSupport}

import org.apache.avro.Schema
import org.apache.spark.sql.types.{StringType, StructField, StructType}
import org.apache.spark.unsafe.types.UTF8String

import scala.util.control.NonFatal

/** Reads the records of log files as their blocks have them, in tasks, whether they count or not. Deletes and damaged
  * blocks have none.
  *
  * @param most
  *   so many of a file are enough
  */
private[spark] final case class ShownRecords(conf: SharedConf, most: Int) extends TaskWork[ShownFile, String] {

  override def apply(file: ShownFile): Seq[String] = {
    val files = new LogFiles(new HadoopStorage(conf.value))
    files.blocks(file.path, file.length).iterator.flatMap(block => guarded(block)(records(block, files))).take(most)
      .toList
  }

  private def records(block: LogBlock, files: LogFiles): Iterator[String] = block.kind match {
    case BlockKind.AvroData => avro(block, files)
    case BlockKind.HFileData => hfile(block, files.content(block))
    case BlockKind.ParquetData => parquet(block, files.content(block))
    case _ => Iterator.empty
  }

  private def columnsOf(block: LogBlock): StructType = SchemaConversion.columns(block.schemaJson)

  private def decoder(block: LogBlock, columns: StructType): AvroRowDecoder =
    new AvroRowDecoder(new Schema.Parser().parse(block.schemaJson), columns, block.path)

  private def avro(block: LogBlock, files: LogFiles): Iterator[String] = {
    val columns = columnsOf(block)
    val (records, decode) = (AvroBlock.records(files.view(block), block.path), decoder(block, columns))
    Iterator.continually(records.next()).takeWhile(identity).map(_ =>
      guarded(block)(RowText.of(decode.decode(records.bytes, records.offset, records.length), columns)))
  }

  private def hfile(block: LogBlock, content: Array[Byte]): Iterator[String] = {
    val columns = columnsOf(block)
    val (cells, decode) = (HFile.of(content, block.path).scan, decoder(block, columns))
    val key = columns.fieldNames.indexOf(MetaFields.RecordKey)
    Iterator.continually(cells.next()).takeWhile(identity).map { _ =>
      guarded(block) {
        val row = decode.decode(cells.buffer, cells.offset, cells.length)
        if (key >= 0) row.update(key, UTF8String.fromBytes(cells.key))
        RowText.of(row, columns)
      }
    }
  }

  private def parquet(block: LogBlock, content: Array[Byte]): Iterator[String] = {
    val columns = columnsOf(block)
    val rows = new ParquetBlockRows(content, s"${block.path} at byte ${block.contentOffset}", columns, ColumnNames.Same,
      conf.value)
    Iterator.continually(guarded(block)(rows.next())).takeWhile(_ != null).map(RowText.of(_, columns))
  }

  private def guarded[T](block: LogBlock)(read: => T): T =
    try read
    catch {
      case e: HudiliteException => throw e
      case NonFatal(e) => throw CorruptTable.because(e, "CORRUPT_FILE", "path" -> block.path,
          "reason" ->
            (s"the block whose content begins at byte ${block.contentOffset}: " +
              Option(e.getMessage).getOrElse(e.getClass.getName)))
    }
}

/** The log files of a file slice. */
private[spark] final case class ShownSlice(slice: FileSlice)

/** Reads the records of log files merged among themselves, as a query would merge them with rows of a base file, in tasks
  * and in the order of their keys. Those that end as deletes are not among them, and columns that a partial update leaves
  * as they are have no value.
  */
private[spark] final case class MergedRecords(job: LogJob, conf: SharedConf, most: Int)
    extends TaskWork[ShownSlice, String] {

  override def apply(of: ShownSlice): Seq[String] = {
    val columns = StructType(MetaFields.all.map(StructField(_, StringType)) ++
      job.dataSchema.fields.filterNot(f => MetaFields.all.contains(f.name)))
    val layout = LogRowLayout(job, columns)
    val log = MergedLog.of(layout, of.slice, conf.value)
    try Iterator.continually(log.next()).takeWhile(identity).filterNot(_ => log.isDelete).map { _ =>
        val set = log.record.columnSet
        RowText.of(log.row, columns, if (set == 0) columns.indices else layout.columnsOf(set))
      }.take(most).toList
    finally log.close()
  }
}

private[spark] object MergedRecords {

  /** Raises `UnsupportedTable` for a rule that is not known. */
  def of(table: Table, conf: SharedConf, most: Int): MergedRecords =
    MergedRecords(LogJob.of(table, TableSupport.of(table, TableAccess.Read(None)), None), conf, most)
}
