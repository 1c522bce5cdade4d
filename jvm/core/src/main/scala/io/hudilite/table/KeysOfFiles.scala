package io.hudilite.table

import io.hudilite.codec.avro.{AvroCodecValues, AvroInput}
import io.hudilite.codec.parquet.{ParquetImage, ParquetRecords}
import io.hudilite.error.{CorruptTable, UnsupportedTable}
import io.hudilite.filegroup.StoredFile
import io.hudilite.log.{AvroBlock, BlockKind, DeleteBlock, LogBlock, LogFiles}
import io.hudilite.storage.Storage

import org.apache.avro.Schema
import org.apache.hadoop.conf.Configuration
import org.apache.parquet.example.data.Group
import org.apache.parquet.hadoop.api.InitContext
import org.apache.parquet.hadoop.api.ReadSupport.ReadContext
import org.apache.parquet.hadoop.example.GroupReadSupport
import org.apache.parquet.io.InputFile
import org.apache.parquet.schema.MessageType

/** The record keys in files of a table, one by one, in the order in which they lie there. */
final class KeysOfFiles(storage: Storage) {

  import KeysOfFiles._

  /** Keys of a base file, of which only their column is read. The file is closed behind the last one. */
  def ofBase(path: String, length: Long): Iterator[String] =
    keys(new StoredFile(storage, path, length), path)

  /** Keys of a log file, unmerged: `true` with one that a record has, `false` with one that is deleted. */
  def ofLog(path: String, length: Long): Iterator[(String, Boolean)] = {
    val files = new LogFiles(storage)
    files.blocks(path, length).iterator.flatMap(block => ofBlock(block, files.content(block)))
  }

  private def ofBlock(block: LogBlock, content: => Array[Byte]): Iterator[(String, Boolean)] = block.kind match {
    case BlockKind.AvroData => ofRecords(block, content).map(_ -> true)
    case BlockKind.ParquetData => keys(new ParquetImage(content, block.path), block.path).map(_ -> true)
    case BlockKind.Delete => DeleteBlock.decode(content, block.path).iterator.map(_.key -> false)
    case BlockKind.HFileData => throw UnsupportedTable("UNSUPPORTED_LOG_BLOCK", "path" -> block.path,
        "feature" -> "an HFile block", "reason" -> "the keys of its records are not read")
    case BlockKind.Command | BlockKind.Corrupt | BlockKind.ChangeData => Iterator.empty
  }

  private def ofRecords(block: LogBlock, content: Array[Byte]): Iterator[String] = {
    val schema = CorruptTable.guard(block.path)(new Schema.Parser().parse(block.schemaJson))
    val records = AvroBlock.records(content, block.path)
    Iterator.continually(records.next()).takeWhile(identity).map(_ =>
      CorruptTable.guard(block.path) {
        val in = new AvroInput(records.bytes, records.offset, records.offset + records.length)
        AvroCodecValues.record(schema, in, Wanted).text(KeyColumn).getOrElse(
          throw new IllegalArgumentException("a record has no key"))
      })
  }

  private def keys(file: InputFile, path: String): Iterator[String] = {
    val records = new ParquetRecords(file, new Configuration(false))
    try new ClosingKeys(records, path)
    catch {
      case e: Throwable =>
        records.close()
        throw e
    }
  }
}

private object KeysOfFiles {

  val KeyColumn = "_hoodie_record_key"
  private val Wanted = Set(KeyColumn)

  /** Asks for the column of the keys alone. */
  private final class KeySupport(path: String) extends GroupReadSupport {
    override def init(context: InitContext): ReadContext = {
      val schema = context.getFileSchema
      if (!schema.containsField(KeyColumn)) throw CorruptTable("CORRUPT_FILE", "path" -> path,
        "reason" -> s"it has no column $KeyColumn")
      new ReadContext(new MessageType(schema.getName, schema.asGroupType.getType(KeyColumn)))
    }
  }

  private final class ClosingKeys(file: ParquetRecords, path: String) extends Iterator[String] {

    private val rows: Iterator[Group] = file.of(new KeySupport(path))

    override def hasNext: Boolean = {
      val more = try rows.hasNext
      catch {
        case e: Throwable =>
          file.close()
          throw e
      }
      if (!more) file.close()
      more
    }

    override def next(): String = {
      val row = rows.next()
      if (row.getFieldRepetitionCount(0) == 0)
        throw CorruptTable("CORRUPT_FILE", "path" -> path, "reason" -> "a row has no record key")
      row.getString(0, 0)
    }
  }
}
