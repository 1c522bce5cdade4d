package io.hudilite.upkeep

import io.hudilite.codec.bloom.BloomFilter
import io.hudilite.codec.hfile.{HFileFilter, HFileForm, HFileWriter}
import io.hudilite.filegroup.{FileNames, FileSlice, Partitions}
import io.hudilite.log.{BlockKind, DeleteBlock, HeaderKey, LogBlockWriter}
import io.hudilite.metadata.{GroupRecords, MetadataKeys, MetadataPartition, MetadataRecord, RecordEncoder, RecordSchema}
import io.hudilite.timeline.WriteStat

import java.io.IOException
import java.nio.charset.StandardCharsets.UTF_8

/** Files of the file groups of a metadata table, each whole before it has its name. Records come in the order of their
  * keys' UTF-8 bytes, each key once.
  */
private[upkeep] final class GroupFiles(home: MetadataHome) {

  import GroupFiles._

  /** The first file of each group: its log is there while the group has no record, and counts as one of the hash. */
  def begin(partition: MetadataPartition, ids: Seq[String], instant: String): Unit = {
    Partitions.createMetadata(home.storage, home.folder, partition.name, instant)
    val content = DeleteBlock.encode(Nil, home.version)
    val block = LogBlockWriter.bytes(BlockKind.Delete, Map(HeaderKey.InstantTime -> instant), content)
    ids.foreach(id => create(partition, FileNames.logFile(id, instant, 1, Token), block))
  }

  /** A log file on top of a slice.
    *
    * @param compaction
    *   instant of a pending compaction of the group, which log files of version 6 bear
    */
  def log(of: GroupRecords, slice: FileSlice, compaction: Option[String], instant: String): WriteStat = {
    val name = logName(home.version, slice, compaction, instant)
    val headers = LogBlockWriter.headers(home.version, instant, RecordSchema.ofFiles)
    val block = LogBlockWriter.bytes(BlockKind.HFileData, headers, HFileWriter.bytes(encoded(of.records), form))
    create(of.partition, name, block)
    val records = of.records.size.toLong
    val base = if (home.version >= LogsNameTheirWrite) instant else slice.instant
    stat(of, name, base, block.length.toLong).copy(numWrites = records, numUpdateWrites = records, logFiles = Seq(name),
      logVersion = FileNames.parseLogFile(name).fold(1)(_.version),
      baseFile = slice.base.filter(_ => home.version < LogsNameTheirWrite).map(_.name))
  }

  /** A base file with all records of a group. */
  def base(of: GroupRecords, instant: String): WriteStat = {
    val name = s"${of.fileId}_${Token}_$instant.hfile"
    val filter = GroupFiles.filter()
    val records = of.records.map { r =>
      val key = r.key.getBytes(UTF_8)
      filter.add(key, 0, key.length)
      key -> RecordEncoder.encode(r)
    }
    val content = HFileWriter.bytes(records.iterator, form, Some(HFileFilter(filter.typeCode, filter.serialized)))
    create(of.partition, name, content)
    stat(of, name, WriteStat.NoPreviousCommit, content.length.toLong)
      .copy(numWrites = of.records.size.toLong, numInserts = of.records.size.toLong)
  }

  private def stat(of: GroupRecords, name: String, before: String, bytes: Long): WriteStat =
    WriteStat(of.fileId, s"${of.partition.name}/$name", before, of.partition.name, totalWriteBytes = bytes,
      fileSizeInBytes = bytes)

  private def encoded(records: Seq[MetadataRecord]): Iterator[(Array[Byte], Array[Byte])] =
    records.iterator.map(r => r.key.getBytes(UTF_8) -> RecordEncoder.encode(r))

  private def form: HFileForm =
    HFileForm(RecordSchema.ofFiles, home.storage.clock.millis(), blockBytes = BlockBytes)

  private def create(partition: MetadataPartition, name: String, content: Array[Byte]): Unit = {
    val path = s"${home.folderOf(partition)}/$name"
    if (!home.storage.createNew(path, content)) throw new IOException(s"$path is there already")
  }
}

private[upkeep] object GroupFiles {

  /** Only one attempt ever writes a file, since leftovers of another are deleted before. */
  val Token = "0-0-0"

  /** Of a file beside another one of the same group and write. */
  val SecondToken = "1-0-0"

  val LogsNameTheirWrite = 8

  private[upkeep] val BlockBytes: Int = 1 << 20

  /** As Hudi 1.2 lays the filters of base files out. */
  private[upkeep] def filter(): BloomFilter =
    BloomFilter.create(BloomFilter.Dynamic, FilterEntries, FalsePositives, MostFilterEntries)

  private val FilterEntries = 10000
  private val FalsePositives = 0.000000001
  private val MostFilterEntries = 100000

  /** Name of the next log file on top of a slice. Version 6 counts the log files of a slice up, and keeps the token of the
    * first one.
    *
    * @param compaction
    *   instant of a pending compaction of the group, which log files of version 6 bear
    * @param token
    *   of a file that no other one of the write stands beside
    */
  private[upkeep] def logName(version: Int, slice: FileSlice, compaction: Option[String], instant: String,
      token: String = Token): String =
    if (version >= LogsNameTheirWrite) FileNames.logFile(slice.fileId, instant, 1, token)
    else {
      val time = compaction.getOrElse(slice.instant)
      val ofSlice = slice.logs.filter(_.time == time).sortBy(_.version)
      val first = ofSlice.headOption.flatMap(_.writeToken).getOrElse(Token)
      FileNames.logFile(slice.fileId, time, ofSlice.lastOption.fold(0)(_.version) + 1, first)
    }

  /** Records of a group in the order in which its files have them. */
  def ordered(records: Iterator[MetadataRecord]): Seq[MetadataRecord] =
    records.toList.sortBy(_.key)(MetadataKeys.order)
}
