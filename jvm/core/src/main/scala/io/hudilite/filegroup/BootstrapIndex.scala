package io.hudilite.filegroup

import io.hudilite.codec.avro.{AvroFields, AvroFile}
import io.hudilite.codec.hfile.HFile
import io.hudilite.error.CorruptTable
import io.hudilite.storage.{FileInfo, Storage}
import io.hudilite.timeline.InstantTime

import java.nio.charset.StandardCharsets.UTF_8
import java.util.Arrays

/** Sources of the skeletons of a bootstrapped table, by the index that its bootstrap left
  * (docs/format.md#bootstrapped-tables). It is asked only about skeletons, so that file groups that were written since cost
  * nothing.
  */
private[hudilite] final class BootstrapIndex(storage: Storage, basePath: String) {

  import BootstrapIndex._

  /** The slices, each skeleton with its source. One without a source raises `CorruptTable`. */
  def attached(slices: Map[String, Seq[FileSlice]]): Map[String, Seq[FileSlice]] = {
    val skeletons = slices.valuesIterator.flatten.flatMap(_.base).filter(isSkeleton).toSeq
    if (skeletons.isEmpty) slices
    else {
      val sources = sourcesOf(skeletons)
      slices.map { case (partition, some) => partition -> some.map(attached(_, sources)) }
    }
  }

  /** Paths of the partitions that got skeletons. A bootstrap of whole rows leaves none. */
  def partitions: Set[String] = index.fold(Set.empty[String]) { file =>
    val records = HFile.open(storage, file.path, file.length)
    try records.scan.iterator.map { case (key, _) => partitionOf(new String(key, UTF_8)) }.toSet
    finally records.close()
  }

  private def attached(slice: FileSlice, sources: Map[FileGroupId, SourceFile]): FileSlice =
    slice.base.filter(isSkeleton).fold(slice) { skeleton =>
      val source = sources.getOrElse(slice.groupId,
        throw CorruptTable("CORRUPT_FILE",
          "path" -> s"$basePath/${skeleton.relativePath}",
          "reason" -> s"it has only meta columns, and $basePath/$Folder names no file that has the others"))
      slice.copy(base = Some(skeleton.copy(source = Some(source))))
    }

  private def sourcesOf(skeletons: Seq[BaseFile]): Map[FileGroupId, SourceFile] = {
    val groups = skeletons.map(file => key(file) -> FileGroupId(file.partition, file.fileId)).toMap
    val keys = groups.keys.toSeq.map(_.getBytes(UTF_8)).sortWith(Arrays.compareUnsigned(_, _) < 0)
    index.fold(Map.empty[FileGroupId, SourceFile]) { file =>
      val records = HFile.open(storage, file.path, file.length)
      try records.lookup(keys).iterator.map { case (found, record) =>
          groups(new String(found, UTF_8)) -> source(record, file.path)
        }.toMap
      finally records.close()
    }
  }

  private def index: Option[FileInfo] =
    storage.list(s"$basePath/$Folder").find(file => !file.isDirectory && file.name.endsWith(s"_$Instant.hfile"))

  private def source(record: Array[Byte], path: String): SourceFile = CorruptTable.guard(path) {
    val status = AvroFile.read(record).child("bootstrapFileStatus")
    def of[T](field: AvroFields => Option[T], name: String): T = status.flatMap(field).getOrElse(
      throw new IllegalArgumentException(s"a record has no $name of a source file"))
    SourceFile(of(_.child("path").flatMap(_.text("uri")), "path"), of(_.long("length"), "length"))
  }
}

private[hudilite] object BootstrapIndex {

  /** Instant of all skeletons. A bootstrap of whole rows has the next one. */
  val Instant: String = InstantTime.OfSkeletons

  /** Folder of the index by file groups, below the table. */
  val Folder = ".hoodie/.aux/.bootstrap/.fileids"

  def isSkeleton(file: BaseFile): Boolean = file.instant == Instant

  private def partitionOf(key: String): String =
    key.substring(0, key.lastIndexOf(BootstrapIndexFiles.BeforeFileId))
      .stripPrefix(BootstrapIndexFiles.BeforePartition)

  private def key(file: BaseFile): String = BootstrapIndexFiles.key(file.partition, file.fileId)
}
