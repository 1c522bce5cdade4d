package io.hudilite.metadata.stored

import io.hudilite.codec.bloom.BloomFilter
import io.hudilite.error.HudiliteException
import io.hudilite.filegroup.{BaseFile, FileSlice}
import io.hudilite.metadata.{MetadataInstants, MetadataKeys, MetadataPartition, MetadataRecord}
import io.hudilite.metadata.MetadataPayload.Bloom
import io.hudilite.stats.{FilterReader, KnownFilters}
import io.hudilite.storage.{Closing, HadoopStorage, Interrupts, Parallel, Storage, TableStorage, WeightedCache}

import java.io.IOException
import java.util.concurrent.ConcurrentHashMap

import org.apache.hadoop.conf.Configuration

/** The file groups of the partition `bloom_filters` as they were when it was found to be whole. Tasks are sent it and read
  * from it what was there then.
  *
  * @param folder
  *   of the metadata table
  * @param slices
  *   in the order of their numbers
  */
private[stored] final case class StoredFilters(basePath: String, folder: String, version: Int,
    instants: MetadataInstants, slices: IndexedSeq[FileSlice]) extends KnownFilters {

  override def reader(conf: Configuration): FilterReader =
    new StoredFilterReader(TableStorage.of(new HadoopStorage(conf), basePath), this)
}

/** Reads filters from file groups of a metadata table: its log files once, of its base files only the blocks that have one
  * of those asked for. A file without a filter that can be read has none here, and a warning says so once a table.
  */
private[stored] final class StoredFilterReader(storage: Storage, of: StoredFilters) extends FilterReader {

  import StoredFilterReader._

  private val blocks = new ConcurrentHashMap[Int, Seq[SliceBlock]]()
  private val ofSlices = new SliceBlocks(storage, of.folder, of.version, of.instants.counts, MostLogBytes)

  override def each[A](files: Seq[BaseFile])(use: (BaseFile, BloomFilter) => A): Map[BaseFile, A] =
    files.filter(_.source.isEmpty).grouped(FiltersAtOnce).flatMap(some(_, use)).toMap

  private def some[A](files: Seq[BaseFile], use: (BaseFile, BloomFilter) => A): Seq[(BaseFile, A)] = {
    val (kept, others) = files.map(file => file -> StoredFilterReader.kept.get(place(file))).partition(_._2.isDefined)
    val byKey = others.map { case (file, _) => MetadataKeys.ofFile(file.partition, file.name) -> file }.toMap
    val groups = MetadataPartition.groupsOf(MetadataPartition.BloomFilters, of.slices.map(_.fileId), byKey.keySet)
    kept.map { case (file, filter) => file -> use(file, filter.get) } ++
      Parallel.map(groups.toSeq) { case (number, keys) => ofGroup(number, keys, byKey, use) }.flatten
  }

  /** Filters that come before an error stay found. */
  private def ofGroup[A](number: Int, keys: Set[String], files: Map[String, BaseFile],
      use: (BaseFile, BloomFilter) => A): Seq[(BaseFile, A)] = {
    val found = Seq.newBuilder[(BaseFile, A)]
    for (records <- told(new SliceRecords(storage, of.folder, _ => blocksOf(number)).of(of.slices(number),
          AskedKeys.These(keys))))
      try {
        def next: Option[MetadataRecord] = told(if (records.hasNext) Some(records.next()) else None).flatten
        Iterator.continually(next).takeWhile(_.isDefined).flatten.foreach {
          case MetadataRecord(key, Bloom(kind, _, text, false)) =>
            val file = files(key)
            told(BloomFilter.read(text, kind)).foreach { filter =>
              StoredFilterReader.kept.put(place(file), filter, text.length.toLong)
              found += file -> use(file, filter)
            }
          case _ => ()
        }
      } finally Closing.close(records)
    found.result()
  }

  private def blocksOf(number: Int): Seq[SliceBlock] =
    blocks.computeIfAbsent(number, _ => ofSlices.of(of.slices(number)))

  private def place(file: BaseFile): (String, String, Long) = (of.basePath, file.relativePath, file.length)

  /** The record as it is read; `None` where it is damaged, of a kind that nobody knows, or compacted and cleaned away by now.
    * A task that is to end gets its interrupt.
    */
  private def told[T](read: => T): Option[T] =
    try Some(read)
    catch {
      case e @ (_: HudiliteException | _: IOException | _: IllegalArgumentException) if !Interrupts.isDue(e) =>
        StoredKeyFacts.tell(of.basePath, s"bloom filters of its metadata table cannot be read: ${e.getMessage}")
        None
    }
}

private object StoredFilterReader {

  /** One takes half a megabyte, and those in log files are in memory together. */
  private val FiltersAtOnce = 64

  /** Of a file group, of which more is not kept. */
  private val MostLogBytes = 4L << 20

  private val MostKeptBytes = 64L << 20

  /** A file never changes under its name. */
  private val kept = new WeightedCache[(String, String, Long), BloomFilter](MostKeptBytes)
}
