package io.hudilite.filegroup

import io.hudilite.codec.avro.AvroFile
import io.hudilite.codec.hfile.{HFileForm, HFileWriter}
import io.hudilite.error.CorruptTable
import io.hudilite.storage.Storage

import java.nio.charset.StandardCharsets.UTF_8
import java.util.Arrays

import org.apache.avro.generic.GenericRecord

/** The files by which readers find the sources of skeletons, as a bootstrap makes them and a rollback removes them
  * (docs/format.md#bootstrapped-tables).
  */
private[hudilite] final class BootstrapIndexFiles(storage: Storage, basePath: String) {

  import BootstrapIndexFiles._

  private val base = basePath.stripSuffix("/")
  private val files = Seq(ByPartition, BootstrapIndex.Folder).map(folder => s"$base/$folder/$Name")

  /** Makes both files. The caller has begun the bootstrap, and nobody else makes them.
    *
    * @param root
    *   folder of all sources
    */
  def write(root: String, mapped: Seq[MappedSource]): Unit = {
    val now = storage.clock.millis
    val partitions = mapped.groupBy(_.partition).map { case (path, of) =>
      s"$BeforePartition$path" -> (() => ofPartition(path, of))
    }
    val groups = mapped.map(of => key(of.partition, of.fileId) -> (() => ofFile(of)))
    Seq(partitions.toSeq, groups).zip(files).foreach { case (records, path) =>
      val facts = AvroFile.record(BootstrapSchemas.Index)("bootstrapBasePath" -> root, "createdTimestamp" -> now,
        "numKeys" -> records.size)
      write(path, sorted(records), HFileForm("", now, gzip = false, facts = Seq(Facts -> AvroFile.write(facts))))
    }
  }

  /** Removes both files, as far as they are there. */
  def delete(): Unit = {
    files.foreach(storage.delete)
    storage.deleteEmpty(files.map(Storage.folderOf), top = s"$base/$Top")
  }

  private def write(path: String, records: Seq[(Array[Byte], () => GenericRecord)], form: HFileForm): Unit = {
    storage.makeDirectory(Storage.folderOf(path))
    val isNew = storage.createStreamed(path) { out =>
      val writer = new HFileWriter(out, form)
      records.foreach { case (key, record) => writer.append(key, AvroFile.write(record())) }
      writer.finish()
      ()
    }
    if (!isNew) throw CorruptTable("CORRUPT_FILE", "path" -> path,
      "reason" -> "it is the index of another bootstrap, of which the timeline does not tell")
  }

  private def sorted(records: Seq[(String, () => GenericRecord)]): Seq[(Array[Byte], () => GenericRecord)] =
    records.map { case (key, record) => key.getBytes(UTF_8) -> record }
      .sortWith((one, other) => Arrays.compareUnsigned(one._1, other._1) < 0)

  private def ofPartition(path: String, of: Seq[MappedSource]): GenericRecord =
    AvroFile.record(BootstrapSchemas.Partition)("bootstrapPartitionPath" -> of.head.sourcePartition,
      "partitionPath" -> path, "fileIdToBootstrapFile" -> of.map(one => one.fileId -> status(one.source)).toMap)

  private def ofFile(of: MappedSource): GenericRecord =
    AvroFile.record(BootstrapSchemas.File)("bootstrapPartitionPath" -> of.sourcePartition,
      "bootstrapFileStatus" -> status(of.source), "partitionPath" -> of.partition)

  private def status(of: SourceStatus): GenericRecord = {
    val (user, group, other, sticky) = of.permission
    val permission = AvroFile.record(BootstrapSchemas.Permission)("userAction" -> user, "groupAction" -> group,
      "otherAction" -> other, "stickyBit" -> sticky)
    AvroFile.record(BootstrapSchemas.Status)("path" -> AvroFile.record(BootstrapSchemas.Path)("uri" -> of.path),
      "length" -> of.length, "isDir" -> false, "blockReplication" -> of.replication, "blockSize" -> of.blockSize,
      "modificationTime" -> of.modifiedMs, "accessTime" -> of.accessedMs, "permission" -> permission,
      "owner" -> of.owner, "group" -> of.group)
  }
}

private[hudilite] object BootstrapIndexFiles {

  /** Folder of the index by partitions, below the table. */
  private val ByPartition = ".hoodie/.aux/.bootstrap/.partitions"

  private val Name = s"00000000-0000-0000-0000-000000000000-0_1-0-1_${BootstrapIndex.Instant}.hfile"

  /** The fact beside the records that tells where the sources are. */
  private val Facts = "INDEX_INFO"

  /** The last folder to go where nothing else lies in it. */
  private val Top = ".hoodie/.aux"

  private[filegroup] val BeforePartition = "part="
  private[filegroup] val BeforeFileId = ";fileid="

  private[filegroup] def key(partition: String, fileId: String): String =
    s"$BeforePartition$partition$BeforeFileId$fileId"
}
