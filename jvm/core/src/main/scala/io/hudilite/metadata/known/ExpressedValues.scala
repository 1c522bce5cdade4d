package io.hudilite.metadata.known

import io.hudilite.codec.bloom.BloomFilter
import io.hudilite.metadata.{ColumnFacts, ExpressionIndex, KnownFile, StatType, StatValue}
import io.hudilite.metadata.StatValue.{Int32, Text}

import java.nio.charset.StandardCharsets.UTF_8

/** Gathers the values of a function over a column of a file, for an index of them. */
private[known] sealed trait ExpressedValues {

  def index: ExpressionIndex

  /** @param value
    *   of the column; `None` where it is null
    */
  def add(value: Option[StatValue]): Unit

  def addNulls(count: Long): Unit

  /** Values that cannot be read. */
  def addUntold(): Unit
}

private[known] object ExpressedValues {

  def of(index: ExpressionIndex): ExpressedValues =
    if (index.isFilter) new ExpressedFilter(index) else new ExpressedSpan(index)

  /** The file with these values, of which it has none where it has no rows. */
  def told(all: Seq[ExpressedValues], file: KnownFile): KnownFile = file.copy(
    expressed = all.collect { case span: ExpressedSpan => span.index.partition.name -> span.facts }
      .filter(_._2.values > 0).toMap,
    filtered = all.collect {
      case filter: ExpressedFilter if filter.hasRows =>
        filter.index.partition.name -> filter.text
    }.toMap)
}

/** Bounds and counts of the values. */
private[known] final class ExpressedSpan(val index: ExpressionIndex) extends ExpressedValues {

  private val kind = StatType.plain(index.function.gives)
  private val span = new ColumnSpan(kind)

  override def add(value: Option[StatValue]): Unit = value match {
    case None => span.add(None)
    case Some(v) => index.function(v).fold(addUntold())(result => span.add(Some(result)))
  }

  override def addNulls(count: Long): Unit =
    span.add(ColumnFacts(count, Some(count), 0L, 0L, None, isEmpty = true, kind))

  override def addUntold(): Unit = span.add(ColumnFacts(1L, None, 0L, 0L, None, isEmpty = false, kind))

  def facts: ColumnFacts = span.facts
}

/** A bloom filter of the values, as Apache Hudi's writers lay it out whatever their settings for record keys. Nulls and
  * empty texts are not in it.
  */
private[known] final class ExpressedFilter(val index: ExpressionIndex) extends ExpressedValues {

  import ExpressedFilter._

  private lazy val filter = BloomFilter.create(BloomFilter.Dynamic, Entries, FalseAnswers, MostEntries)
  private var rows = 0L
  private var isTold = true

  override def add(value: Option[StatValue]): Unit = { // hot path
    rows += 1
    value.foreach(v =>
      index.function(v) match {
        case Some(Text(text)) => if (text.nonEmpty) filter.add(text.getBytes(UTF_8))
        case Some(Int32(number)) => filter.add(number.toString.getBytes(UTF_8))
        case _ => isTold = false
      })
  }

  override def addNulls(count: Long): Unit = rows += count

  override def addUntold(): Unit = {
    rows += 1
    isTold = false
  }

  def hasRows: Boolean = rows > 0

  /** The filter; `None` where some value is not certain. */
  def text: Option[String] = if (isTold) Some(filter.serialized) else None
}

private object ExpressedFilter {
  val Entries = 60000
  val FalseAnswers = 1e-9
  val MostEntries = 100000
}
