package io.hudilite.metadata

import io.hudilite.TestTables.storage
import io.hudilite.codec.hfile.{HFileForm, HFileWriter}
import io.hudilite.config.TableProperties
import io.hudilite.log.{BlockKind, LogBlockWriter}
import io.hudilite.metadata.MetadataPayload.Pair
import io.hudilite.timeline.TimelineStore

import java.nio.charset.StandardCharsets.UTF_8

/** Gives a table of Apache Hudi's with a record index a secondary index, as it lies there after its making and some writes.
  *
  * @param version
  *   of the table
  * @param shards
  *   file groups of the index
  */
final class MadeValueIndex(basePath: String, version: Int, shards: Int) {

  private val folder = s"$basePath/.hoodie/metadata"

  /** @param made
    *   pairs that it was made with
    * @param changes
    *   pairs that came, or with `false` went, with each of the newest writes of the table, the oldest first
    */
  def of(name: String, column: String, made: Seq[SecondaryKey], changes: Seq[(SecondaryKey, Boolean)]*): Unit = {
    val partition = s"${MetadataPartition.SecondaryPrefix}$name"
    val definitions = s"$basePath/${IndexDefinitions.Path}"
    val known = storage.read(definitions)
    storage.replace(definitions, IndexDefinitions.withValues(known, partition, column, version))
    val index = SecondaryIndex.of(partition,
      IndexDefinitions.parse(storage.read(definitions).get).get(partition), version).fold(
      r => throw new IllegalStateException(r), identity)
    val times = new TimelineStore(storage, folder, TableProperties.read(storage, folder)).load().writes.map(_.time)
    val (initial, writes) = times.partition(MetadataInstants.isInitial)
    val instants = writes.takeRight(changes.size)
    for (n <- 0 until shards) {
      val id = f"${index.partition.prefix}$n%04d-0"
      def own(all: Seq[(SecondaryKey, Boolean)]): Seq[(SecondaryKey, Boolean)] =
        all.filter { case (key, _) => index.groupOf(key.text, shards) == n }
      val begin = own(made.map(_ -> true))
      if (begin.nonEmpty) storage.createNew(s"$folder/$partition/${id}_0-0-0_${initial.max}.hfile", file(begin))
      else storage.createNew(s"$folder/$partition/.${id}_${initial.max}.log.1_0-0-0", empty(initial.max))
      instants.zip(changes).foreach { case (time, all) =>
        val some = own(all)
        if (some.nonEmpty) storage.createNew(s"$folder/$partition/.${id}_$time.log.1_0-0-0",
          LogBlockWriter.bytes(BlockKind.HFileData, LogBlockWriter.headers(version, time, schema), file(some)))
      }
    }
    TableProperties.update(storage, basePath) { properties =>
      properties +
        ("hoodie.table.metadata.partitions" ->
          (properties("hoodie.table.metadata.partitions").split(',') :+ partition).distinct.sorted.mkString(","))
    }
    ()
  }

  private lazy val schema = RecordSchema.ofFiles

  // Version 3, and no key.
  private def empty(time: String): Array[Byte] = LogBlockWriter.bytes(BlockKind.Delete,
    LogBlockWriter.headers(version, time, schema), Array[Byte](0, 0, 0, 3, 0, 0, 0, 1, 0))

  /** Keys are many to a block, and blocks some to a file. */
  private def file(pairs: Seq[(SecondaryKey, Boolean)]): Array[Byte] = HFileWriter.bytes(
    pairs.map { case (key, isThere) => key.text -> Pair(!isThere) }.sortBy(_._1).iterator.map { case (key, pair) =>
      key.getBytes(UTF_8) -> RecordEncoder.encode(MetadataRecord(key, pair))
    }, HFileForm(schema, 0L, blockBytes = 512))
}
