package io.hudilite.codec.hfile

import io.hudilite.error.{CorruptTable, HudiliteException, UnsupportedTable}
import io.hudilite.storage.{OpenFile, Storage}

import java.io.{Closeable, EOFException, IOException}
import java.nio.charset.StandardCharsets.UTF_8
import java.util.zip.ZipException

import scala.util.control.NonFatal

/** An HFile of version 3: record keys in UTF-8, each with a record, sorted by the bytes of the keys and stored in blocks
  * (docs/format.md#hfiles). Trailer and index are in memory from the first use on; blocks are read as they are asked for.
  * A file that breaks the format is a `CorruptTable` at the call that finds it, one that needs more than is read here an
  * `UnsupportedTable`.
  *
  * For one thread, and one cursor after the other or beside each other in it.
  *
  * @param path
  *   for errors
  */
final class HFile private (bytes: HFileBytes, path: String) extends Closeable {

  import HFile._

  private val trailer = HFileTrailer.read(bytes.range(bytes.length - HFileTrailer.Bytes, HFileTrailer.Bytes),
    bytes.length, path)
  private val end = bytes.length - HFileTrailer.Bytes
  bytes.keepFrom(trailer.loadOnOpen)

  private lazy val facts: Map[String, Array[Byte]] = HFileInfo.read(block(trailer.fileInfo, HFileBlock.Magic.Info))

  private lazy val index: BlockIndex = {
    val root = block(trailer.loadOnOpen, HFileBlock.Magic.RootIndex)
    new BlockIndex(BlockIndex.root(root.content, trailer, end), trailer.levels, readLevel)
  }

  /** Number of records. */
  def entries: Long = trailer.entries

  /** A fact that the writer left beside the records, such as `schema`, `minRecordKey` or `maxRecordKey`. */
  def info(name: String): Option[Array[Byte]] = guarded(facts.get(name))

  /** The bloom filter of all keys, if it has one. */
  def filter: Option[HFileFilter] = guarded {
    val kind = if (trailer.metaEntries == 0) None else facts.get(FilterFact)
    kind.flatMap(k =>
      filterPlace.map { place =>
        val block = HFileBlock.read(bytes.range(place.offset, place.size), 0, trailer.codec, path)
        if (block.magic != HFileBlock.Magic.Meta)
          throw new IllegalArgumentException("the index of an HFile names a filter that is none")
        HFileFilter(new String(k, UTF_8), UTF_8.decode(block.content).toString)
      })
  }

  /** The index of blocks beside the records follows that of the records. */
  private def filterPlace: Option[BlockPlace] = {
    val root = bytes.range(trailer.loadOnOpen, HFileBlock.HeaderBytes)
    val names = block(trailer.loadOnOpen + HFileBlock.size(root, 0), HFileBlock.Magic.RootIndex)
    BlockIndex.named(names.content, trailer.metaEntries, end)
      .collectFirst { case (name, place) if name == FilterName => place }
  }

  /** All records. */
  def scan: HFileRecords = guarded(
    new HFileRecords(new AllBlocks(bytes, trailer, path), isVersioned, Some(trailer.entries), path))

  /** The records of those of the keys that the file has. Each block that may hold one is read once, with its neighbours
    * in one request; keys that lie between blocks cost none.
    *
    * @param keys
    *   in UTF-8, ascending by their bytes, each once
    */
  def lookup(keys: Seq[Array[Byte]]): HFileRecords = guarded(sought(KeySeek.keys(sortedIndex, keys)))

  /** The records whose keys begin with one of the prefixes, each once.
    *
    * @param prefixes
    *   in UTF-8, ascending by their bytes, each once
    */
  def prefixes(prefixes: Seq[Array[Byte]]): HFileRecords = guarded(sought(KeySeek.prefixes(sortedIndex, prefixes)))

  override def close(): Unit = bytes.close()

  private def sought(wanted: Seq[Wanted]): HFileRecords =
    new HFileRecords(new SoughtBlocks(wanted.toIndexedSeq, bytes, trailer.codec, path), isVersioned, None, path)

  private def sortedIndex: BlockIndex =
    if (trailer.entries == 0) BlockIndex.Empty
    else if (Comparators(trailer.comparator)) index
    else throw unsupported(path, s"keys in the order of ${trailer.comparator}")

  /** Each cell ends in a number, the version of its value. */
  private lazy val isVersioned: Boolean = {
    if (facts.contains(TagsFact)) throw unsupported(path, "tags of cells")
    facts.get(VersionFact).exists(_.lastOption.contains(WithVersions))
  }

  private def block(offset: Long, magic: String): HFileBlock = {
    val block = HFileBlock.read(bytes.range(offset, Math.toIntExact(end - offset)), 0, trailer.codec, path)
    if (block.magic != magic) throw new IllegalArgumentException(s"an HFile has no block $magic at offset $offset")
    block
  }

  private def readLevel(place: BlockPlace): IndexedSeq[BlockPlace] = {
    val block = HFileBlock.read(bytes.range(place.offset, place.size), 0, trailer.codec, path)
    if (!Levels(block.magic)) throw new IllegalArgumentException(s"an HFile has no index at offset ${place.offset}")
    BlockIndex.level(block.content, end)
  }

  private def guarded[T](body: => T): T =
    try body
    catch { case NonFatal(e) => throw damage(e, path) }
}

object HFile {

  /** Opens a file; the caller closes it.
    *
    * @param length
    *   bytes of the file, as it was listed
    */
  def open(storage: Storage, path: String, length: Long): HFile = {
    val file = storage.open(path, length)
    try of(file, length, path)
    catch {
      case NonFatal(e) =>
        file.close()
        throw e
    }
  }

  /** Opens an HFile that lies within another file; the caller closes it.
    *
    * @param outer
    *   bytes of that file, as it was listed
    */
  def within(storage: Storage, path: String, outer: Long, offset: Long, length: Long): HFile = {
    val file = storage.open(path, outer)
    val part = new OpenFile {
      override def readFully(position: Long, target: Array[Byte]): Unit = file.readFully(offset + position, target)
      override def close(): Unit = file.close()
    }
    try of(part, length, path)
    catch {
      case NonFatal(e) =>
        file.close()
        throw e
    }
  }

  /** An HFile in memory, such as the content of a log block; needs not be closed.
    *
    * @param path
    *   of the file that it comes from, for errors
    */
  def of(content: Array[Byte], path: String): HFile = of(OpenFile.of(path, content), content.length.toLong, path)

  private def of(file: OpenFile, length: Long, path: String): HFile =
    try {
      if (length < HFileTrailer.Bytes) throw new IllegalArgumentException("an HFile is shorter than its trailer")
      new HFile(new HFileBytes(file, length), path)
    } catch { case NonFatal(e) => throw damage(e, path) }

  // They compare rows by their bytes.
  private val Comparators = Set(HFileTrailer.Comparator,
    "org.apache.hadoop.hbase.CellComparatorImpl", "org.apache.hadoop.hbase.KeyValue$KeyComparator",
    "org.apache.hudi.common.bootstrap.index.HFileBootstrapIndex$HoodieKVComparator",
    "org.apache.hudi.common.bootstrap.index.hfile.HBaseHFileBootstrapIndex$HoodieKVComparator")

  private val Levels = Set(HFileBlock.Magic.IntermediateIndex, HFileBlock.Magic.LeafIndex)

  /** Of the block with the filter. */
  private[hfile] val FilterName = "bloomFilter"

  private val FilterFact = "bloomFilterTypeCode"
  private val VersionFact = "KEY_VALUE_VERSION"
  private val WithVersions: Byte = 1
  private val TagsFact = "hfile.MAX_TAGS_LEN"

  private[hfile] def unsupported(path: String, feature: String): UnsupportedTable =
    UnsupportedTable("UNSUPPORTED_LOG_BLOCK", "path" -> path, "feature" -> s"an HFile with $feature",
      "reason" -> "only plain and gzip cells are read")

  /** The error to raise where reading failed: the bytes are damaged, unless storage failed. */
  private[hfile] def damage(error: Throwable, path: String): Throwable = error match {
    case own: HudiliteException => own
    case _: EOFException | _: ZipException => corrupt(error, path)
    case storage: IOException => storage
    case bug: IllegalStateException => bug
    case _ => corrupt(error, path)
  }

  private def corrupt(error: Throwable, path: String): CorruptTable =
    CorruptTable.because(error, "CORRUPT_FILE", "path" -> path,
      "reason" -> Option(error.getMessage).getOrElse(error.getClass.getSimpleName).takeWhile(_ != '\n'))
}
