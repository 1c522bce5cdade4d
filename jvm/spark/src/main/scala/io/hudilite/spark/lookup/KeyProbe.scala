package io.hudilite.spark.lookup

import io.hudilite.codec.bloom.BloomFilter
import io.hudilite.filegroup.BaseFile
import io.hudilite.record.{MetaFields, RowPlace}
import io.hudilite.spark.basefile.read.{FileBatches, KeyBatches, KeyPagesFilter, OldRows, RowReader}
import io.hudilite.spark.row.Binaries
import io.hudilite.spark.slice.deliver.SkeletonLookup
import io.hudilite.stats.{FactsAsked, KeyBounds}

import java.util

import org.apache.parquet.filter2.predicate.FilterPredicate
import org.apache.spark.TaskContext
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{BoundReference, Literal, UnsafeProjection}
import org.apache.spark.sql.types.{LongType, StringType, StructField, StructType}
import org.apache.spark.unsafe.types.UTF8String

import scala.collection.JavaConverters._

/** Looks keys up in one base file, in an executor.
  *
  * @param output
  *   columns of the rows to return
  * @param facts
  *   facts on the keys of files
  */
private[lookup] final case class KeyProbe(output: StructType, useBloom: Boolean, pruneByRanges: Boolean,
    batches: KeyBatches, facts: FactsNearby) {

  // Read from the file: the columns asked for and the key.
  private val fileColumns: StructType = {
    val asked = output.fields.filterNot(f => RowPlace.contains(f.name))
    val key = if (asked.exists(_.name == MetaFields.RecordKey)) Nil else Seq(KeyProbe.Key)
    StructType(asked ++ key)
  }
  private val keyOrdinal: Int = fileColumns.fieldIndex(MetaFields.RecordKey)
  private val wantsPosition: Boolean = output.fieldNames.contains(RowPlace.Position)

  /** Columns of the batches found: those of the file, the id of its group, and the number of a row where it is asked for. */
  val columns: StructType = {
    val position = if (wantsPosition) Seq(StructField(RowPlace.Position, LongType)) else Nil
    StructType((fileColumns.fields :+ StructField(RowPlace.FileId, StringType)) ++ position)
  }

  // One for all files of a task: a row is valid until the next.
  @transient private lazy val project = UnsafeProjection.create(output.fields.toSeq.map {
    case field if field.name == RowPlace.Gone => Literal.FalseLiteral
    case field => BoundReference(columns.fieldIndex(field.name), field.dataType, field.nullable)
  })

  /** Rows of `file` with one of `keys`, which are sorted by their UTF-8 bytes. */
  def rows(file: BaseFile, keys: Array[UTF8String], metrics: ProbeMetrics, context: TaskContext)
      : Iterator[InternalRow] =
    found(file, keys, metrics, context).iterator.flatMap(batches => Iterator.continually(batches).takeWhile(_.next()))
      .flatMap(_.get().rowIterator().asScala.map(project))

  /** As [[rows]], in batches of `columns`; `None` when the file has none of the keys. */
  def found(file: BaseFile, keys: Array[UTF8String], metrics: ProbeMetrics, context: TaskContext)
      : Option[FoundBatches] = {
    val left = facts.left(file, keys).getOrElse(verdict(file, facts.of(file), keys))
    val candidates = left.passed.getOrElse(within(left.bounds, keys))
    if (left.inRange) metrics.filesInRange += 1
    if (useBloom) metrics.bloomHits += candidates.length
    if (candidates.isEmpty) None
    else {
      metrics.filesOpened += 1
      Some(matching(file, candidates, facts.isSorted(file), metrics, context))
    }
  }

  /** Asks for facts on files beside each other.
    *
    * @param bounds
    *   those that are known already
    * @param keys
    *   those of a partition, sorted
    */
  def bring(files: Seq[BaseFile], bounds: Map[BaseFile, KeyBounds], keys: String => Array[UTF8String]): FactsAsked = {
    val own = files.map(_.partition).distinct.map(partition => partition -> keys(partition)).toMap
    facts.bring(files, bounds, (file, of) => KeyRange.within(own(file.partition), of.min, of.max).nonEmpty)(
      (file, of) =>
        verdict(file, of, own(file.partition)))
  }

  private def verdict(file: BaseFile, known: KeyBounds, keys: Array[UTF8String]): KeysLeft = {
    val inRange = within(known, keys)
    val passed = known.bloom.filter(filter => useBloom && !mayNeedEveryPage(file, filter, inRange))
      .map(KeyProbe.letThrough(_, inRange))
    KeysLeft(keys, known.copy(bloom = None), inRange.nonEmpty, passed)
  }

  private def within(bounds: KeyBounds, keys: Array[UTF8String]): Array[UTF8String] =
    if (pruneByRanges) KeyRange.within(keys, bounds.min, bounds.max) else keys

  // The pages are in the whole footer, which is not needed for few keys, nor for those that the filter does not know.
  private def mayNeedEveryPage(file: BaseFile, filter: BloomFilter, keys: Array[UTF8String]): Boolean =
    keys.length > KeyProbe.Sample && {
      val expected = KeyProbe.expected(filter, keys)
      expected > 0 && expected > KeyProbe.CandidatesPerPage * batches.pages(file, own = facts.isSorted(file))
    }

  private def matching(file: BaseFile, candidates: Array[UTF8String], sorted: Boolean, metrics: ProbeMetrics,
      context: TaskContext): FoundBatches = {
    val selection = if (sorted) new InOrder(candidates) else new AnyOrder(candidates)
    val pages = batches.pages(file, own = sorted)
    val mayLackPages = pages > 1 && candidates.length < KeyProbe.CandidatesPerPage * pages
    val filter = if (pages > 1) Some(KeyPagesFilter(MetaFields.RecordKey, candidates, fine = mayLackPages)) else None
    def of(reader: OldRows, order: Seq[Int], numbers: Boolean) =
      new FoundBatches(reader, order, keyOrdinal, selection, new Array[Int](batches.batchRows), candidates.length,
        numbers, metrics)
    val (read, fileId) = (fileColumns.indices, fileColumns.length)
    if (batches.needSource(file, fileColumns))
      of(SkeletonLookup.open(batches, file, fileColumns, context), read :+ fileId, wantsPosition)
    else counted(file, filter, mayLackPages, context) match {
      case Some(reader) => of(reader, read :+ fileId, wantsPosition)
      case None => // the number of a row comes before the id of the file group
        of(batches.open(file, fileColumns.add(RowReader.RowIndex), filter, context), read :+ (fileId + 1) :+ fileId,
          numbers = false)
    }
  }

  /** The rows without numbers, when nobody asks for them or every row is read, so that counting gives them: Spark's
    * reader numbers rows by a boxed iterator, which takes longer than to read their keys.
    */
  private def counted(file: BaseFile, filter: Option[FilterPredicate], mayLackPages: Boolean, context: TaskContext)
      : Option[FileBatches] =
    if (wantsPosition && mayLackPages) None
    else {
      val reader = batches.open(file, fileColumns, filter, context)
      if (!wantsPosition || reader.readsEveryRow) Some(reader)
      else {
        reader.close()
        None
      }
    }
}

private[lookup] object KeyProbe {

  /** Columns by which a row is found and written, without its data. */
  val Identity: Set[String] = Set(MetaFields.RecordKey, MetaFields.PartitionPath, RowPlace.FileId, RowPlace.Position)

  private val Key = StructField(MetaFields.RecordKey, StringType)

  /** With fewer, a page that no key falls into is likely. */
  private val CandidatesPerPage = 4

  /** Bits of a key to look at when another has passed, so that the file is opened anyway: few pages are then read for keys
    * that it lacks.
    */
  private val FewHashes = 12

  /** Of more keys than this some are asked about first. */
  private val Sample = 256

  /** About how many of the keys a filter lets through, by a sample. Where they are enough that all pages are read anyway,
    * it takes less to look all keys up, one after the other in their order, than to find out which need not be: each
    * question to the filter is a leap through memory.
    */
  private def expected(filter: BloomFilter, keys: Array[UTF8String]): Long = {
    val sample = Array.tabulate(Sample)(i => keys((i.toLong * keys.length / Sample).toInt))
    letThrough(filter, sample).length.toLong * keys.length / Sample
  }

  /** The keys that a bloom filter lets through. */
  private def letThrough(filter: BloomFilter, keys: Array[UTF8String]): Array[UTF8String] = {
    val passed = new Array[UTF8String](keys.length)
    var (count, i) = (0, 0)
    while (i < keys.length) { // hot path
      val key = keys(i)
      val mostHashes = if (count == 0) Int.MaxValue else FewHashes
      if (filter.mightContain(Binaries.bytes(key), Binaries.offset(key), key.numBytes, mostHashes)) {
        passed(count) = key
        count += 1
      }
      i += 1
    }
    util.Arrays.copyOf(passed, count)
  }

}

/** Key ranges of base files, whose bounds are ordered as Java strings are. */
private[lookup] object KeyRange {

  /** The keys that lie within the range; all of them when the file does not tell it. */
  def within(keys: Array[UTF8String], min: Option[String], max: Option[String]): Array[UTF8String] = (min, max) match {
    case (Some(low), Some(high)) if plain(low) && plain(high) =>
      val from = firstNotBelow(keys, UTF8String.fromString(low), inclusive = true)
      val until = firstNotBelow(keys, UTF8String.fromString(high), inclusive = false)
      if (from == 0 && until == keys.length) keys else keys.slice(from, until)
    case (Some(low), Some(high)) => keys.filter { key =>
        val text = key.toString
        text.compareTo(low) >= 0 && text.compareTo(high) <= 0
      }
    case _ => keys
  }

  /** Java orders strings by UTF-16 units, which is the order of their UTF-8 bytes against a bound without surrogates and
    * what lies above them.
    */
  private def plain(bound: String): Boolean = bound.forall(_ < Character.MIN_SURROGATE)

  private def firstNotBelow(keys: Array[UTF8String], bound: UTF8String, inclusive: Boolean): Int = {
    var (low, high) = (0, keys.length)
    while (low < high) {
      val middle = (low + high) >>> 1
      val order = keys(middle).compareTo(bound)
      if (order < 0 || (!inclusive && order == 0)) low = middle + 1 else high = middle
    }
    low
  }
}
