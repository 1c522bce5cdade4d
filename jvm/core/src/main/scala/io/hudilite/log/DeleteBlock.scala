package io.hudilite.log

import io.hudilite.codec.avro.{AvroInput, AvroOutput}
import io.hudilite.error.{CorruptTable, UnsupportedTable}

import java.nio.ByteBuffer

/** One record to delete. `partition` is the partition path. */
final case class DeleteRecord(key: String, partition: String, ordering: OrderingValue)

/** Content of delete blocks: `int32 version | int32 length | Avro binary of the list of records`. */
object DeleteBlock {

  private val ContentVersion = 3
  private val SerializedVersions = Set(1, 2)
  private val PrefixBytes = 2 * Integer.BYTES
  private val FirstVersionWithSeveralFields = 9

  /** The records of a delete block's content.
    *
    * @param path
    *   of the log file, for errors
    */
  def decode(content: Array[Byte], path: String): Seq[DeleteRecord] = CorruptTable.guard(path) {
    if (content.length < PrefixBytes) throw new IllegalArgumentException("a delete block ends in its version")
    val prefix = ByteBuffer.wrap(content)
    val version = prefix.getInt
    if (SerializedVersions(version)) throw UnsupportedTable("UNSUPPORTED_LOG_BLOCK", "path" -> path,
      "feature" -> s"a delete block of content version $version",
      "reason" -> "it holds serialized Java objects, as Apache Hudi wrote them before 0.14")
    if (version != ContentVersion) throw new IllegalArgumentException(s"a delete block of unknown version $version")
    val length = prefix.getInt
    if (length != content.length - PrefixBytes)
      throw new IllegalArgumentException(s"a delete block of ${content.length} bytes says that it has $length")
    val in = new AvroInput(content, PrefixBytes, content.length)
    val records = in.items(record(in))
    if (in.remaining > 0) throw new IllegalArgumentException(s"a delete block has ${in.remaining} bytes too many")
    records
  }

  private def record(in: AvroInput): DeleteRecord = {
    val key = in.optional(in.text()).getOrElse(throw new IllegalArgumentException("a delete has no record key"))
    val partition = in.optional(in.text()).getOrElse("")
    DeleteRecord(key, partition, OrderingValue.read(in))
  }

  /** The content of a delete block.
    *
    * @param version
    *   table version; readers before 9 do not know several ordering values, which are an `IllegalArgumentException`
    *   there
    */
  def encode(records: Seq[DeleteRecord], version: Int): Array[Byte] = {
    val out = new AvroOutput
    out.items(records) { r =>
      out.long(1L)
      out.text(r.key)
      out.long(1L)
      out.text(r.partition)
      r.ordering match {
        case OrderingValue.Value(OrderingKind.ArrayKind, _) if version < FirstVersionWithSeveralFields =>
          throw new IllegalArgumentException(s"a delete of table version $version with several ordering values")
        case ordering => OrderingValue.write(ordering, out)
      }
    }
    val list = out.result()
    ByteBuffer.allocate(PrefixBytes + list.length).putInt(ContentVersion).putInt(list.length).put(list).array()
  }
}
