package io.hudilite.spark.plan.merge

import io.hudilite.spark.plan.layout.WriteLayout
import io.hudilite.spark.shim.PlanNodes
import io.hudilite.spark.write.table.WriteTarget

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.logical.{Assignment, LogicalPlan, MergeAction, UpdateAction}
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.types.StructType

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

  private def column(plan: LogicalPlan, name: String): Attribute =
    WriteLayout.named(plan)(name).getOrElse(throw new IllegalStateException(s"no column $name in ${plan.output}"))

  private def same(a: String, b: String): Boolean = SQLConf.get.resolver(a, b)
}
