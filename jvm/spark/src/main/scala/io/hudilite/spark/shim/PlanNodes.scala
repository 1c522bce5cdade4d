package io.hudilite.spark.shim

import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2Relation
import org.apache.spark.sql.connector.catalog.Table

/** Builds Spark's own plan nodes in a way that links on every Spark of a line.
  *
  * Spark adds constructor parameters to these classes between minor versions (always with defaults), so a compiled
  * call to `apply` or `copy` of 4.0 does not exist in 4.3. The primary constructor is looked up and what the caller
  * does not name is filled with the neutral value of its type.
  */
object PlanNodes {

  def mergeInto(
      target: LogicalPlan,
      source: LogicalPlan,
      condition: Expression,
      matched: Seq[MergeAction],
      notMatched: Seq[MergeAction]): MergeIntoTable =
    build(classOf[MergeIntoTable], Seq(target, source, condition, matched, notMatched, Nil))

  /** The relation over another table, with the same attributes. */
  def withTable(relation: DataSourceV2Relation, table: Table): DataSourceV2Relation =
    relation.makeCopy(relation.productIterator.map {
      case t: AnyRef if t eq relation.table => table
      case other => other.asInstanceOf[AnyRef]
    }.toArray).asInstanceOf[DataSourceV2Relation]

  /** Whether the statement may add columns to its target: a property that nodes have gained in different versions, MERGE
    * in 4.0 and INSERT later.
    */
  def evolvesSchema(statement: LogicalPlan): Boolean =
    statement.getClass.getMethods.exists(m =>
      m.getName == "withSchemaEvolution" && m.getParameterCount == 0 &&
        m.invoke(statement) == java.lang.Boolean.TRUE)

  /** `cls`'s primary constructor applied to `first` and neutral values for the parameters after them. */
  def build[T](cls: Class[T], first: Seq[AnyRef]): T = {
    val constructor = cls.getConstructors.maxBy(_.getParameterCount)
    val rest = constructor.getParameterTypes.drop(first.size).map(neutral)
    constructor.newInstance(first ++ rest: _*).asInstanceOf[T]
  }

  private def neutral(parameter: Class[_]): AnyRef =
    if (parameter == classOf[Boolean]) java.lang.Boolean.FALSE
    else if (parameter == classOf[Option[_]]) None
    else if (parameter.isAssignableFrom(Nil.getClass)) Nil
    else throw new IllegalStateException(s"no neutral value for a parameter of type ${parameter.getName}")
}
