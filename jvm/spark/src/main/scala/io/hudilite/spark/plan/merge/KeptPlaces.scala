package io.hudilite.spark.plan.merge

import io.hudilite.config.PartialUpdates
import io.hudilite.spark.plan.layout.WriteLayout
import io.hudilite.spark.shim.PlanNodes
import io.hudilite.spark.write.table.WriteTarget

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.logical.{Assignment, LogicalPlan, MergeAction, UpdateAction}
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.types.{BinaryType, StringType, StructType}

/** Updates of rows that stay in their partitions wherever the new values belong.
  *
  * They keep the values of the partition columns, too: by these a query knows in which folders it has to look for rows, and
  * it would find those of other values nowhere.
  */
private[plan] object KeptPlaces {

  /** The columns of the table get the values of the row that matches, except those that its place is made of. */
  def update(condition: Option[Expression], into: LogicalPlan, rows: LogicalPlan, target: WriteTarget): MergeAction = {
    val fields = target.keys.partitionFields.map(_.split('.').toList)
    val assignments = target.schema.fieldNames.toSeq.map { name =>
      val (old, now) = (column(into, name), column(rows, name))
      Assignment(old, kept(old, now, fields.collect { case root :: rest if same(root, name) => rest }))
    }
    PlanNodes.build(classOf[UpdateAction], Seq(condition, assignments))
  }

  /** The new value with the kept fields of the old one.
    *
    * @param fields
    *   kept fields, as paths of names inside the value; the empty path is all of it
    */
  private def kept(old: Expression, now: Expression, fields: Seq[List[String]]): Expression = now.dataType match {
    case _ if fields.isEmpty => now
    case struct: StructType if !fields.contains(Nil) =>
      val values = struct.fields.toSeq.zipWithIndex.flatMap { case (field, i) =>
        val inside = fields.collect { case name :: rest if same(name, field.name) => rest }
        Seq(Literal(field.name), kept(GetStructField(old, i), GetStructField(now, i), inside))
      }
      If(And(IsNull(old), IsNull(now)), Literal.create(null, struct), CreateNamedStruct(values))
    case _ => old
  }

  private[merge] def column(plan: LogicalPlan, name: String): Attribute =
    WriteLayout.named(plan)(name).getOrElse(throw new IllegalStateException(s"no column $name in ${plan.output}"))

  private def same(a: String, b: String): Boolean = SQLConf.get.resolver(a, b)
}

/** Updates that may move rows of a table whose rows complete each other: a row takes along what it leaves to the one that
  * is there, since the two do not meet in a file. One that comes too late only completes, and moves nothing.
  */
private[plan] object CompletedRows {

  /** @param inTime
    *   the row that comes wins
    */
  def update(inTime: Option[Expression], into: LogicalPlan, rows: LogicalPlan, target: WriteTarget): MergeAction = {
    val partial = target.config.partialUpdates.get
    val fixed = target.keys.partitionFields.map(_.takeWhile(_ != '.')).toSet
    val deletes = new KeyedRows(target).deletes(WriteLayout.named(rows))
    val assignments = target.schema.fieldNames.toSeq.map { name =>
      val (old, now) = (KeptPlaces.column(into, name), KeptPlaces.column(rows, name))
      val wins = if (fixed(name)) now else If(isGap(now, partial), old, now)
      val loses = if (fixed(name)) old else If(isGap(old, partial), now, old)
      Assignment(old, inTime.fold[Expression](wins)(If(_, wins, loses)))
    }
    // Nothing is left of a row that deletes its key too late.
    val applies = inTime.flatMap(wins => deletes.map(delete => Or(wins, Not(delete))))
    PlanNodes.build(classOf[UpdateAction], Seq(applies, assignments))
  }

  /** As `ColumnGaps` has it. */
  private def isGap(value: Expression, partial: PartialUpdates): Expression = (partial, value.dataType) match {
    case (PartialUpdates.IgnoreDefaults, _) => IsNull(value)
    case (PartialUpdates.FillUnavailable(marker), _: StringType) => EqualNullSafe(value, Literal(marker))
    case (PartialUpdates.FillUnavailable(marker), BinaryType) =>
      EqualNullSafe(value, Literal(marker.getBytes(java.nio.charset.StandardCharsets.UTF_8)))
    case _ => Literal.FalseLiteral
  }
}
