package io.hudilite.spark.row

import io.hudilite.spark.shim.PlanNodes

import org.apache.spark.sql.catalyst.SQLConfHelper
import org.apache.spark.sql.catalyst.expressions.{Attribute, Cast, Expression}
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.internal.SQLConf.StoreAssignmentPolicy
import org.apache.spark.sql.types.{ArrayType, DataType, MapType, StructType}

/** Values that statements store in columns of another type. `spark.sql.storeAssignmentPolicy` decides about them, and
  * Spark's own error does not name it. Apache Hudi casts all of them.
  */
object StoreAssignment extends SQLConfHelper {

  def update(update: UpdateTable): UpdateTable = {
    val stored = assigned(update.assignments)
    if (stored == update.assignments) update else PlanNodes.withAssignments(update, stored)
  }

  def merge(merge: MergeIntoTable): MergeIntoTable = {
    val all = Seq(merge.matchedActions, merge.notMatchedActions, merge.notMatchedBySourceActions)
    val stored = all.map(_.map(action))
    if (stored == all) merge else PlanNodes.withActions(merge, stored)
  }

  private def action(action: MergeAction): MergeAction = action match {
    case update: UpdateAction =>
      val stored = assigned(update.assignments)
      if (stored == update.assignments) update else PlanNodes.withAssignments(update, stored)
    case insert: InsertAction =>
      val stored = assigned(insert.assignments)
      if (stored == insert.assignments) insert else PlanNodes.withAssignments(insert, stored)
    case other => other
  }

  private def assigned(assignments: Seq[Assignment]): Seq[Assignment] = assignments.map { one =>
    if (!one.key.resolved || !one.value.resolved) one
    else {
      val said = TextLiterals.read(one.value, one.key.dataType)
      check(name(one.key), said.dataType, one.key.dataType)
      val value = named(said, one.key.dataType)
      if (value eq one.value) one else one.copy(value = value)
    }
  }

  private def name(column: Expression): String = column match {
    case attribute: Attribute => attribute.name
    case field => field.sql
  }

  /** Raises `INCOMPATIBLE_TYPE` for a value that the policy does not let into the column. Types of several parts are
    * Spark's to judge.
    */
  def check(column: String, value: DataType, stored: DataType): Unit =
    if (!Seq(value, stored).exists(hasParts) && !isLet(value, stored))
      throw SchemaAlignment.incompatible(column, stored, value,
        s"${SQLConf.STORE_ASSIGNMENT_POLICY.key} = ${conf.storeAssignmentPolicy} does not store the one as the other")

  private def hasParts(dataType: DataType): Boolean = dataType match {
    case _: StructType | _: ArrayType | _: MapType => true
    case _ => false
  }

  // The policy LEGACY is refused by Spark for tables of this kind.
  private def isLet(from: DataType, to: DataType): Boolean = conf.storeAssignmentPolicy match {
    case StoreAssignmentPolicy.ANSI => Cast.canANSIStoreAssign(from, to)
    case StoreAssignmentPolicy.STRICT => Cast.canUpCast(from, to)
    case _ => true
  }

  /** A struct whose fields nobody has named, such as `struct(1, 'a')`, with the names that they have in the column. */
  private def named(value: Expression, column: DataType): Expression = (value.dataType, column) match {
    case (from: StructType, to: StructType)
        if from.size == to.size && areUnnamed(from) && from.fieldNames.toSeq != to.fieldNames.toSeq =>
      val fields = from.fields.zip(to.fields).map { case (field, known) => field.copy(name = known.name) }
      Cast(value, StructType(fields), Some(conf.sessionLocalTimeZone), ansiEnabled = true)
    case _ => value
  }

  // Spark's names for them.
  private def areUnnamed(fields: StructType): Boolean =
    fields.fieldNames.zipWithIndex.forall { case (name, at) => name == s"col${at + 1}" }
}
