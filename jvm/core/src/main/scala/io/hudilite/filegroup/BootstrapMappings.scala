package io.hudilite.filegroup

import io.hudilite.codec.avro.AvroFile
import io.hudilite.codec.hfile.HFile
import io.hudilite.error.CorruptTable
import io.hudilite.storage.{FileInfo, Storage}

import java.nio.charset.StandardCharsets.UTF_8

/** The source of a file group of a bootstrapped table.
  *
  * @param sourcePartition
  *   path of its folder below that of the sources
  */
final case class BootstrapMapping(partition: String, fileId: String, sourcePartition: String, sourceFile: String)

/** All sources of a bootstrapped table, as the index that its bootstrap left names them. */
final class BootstrapMappings(storage: Storage, basePath: String) {

  /** Sorted by the bytes of partition and file id; `None` where no bootstrap left an index. Whoever takes them all has the
    * file closed.
    */
  def find(): Option[Iterator[BootstrapMapping]] = index.map { file =>
    val records = HFile.open(storage, file.path, file.length)
    val cells = records.scan
    new Iterator[BootstrapMapping] {
      private var ahead = next0()

      private def next0(): Option[BootstrapMapping] =
        if (cells.next()) Some(mapping(new String(cells.key, UTF_8),
            cells.buffer.slice(cells.offset, cells.offset + cells.length), file.path))
        else {
          records.close()
          None
        }

      override def hasNext: Boolean = ahead.isDefined

      override def next(): BootstrapMapping = {
        val found = ahead.getOrElse(throw new NoSuchElementException(file.path))
        ahead = next0()
        found
      }
    }
  }

  private def index: Option[FileInfo] = storage.list(s"${basePath.stripSuffix("/")}/${BootstrapIndex.Folder}")
    .find(file => !file.isDirectory && file.name.endsWith(s"_${BootstrapIndex.Instant}.hfile"))

  private val Key = "part=(.*);fileid=([^;]*)".r

  private def mapping(key: String, record: Array[Byte], path: String): BootstrapMapping = CorruptTable.guard(path) {
    val (partition, fileId) = key match {
      case Key(partition, fileId) => (partition, fileId)
      case other => throw new IllegalArgumentException(s"its key '$other' names no file group")
    }
    val info = AvroFile.read(record)
    val file = info.child("bootstrapFileStatus").flatMap(_.child("path")).flatMap(_.text("uri"))
    BootstrapMapping(partition, fileId, info.text("bootstrapPartitionPath").getOrElse(""),
      file.getOrElse(throw new IllegalArgumentException(s"the record of '$key' names no source file")))
  }
}
