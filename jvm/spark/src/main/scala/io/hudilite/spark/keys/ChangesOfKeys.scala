package io.hudilite.spark.keys

import io.hudilite.record.KeyChange

import java.util.{Collections, Set => JSet}

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow
import org.apache.spark.sql.connector.catalog.{SupportsRead, Table, TableCapability}
import org.apache.spark.sql.connector.read._
import org.apache.spark.sql.types.{IntegerType, LongType, StringType, StructField, StructType}
import org.apache.spark.sql.util.CaseInsensitiveStringMap
import org.apache.spark.unsafe.types.UTF8String

/** Changes of keys as a table for Spark to scan: the task of each, its lead to sort by, and the change. */
private[keys] final class ChangesOfKeys(label: String, dealing: KeyDealing, batches: Seq[KeyBatch])
    extends Table with SupportsRead {

  override def name(): String = label

  override def schema(): StructType = ChangesOfKeys.Schema

  override def capabilities(): JSet[TableCapability] = Collections.singleton(TableCapability.BATCH_READ)

  override def newScanBuilder(options: CaseInsensitiveStringMap): ScanBuilder = new ScanBuilder {
    override def build(): Scan = new Scan with Batch {
      override def readSchema(): StructType = schema()
      override def description(): String = label
      override def toBatch: Batch = this
      override def planInputPartitions(): Array[InputPartition] =
        batches.map(ChangesPart(_): InputPartition).toArray
      override def createReaderFactory(): PartitionReaderFactory = ChangesReaderFactory(dealing)
    }
  }
}

private[keys] object ChangesOfKeys {
  val Task = "task"
  val Lead = "lead"
  val Key = "key"
  val Schema: StructType = StructType(Seq(StructField(Task, IntegerType, nullable = false),
      StructField(Lead, LongType, nullable = false), StructField(Key, StringType, nullable = false),
      StructField("partition", StringType, nullable = false), StructField("file", StringType),
      StructField("from", StringType)))
  val LeadAt = 1
  val KeyAt = 2
  val PartitionAt = 3
  val FileAt = 4
  val FromAt = 5

  private val KeyBits = 40

  /** The shard above the beginning of the key: in the order of shards, and in one in that of keys as far as it goes. Spark's
    * sorter holds eight bytes beside its pointer to a row, and looks rows up where these are equal.
    */
  def lead(shard: Int, key: UTF8String): Long = (shard.toLong << KeyBits) | (key.getPrefix >>> (64 - KeyBits))

  def shardOf(lead: Long): Int = (lead >>> KeyBits).toInt
}

private final case class ChangesPart(batch: KeyBatch) extends InputPartition

private final case class ChangesReaderFactory(dealing: KeyDealing) extends PartitionReaderFactory {
  override def createReader(partition: InputPartition): PartitionReader[InternalRow] =
    new ChangesReader(dealing, partition.asInstanceOf[ChangesPart].batch)
}

/** A row is valid until the next. */
private final class ChangesReader(dealing: KeyDealing, batch: KeyBatch) extends PartitionReader[InternalRow] {

  private val storage = dealing.table.storage
  private val changes: Iterator[KeyChange] = batch.sources.iterator.flatMap(_.changes(storage))
  private val row = new GenericInternalRow(ChangesOfKeys.Schema.length)
  // Changes of a place mostly come one after the other.
  private var partition: String = _
  private val groups = Array[Option[String]](null, null)

  override def next(): Boolean = { // hot path
    val more = changes.hasNext
    if (more) take(changes.next())
    more
  }

  private def take(change: KeyChange): Unit = {
    val shard = dealing.shards.numberOf(change.key, change.partition)
    row.update(0, dealing.taskValue(shard))
    val key = UTF8String.fromString(change.key)
    row.update(ChangesOfKeys.LeadAt, ChangesOfKeys.lead(shard, key))
    row.update(ChangesOfKeys.KeyAt, key)
    if (!(change.partition eq partition)) {
      partition = change.partition
      row.update(ChangesOfKeys.PartitionAt, UTF8String.fromString(partition))
    }
    put(ChangesOfKeys.FileAt, change.fileId)
    put(ChangesOfKeys.FromAt, change.from)
  }

  private def put(at: Int, group: Option[String]): Unit = {
    val last = at - ChangesOfKeys.FileAt
    if (!(group eq groups(last))) {
      groups(last) = group
      row.update(at, group.map(UTF8String.fromString).orNull)
    }
  }

  override def get(): InternalRow = row

  override def close(): Unit = ()
}
