package io.hudilite.spark.logfile.show

import io.hudilite.codec.hfile.HFile
import io.hudilite.codec.parquet.{ParquetImage, ParquetRecords}
import io.hudilite.error.CorruptTable
import io.hudilite.log.{AvroBlock, BlockKind, DeleteBlock, HeaderKey, LogBlock, LogFiles}
import io.hudilite.spark.row.SharedConf
import io.hudilite.spark.task.TaskWork
import io.hudilite.storage.HadoopStorage

import org.apache.hadoop.conf.Configuration

import scala.collection.JavaConverters._

/** A log file as it was listed. */
private[spark] final case class ShownFile(path: String, length: Long)

/** A block of a log file as it is shown.
  *
  * @param instant
  *   of its write; `None` for damage, and where it names none
  * @param records
  *   number of its records, keys of deletes among them; `None` where its content cannot be read
  * @param headers
  *   as a JSON object, like `footers`
  */
private[spark] final case class ShownBlock(instant: Option[String], kind: String, records: Option[Int],
    headers: String, footers: String) {

  def isDamage: Boolean = kind == BlockKind.Corrupt.name
}

/** Looks at the blocks of log files in tasks. A file without a first block is one damaged block.
  *
  * @param most
  *   so many of a file are enough
  */
private[spark] final case class ShownBlocks(conf: SharedConf, most: Int) extends TaskWork[ShownFile, ShownBlock] {

  override def apply(file: ShownFile): Seq[ShownBlock] = {
    val storage = new HadoopStorage(conf.value)
    val files = new LogFiles(storage)
    try files.blocks(file.path, file.length).take(most).map(shown(_, files))
    catch {
      case _: CorruptTable => Seq(ShownBlock(None, BlockKind.Corrupt.name, Some(0), RowText.headers(Map.empty),
            RowText.headers(Map.empty))).take(most)
    }
  }

  private def shown(block: LogBlock, files: LogFiles): ShownBlock =
    ShownBlock(block.headers.get(HeaderKey.InstantTime), block.kind.name, records(block, files),
      RowText.headers(block.headers), RowText.headers(block.footers))

  private def records(block: LogBlock, files: LogFiles): Option[Int] =
    try Some(block.kind match {
        case BlockKind.AvroData | BlockKind.ChangeData => AvroBlock.records(files.view(block), block.path).count
        case BlockKind.HFileData => HFile.of(files.content(block), block.path).entries.toInt
        case BlockKind.ParquetData => rows(files.content(block), block.path)
        case BlockKind.Delete => DeleteBlock.decode(files.content(block), block.path).size
        case BlockKind.Command | BlockKind.Corrupt => 0
      })
    catch { case _: CorruptTable | _: RuntimeException => None }

  private def rows(parquet: Array[Byte], path: String): Int = {
    val file = new ParquetRecords(new ParquetImage(parquet, path), new Configuration(false))
    try file.footer.getBlocks.asScala.map(_.getRowCount).sum.toInt
    finally file.close()
  }
}
