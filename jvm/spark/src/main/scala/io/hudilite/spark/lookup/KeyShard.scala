package io.hudilite.spark.lookup

import io.hudilite.table.LookupShards

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.catalyst.expressions.codegen.{CodegenContext, ExprCode, FalseLiteral}
import org.apache.spark.sql.catalyst.expressions.codegen.Block._
import org.apache.spark.sql.types.{DataType, IntegerType}
import org.apache.spark.unsafe.types.UTF8String

/** Number of the shard of a record index that may have a key, by Hudi's hash; -1 where none has it.
  *
  * @param children
  *   the record key and, where the lookup is one of partitions, the partition path
  */
final case class KeyShard(children: Seq[Expression], shards: LookupShards) extends Expression {

  override def dataType: DataType = IntegerType
  override def nullable: Boolean = false

  override def eval(input: InternalRow): Any = {
    val values = children.map(_.eval(input).asInstanceOf[UTF8String])
    KeyShard.of(shards, values.head, if (values.size > 1) values(1) else null)
  }

  override protected def doGenCode(ctx: CodegenContext, ev: ExprCode): ExprCode = {
    val holder = ctx.addReferenceObj("shards", shards)
    val values = children.map(_.genCode(ctx))
    val before = values.map(_.code).reduce(_ + _)
    val arguments = values.map(v => s"(${v.isNull} ? (UTF8String) null : ${v.value})") :+ "(UTF8String) null"
    val call = s"${KeyShard.getClass.getName.stripSuffix("$")}.of($holder, ${arguments.take(2).mkString(", ")})"
    ev.copy(code = code"$before int ${ev.value} = $call;", isNull = FalseLiteral)
  }

  override def prettyName: String = "key_shard"
  override protected def stringArgs: Iterator[Any] = children.iterator
  override protected def withNewChildrenInternal(newChildren: IndexedSeq[Expression]): KeyShard =
    copy(children = newChildren)
}

object KeyShard {

  /** In no shard. */
  val Nowhere: Int = -1

  // hot path: called for every key
  def of(shards: LookupShards, key: UTF8String, partition: UTF8String): Int =
    if (key == null) Nowhere
    else if (!shards.byPartition) shards.of(key.toString, "")
    else if (partition == null) Nowhere
    else shards.of(key.toString, partition.toString)
}
