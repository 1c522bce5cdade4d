package io.hudilite.spark.plan.layout

import io.hudilite.spark.row.Binaries

import java.util

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{Expression, Nondeterministic}
import org.apache.spark.sql.catalyst.expressions.codegen.{CodegenContext, ExprCode, FalseLiteral}
import org.apache.spark.sql.catalyst.expressions.codegen.Block._
import org.apache.spark.sql.types.{DataType, LongType}
import org.apache.spark.unsafe.types.UTF8String

/** A number to sort by before partition path and record key, in one task: rows of a partition come together, and in it
  * rows in the order of their keys as far as the number tells them apart, or without keys as they come.
  *
  * Spark's sorter holds eight bytes of the first column beside its pointers to rows, and looks a row up when these are
  * equal. The beginning of a partition path is the same in most rows, so that it would do so for each comparison.
  *
  * @param partition
  *   partition path (string), never null
  * @param key
  *   record key (string), never null; `None` = the rows have none yet
  * @param numbers
  *   true when the key is spelled of whole numbers alone: `1`, or `a:1,b:2`
  */
final case class SortLead(partition: Expression, key: Option[Expression], numbers: Boolean = false)
    extends Expression with Nondeterministic {

  @transient private var leads: SortLeads = _

  override def children: Seq[Expression] = partition +: key.toSeq
  override def dataType: DataType = LongType
  override def nullable: Boolean = false
  override def prettyName: String = "sort_lead"

  override protected def initializeInternal(partitionIndex: Int): Unit = leads = new SortLeads(numbers)

  override protected def evalInternal(input: InternalRow): Any = {
    val path = partition.eval(input).asInstanceOf[UTF8String]
    if (key.isEmpty) leads.of(path) else leads.of(path, key.get.eval(input).asInstanceOf[UTF8String])
  }

  override protected def doGenCode(ctx: CodegenContext, ev: ExprCode): ExprCode = {
    val name = classOf[SortLeads].getName
    val state = ctx.addMutableState(name, "leads", forceInline = true)
    ctx.addPartitionInitializationStatement(s"$state = new $name($numbers);")
    val values = children.map(_.genCode(ctx))
    val before = values.map(_.code).reduce(_ + _)
    ev.copy(code = code"$before long ${ev.value} = $state.of(${values.map(_.value.toString).mkString(", ")});",
      isNull = FalseLiteral)
  }

  override protected def withNewChildrenInternal(newChildren: IndexedSeq[Expression]): SortLead =
    copy(partition = newChildren(0), key = newChildren.lift(1))
}

/** Numbers the partitions of a task in the order in which they come.
  *
  * @param numbers
  *   true when keys are spelled of whole numbers alone
  */
final class SortLeads(numbers: Boolean) {

  import SortLeads._

  private val known = new util.HashMap[UTF8String, Numbered]
  private var last = Numbered(null, 0)
  private var rows = 0L

  // hot path
  /** The number of the partition above the beginning of the key; one number for all partitions that are too many. */
  def of(partition: UTF8String, key: UTF8String): Long = {
    if (partition != last.partition) last = numbered(partition)
    if (last.number == MostPartitions) TooMany
    else (last.number.toLong << KeyBits) | (if (numbers) digits(key) else key.getPrefix >>> (64 - KeyBits))
  }

  // hot path
  /** The number of the partition above that of the row. */
  def of(partition: UTF8String): Long = {
    if (partition != last.partition) last = numbered(partition)
    rows += 1
    if (last.number == MostPartitions) TooMany
    else (last.number.toLong << KeyBits) | (rows & ((1L << KeyBits) - 1))
  }

  private def numbered(partition: UTF8String): Numbered = {
    val found = known.get(partition)
    if (found != null) found
    else {
      val fresh = Numbered(partition.copy(), known.size)
      if (fresh.number < MostPartitions) known.put(fresh.partition, fresh)
      fresh
    }
  }
}

private[plan] object SortLeads {
  private val KeyBits = 48

  /** Partitions that get a number of their own. */
  val MostPartitions: Int = (1 << (63 - KeyBits)) - 1

  private val TooMany = Long.MaxValue

  private val SymbolBits = 4
  private val Symbols = KeyBits / SymbolBits
  private val Beyond = (1 << SymbolBits) - 1

  /** Numbers that are in the order of key texts: the first digits, signs and commas of these, four bits each, without the
    * names of fields, which all keys have at these places.
    */
  private[layout] def digits(key: UTF8String): Long = {
    val (bytes, from) = (Binaries.bytes(key), Binaries.offset(key))
    val end = from + key.numBytes
    var (packed, symbols, i) = (0L, 0, afterName(bytes, from, end))
    while (symbols < Symbols && i < end) { // hot path
      val symbol = symbolOf(bytes(i) & 0xff)
      packed = (packed << SymbolBits) | symbol
      symbols += 1
      i = if (symbol == Beyond) end else if (bytes(i) == ',') afterName(bytes, i + 1, end) else i + 1
    }
    packed << SymbolBits * (Symbols - symbols)
  }

  // A placeholder for null begins with a byte beyond, as all others do that are no digit, sign or comma.
  private def symbolOf(byte: Int): Int = if (byte < ',') 0 else if (byte <= '9') byte - ',' + 1 else Beyond

  /** The place behind the next `name:`, or where there is none, where it would begin. */
  private def afterName(bytes: Array[Byte], from: Int, end: Int): Int = {
    var i = from
    while (i < end && bytes(i) != ':' && bytes(i) != ',') i += 1
    if (i < end && bytes(i) == ':') i + 1 else from
  }

  private final case class Numbered(partition: UTF8String, number: Int)
}
