package io.hudilite.upkeep

import io.hudilite.codec.hfile.{HFileFilter, HFileForm, HFileWriter}
import io.hudilite.log.{BlockKind, DeleteBlock, DeleteRecord, HeaderKey, LogBlockWriter, OrderingValue}
import io.hudilite.metadata.{MetadataPartition, MetadataRecord, RecordEncoder, RecordSchema}
import io.hudilite.metadata.MetadataPayload.{NoPlace, Place}
import io.hudilite.storage.Storage
import io.hudilite.timeline.WriteStat

import java.io.{ByteArrayOutputStream, IOException}
import java.nio.charset.StandardCharsets.UTF_8

import scala.collection.mutable

/** Files of the file groups of a record index. Records come in the order of their keys' UTF-8 bytes, each key once.
  *
  * An attempt that finds a file of its name takes that of another attempt for its own: both are of the same records.
  *
  * @param folder
  *   of the metadata table
  * @param version
  *   of the table
  */
private[upkeep] final class KeyFiles(storage: Storage, folder: String, version: Int) {

  import KeyFiles._

  /** A log file: places first, then keys that go; `None` where there is no record. */
  def log(fileId: String, name: String, instant: String, records: Iterator[MetadataRecord]): Option[WriteStat] = {
    val out = new ByteArrayOutputStream()
    val places = new HFileWriter(out, form)
    val gone = mutable.ArrayBuffer.empty[DeleteRecord]
    var written = 0L
    val encoded = new EncodedPlaces
    records.foreach { record => // hot path
      record.payload match {
        case NoPlace => gone += DeleteRecord(record.key, MetadataPartition.RecordIndex.name, OrderingValue.CommitTime)
        case place: Place =>
          places.append(record.key.getBytes(UTF_8), encoded.of(place))
          written += 1
        case other => throw new IllegalArgumentException(s"a record index has no record of $other")
      }
    }
    val headers = LogBlockWriter.headers(version, instant, RecordSchema.ofFiles)
    def ofPlaces: Array[Byte] = {
      places.finish()
      LogBlockWriter.bytes(BlockKind.HFileData, headers, out.toByteArray)
    }
    def ofGone: Array[Byte] = LogBlockWriter.bytes(BlockKind.Delete, Map(HeaderKey.InstantTime -> instant),
      DeleteBlock.encode(gone.toSeq, version))
    if (written == 0 && gone.isEmpty) None
    else {
      val content =
        (if (written > 0) ofPlaces else Array.emptyByteArray) ++ (if (gone.nonEmpty) ofGone else Array.emptyByteArray)
      Some(stat(fileId, name, create(name, content)).copy(numWrites = written, numUpdateWrites = written,
        numDeletes = gone.size.toLong, logFiles = Seq(name)))
    }
  }

  /** A base file; `None` where there is no place. */
  def base(fileId: String, instant: String, records: Iterator[MetadataRecord]): Option[WriteStat] =
    if (!records.hasNext) None
    else {
      val name = s"${fileId}_${GroupFiles.Token}_$instant.hfile"
      val out = new ByteArrayOutputStream()
      val file = new HFileWriter(out, form)
      val filter = GroupFiles.filter()
      val encoded = new EncodedPlaces
      var written = 0L
      records.foreach { record => // hot path
        val key = record.key.getBytes(UTF_8)
        filter.add(key, 0, key.length)
        file.append(key, record.payload match {
          case place: Place => encoded.of(place)
          case other => throw new IllegalArgumentException(s"a base file of a record index has no record of $other")
        })
        written += 1
      }
      file.finish(Some(HFileFilter(filter.typeCode, filter.serialized)))
      Some(stat(fileId, name, create(name, out.toByteArray)).copy(numWrites = written, numInserts = written))
    }

  private def stat(fileId: String, name: String, bytes: Long): WriteStat =
    WriteStat(fileId, s"${MetadataPartition.RecordIndex.name}/$name", WriteStat.NoPreviousCommit,
      MetadataPartition.RecordIndex.name, totalWriteBytes = bytes, fileSizeInBytes = bytes)

  private def create(name: String, content: Array[Byte]): Long = {
    val parent = s"$folder/${MetadataPartition.RecordIndex.name}"
    if (storage.createNew(s"$parent/$name", content)) content.length.toLong
    else storage.list(parent).find(_.name == name).map(_.length).filter(_ > 0).getOrElse(
      throw new IOException(s"$parent/$name could not be created"))
  }

  private def form: HFileForm =
    HFileForm(RecordSchema.ofFiles, storage.clock.millis(), blockBytes = GroupFiles.BlockBytes)
}

private object KeyFiles {

  /** Records without their keys, which are alike for all keys of a place. */
  private final class EncodedPlaces {

    private val known = mutable.HashMap.empty[Place, Array[Byte]]

    def of(place: Place): Array[Byte] = {
      if (known.size > MostKnown) known.clear()
      known.getOrElseUpdate(place, RecordEncoder.encode(MetadataRecord("", place)))
    }
  }

  private val MostKnown = 10000
}
