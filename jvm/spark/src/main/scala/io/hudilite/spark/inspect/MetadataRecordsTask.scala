package io.hudilite.spark.inspect

import io.hudilite.metadata.{
  ColumnStatistics,
  MetadataPartition,
  MetadataPayload,
  MetadataRecord,
  RecordEncoder,
  StatType,
  StatValue
}
import io.hudilite.metadata.stored.{MetadataTable, StoredSlices}
import io.hudilite.spark.row.{RunningTask, SharedConf}
import io.hudilite.spark.task.{SliceBatch, TaskWork}
import io.hudilite.storage.HadoopStorage
import io.hudilite.table.Table

import java.io.Closeable
import java.nio.charset.StandardCharsets.UTF_8

import org.apache.spark.TaskContext
import org.apache.spark.sql.Row
import org.apache.spark.sql.catalyst.{CatalystTypeConverters, InternalRow}
import org.apache.spark.sql.types.StructType

/** Rows of the records of a metadata table, made by tasks, one after the other. */
private final case class MetadataRecordsTask(schema: StructType, slices: StoredSlices, conf: SharedConf)
    extends TaskWork[SliceBatch, InternalRow] {

  import MetadataColumns._

  @transient private lazy val converter = CatalystTypeConverters.createToCatalystConverter(schema)

  override def apply(batch: SliceBatch): Seq[InternalRow] = rows(batch).toList

  override def rows(batch: SliceBatch): Iterator[InternalRow] = {
    val storage = new HadoopStorage(conf.value)
    batch.slices.iterator.flatMap(slice => closed(slices.of(storage, slice))).map { record =>
      RunningTask.stopIfKilled()
      converter(Row.fromSeq(schema.fieldNames.toSeq.map(value(record, _)))).asInstanceOf[InternalRow]
    }
  }

  // A query may have enough before all are read.
  private def closed(records: Iterator[MetadataRecord]): Iterator[MetadataRecord] = {
    records match {
      case open: Closeable => Option(TaskContext.get()).foreach(_.addTaskCompletionListener[Unit](_ => open.close()))
      case _ =>
    }
    records
  }

  private def value(record: MetadataRecord, column: String): Any = (column, record.payload) match {
    case (Key, _) => record.key
    case (Type, payload) => RecordEncoder.typeOf(payload)
    case (Files, names: MetadataPayload.Names) =>
      names.entries.map { case (name, file) => name -> Row(file.bytes, file.isDeleted) }
    case (Bloom, of: MetadataPayload.Bloom) => Row(of.kind, of.instant, of.text.getBytes(UTF_8), of.isDeleted)
    case (Statistics, MetadataPayload.Statistics(of, _)) => statistics(of)
    case (Place, of: MetadataPayload.Place) =>
      val id = RecordEncoder.fileId(of.fileId)
      Row(of.partition, id.high, id.low, id.number, id.text, of.instantMs.map(Long.box).orNull, id.encoding,
        of.position.map(Long.box).orNull)
    case (Pair, of: MetadataPayload.Pair) => Row(of.isDeleted)
    case _ => null
  }

  private def statistics(of: ColumnStatistics): Row = {
    def bound(value: Option[StatValue]): Row = value.map(RecordEncoder.wrapped(_, of.valueType)).map {
      case (wrapper, content) =>
        Row.fromSeq(Seq.tabulate(Wrapped.size + 1)(i => if (i == wrapper) Row(content) else null))
    }.orNull
    def valueType(known: StatType): Row = Row(known.ordinal, known.additional.orNull)
    Row(of.file, of.column, bound(of.min), bound(of.max), of.values, of.nulls, of.bytes, of.uncompressedBytes,
      of.isDeleted, of.isTight, of.valueType.map(valueType).orNull)
  }
}

private object MetadataRecordsTask {

  /** Slices of a task: those of most partitions are large. */
  private val SlicesOfTask = 1

  private val Kinds: Map[String, Seq[Int]] = Map(MetadataPartition.Files.name -> Seq(1, 2),
    MetadataPartition.ColumnStats.name -> Seq(3), MetadataPartition.BloomFilters.name -> Seq(4),
    MetadataPartition.RecordIndex.name -> Seq(5), MetadataPartition.PartitionStats.name -> Seq(6))
  private val OfExpressions = Seq(3, 4, 6)
  private val OfSecondary = Seq(7)

  /** Kinds of the records that a partition may have. */
  private def kinds(partition: MetadataPartition): Seq[Int] = Kinds.getOrElse(partition.name,
    if (partition.name.startsWith(MetadataPartition.SecondaryPrefix)) OfSecondary else OfExpressions)

  /** The slices of those partitions whose records may pass the filters, a task each. */
  def batches(metadata: MetadataTable, asked: RowsAsked): Seq[SliceBatch] = SliceBatch.grouped(
    metadata.listed.sorted.iterator.flatMap(MetadataPartition.of)
      .filter(partition => asked.mayBe(Seq(MetadataColumns.Type), kinds(partition)))
      .flatMap(metadata.slices), SlicesOfTask)

  def metadataOf(table: Table): MetadataTable = new MetadataTable(table.store, table.timeline)
}
