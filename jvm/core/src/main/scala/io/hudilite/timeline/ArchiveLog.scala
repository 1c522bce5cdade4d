package io.hudilite.timeline

import io.hudilite.codec.avro.{AvroFields, AvroInput, AvroValues}
import io.hudilite.error.CorruptTable
import io.hudilite.log.{AvroBlock, BlockKind, LogFileReader}
import io.hudilite.storage.{OpenFile, Storage}

import org.apache.avro.Schema

/** The archived timeline of layout 1: files `.commits_.archive.N` of Avro log blocks (docs/format.md#log-files).
  *
  * Each instant has a record a state; only the completed ones matter here.
  */
private[timeline] object ArchiveLog {

  // The metadata of the instants, which are large, are passed over.
  private val OfInstants = Set("commitTime", "actionType", "actionState")

  private val FileName = "\\.commits_\\.archive\\.\\d+(_.*)?".r

  def read(storage: Storage, folder: String): Seq[Instant] = {
    val paths = storage.list(folder).filter(f => FileName.pattern.matcher(f.name).matches()).map(_.path)
    val contents = storage.readAll(paths)
    paths.flatMap(p => contents.get(p).toList.flatMap(instants(p, _))).distinct.sortBy(i => (i.time, i.action))
  }

  private def instants(path: String, bytes: Array[Byte]): Seq[Instant] = {
    val file = OpenFile.of(path, bytes)
    LogFileReader.blocks(file, path, bytes.length.toLong).filter(_.kind == BlockKind.AvroData).flatMap { block =>
      val content = LogFileReader.content(file, block)
      CorruptTable.guard(path)(records(content, block.schemaJson, path))
    }
  }

  private def records(content: Array[Byte], schemaJson: String, path: String): Seq[Instant] = {
    val schema = new Schema.Parser().parse(schemaJson)
    val records = AvroBlock.records(content, path)
    val found = Seq.newBuilder[Instant]
    while (records.next()) {
      val record = new AvroInput(content, records.offset, records.offset + records.length)
      found ++= completed(AvroValues.record(schema, record, OfInstants))
    }
    found.result()
  }

  private def completed(entry: AvroFields): Option[Instant] =
    for {
      time <- entry.text("commitTime")
      action <- entry.text("actionType")
      if entry.text("actionState").forall(_ == State.Completed.name)
    } yield {
      val name = Action.completed(action)
      Instant(time, name, State.Completed, None, s"$time.$name")
    }
}
