package io.hudilite.metadata.known

import io.hudilite.codec.avro.{AvroCodecValues, AvroFields, AvroInput}
import io.hudilite.codec.parquet.{ParquetImage, ParquetRecords}
import io.hudilite.error.{CorruptTable, UnsupportedTable}
import io.hudilite.log.{AvroBlock, BlockKind, LogBlock, LogFiles}
import io.hudilite.metadata.{AvroStatValues, ExpressionIndex, KnownFile, StatType, StatValue}
import io.hudilite.storage.Storage

import org.apache.avro.Schema
import org.apache.hadoop.conf.Configuration

import scala.collection.mutable

/** Facts on the columns of log files, from all records that are in them: unmerged, deletes left out. A file of deletes
  * alone has none.
  */
private[known] final class LogFacts(storage: Storage, columns: Seq[String], expressions: Seq[ExpressionIndex]) {

  def of(path: String, length: Long): KnownFile = {
    val files = new LogFiles(storage)
    val spans = mutable.LinkedHashMap.empty[String, ColumnSpan]
    val expressed = expressions.map(ExpressedValues.of)
    files.blocks(path, length).foreach(add(_, files, spans, expressed))
    ExpressedValues.told(expressed, KnownFile(length, spans.map { case (name, span) => name -> span.facts }.toMap))
  }

  private def add(block: LogBlock, files: LogFiles, spans: mutable.Map[String, ColumnSpan],
      expressed: Seq[ExpressedValues]): Unit = block.kind match {
    case BlockKind.AvroData => CorruptTable.guard(block.path)(addRecords(block, files.content(block), spans, expressed))
    case BlockKind.ParquetData => addFooter(block, files.content(block), spans, expressed)
    case BlockKind.HFileData => throw UnsupportedTable("UNSUPPORTED_LOG_BLOCK", "path" -> block.path,
        "feature" -> "an HFile block", "reason" -> "no statistics are made of its records")
    case BlockKind.Delete | BlockKind.Command | BlockKind.Corrupt | BlockKind.ChangeData => ()
  }

  private def addRecords(block: LogBlock, content: Array[Byte], spans: mutable.Map[String, ColumnSpan],
      expressed: Seq[ExpressedValues]): Unit = {
    val schema = new Schema.Parser().parse(block.schemaJson)
    val found = for (name <- columns; column <- AvroStatValues.find(schema, name); kind <- AvroStatValues.kind(column))
      yield BlockColumn(name, column, spans.getOrElseUpdate(name, new ColumnSpan(kind)))
    val values = expressed.map(span =>
      span -> AvroStatValues.find(schema, span.index.column)
        .filter(column => AvroStatValues.kind(column).exists(_.ordinal == span.index.function.takes))
        .map(BlockColumn(span.index.column, _, new ColumnSpan(StatType.plain(StatType.Null)))))
    val records = AvroBlock.records(content, block.path)
    val tops = (found.map(_.path.head) ++ expressed.map(_.index.column)).toSet
    while (records.next()) { // hot path
      val fields = AvroCodecValues.record(schema,
        new AvroInput(records.bytes, records.offset, records.offset + records.length), tops)
      found.foreach(column => column.span.add(column.valueIn(fields)))
      values.foreach {
        case (span, Some(column)) => span.add(column.valueIn(fields))
        case (span, None) => if (schema.getField(span.index.column) == null) span.add(None) else span.addUntold()
      }
    }
  }

  private def addFooter(block: LogBlock, content: Array[Byte], spans: mutable.Map[String, ColumnSpan],
      expressed: Seq[ExpressedValues]): Unit = {
    val records = new ParquetRecords(new ParquetImage(content, block.path), new Configuration(false))
    try {
      FooterFacts.of(records.footer).filter { case (name, _) => columns.contains(name) }
        .foreach { case (name, facts) => spans.getOrElseUpdate(name, new ColumnSpan(facts.kind)).add(facts) }
      if (expressed.nonEmpty) ExpressedColumns.add(records, expressed)
    } finally records.close()
  }
}

/** A column of the records of a block. */
private final case class BlockColumn(name: String, column: Schema, span: ColumnSpan) {

  val path: Seq[String] = name.split('.').toSeq

  def valueIn(record: AvroFields): Option[StatValue] = {
    val within = path.init.foldLeft(Option(record))((in, field) => in.flatMap(_.child(field)))
    within.flatMap(_.value(path.last)).map(read =>
      AvroStatValues.value(column, read).getOrElse(throw new IllegalArgumentException(s"a value of $name is $read")))
  }
}
