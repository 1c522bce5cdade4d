package io.hudilite.spark.row

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{Expression, Literal, Murmur3HashFunction}
import org.apache.spark.sql.catalyst.expressions.codegen.CodegenFallback
import org.apache.spark.sql.types.{ArrayType, DataType, MapType, StringType, StructType}
import org.apache.spark.unsafe.types.UTF8String

/** Stand-in for the record key of a new row, until its writer generates that: it follows all record keys, and by a byte
  * of its own deals rows to writers. Rows of equal values have the same, in whichever task they are evaluated.
  *
  * @param children
  *   the columns of the table that have a part in it, see [[KeysToCome.columns]]
  */
final case class KeyToCome(children: Seq[Expression]) extends Expression with CodegenFallback {

  override def dataType: DataType = StringType
  override def nullable: Boolean = false
  override def prettyName: String = "key_to_come"

  @transient private lazy val columns = children.toArray

  override def eval(input: InternalRow): Any = {
    var (hash, i) = (KeysToCome.Seed, 0)
    while (i < columns.length) { // hot path
      hash = KeysToCome.hash(columns(i).eval(input), columns(i).dataType, hash)
      i += 1
    }
    KeysToCome.of(hash)
  }

  override protected def withNewChildrenInternal(newChildren: IndexedSeq[Expression]): KeyToCome =
    copy(children = newChildren)
}

/** Stand-ins as of [[KeyToCome]] of rows with these columns. */
final class KeysToCome(schema: StructType) extends Serializable {

  private val ordinals = KeysToCome.columns(schema).map(schema.fieldIndex).toArray
  private val types = ordinals.map(schema(_).dataType)

  def apply(row: InternalRow): UTF8String = {
    var (hash, i) = (KeysToCome.Seed, 0)
    while (i < ordinals.length) { // hot path
      hash = KeysToCome.hash(row.get(ordinals(i), types(i)), types(i), hash)
      i += 1
    }
    KeysToCome.of(hash)
  }
}

object KeysToCome {

  private[row] val Seed = 42L
  private val Shares = 256

  // No byte of a text in UTF-8 is 0xff, and Spark's sorter compares the first eight of them at a time.
  private val Last = Array.fill(8)(0xff.toByte)
  private val texts = Array.tabulate(Shares)(share => UTF8String.fromBytes(Last :+ share.toByte))

  /** One for all rows that no writer is chosen for by their values. */
  val OfAll: Literal = Literal(UTF8String.fromBytes(Last), StringType)

  /** Names of the columns whose values are looked at. Entries of equal maps may come in any order. */
  def columns(schema: StructType): Seq[String] = schema.filterNot(f => holdsMaps(f.dataType)).map(_.name)

  private def holdsMaps(dataType: DataType): Boolean = dataType match {
    case _: MapType => true
    case array: ArrayType => holdsMaps(array.elementType)
    case struct: StructType => struct.exists(f => holdsMaps(f.dataType))
    case _ => false
  }

  private[row] def hash(value: Any, dataType: DataType, seed: Long): Long =
    if (value == null) seed else Murmur3HashFunction.hash(value, dataType, seed)

  private[row] def of(hash: Long): UTF8String = texts((hash & (Shares - 1)).toInt)
}
