package io.hudilite.spark.plan.merge

import io.hudilite.log.RowPosition
import io.hudilite.merge.MergeRule
import io.hudilite.record.{MetaFields, RowPlace}
import io.hudilite.spark.shim.PlanNodes
import io.hudilite.spark.write.RowLevelWrite
import io.hudilite.spark.write.table.WriteTarget

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.logical.{Filter, LogicalPlan, MergeRows, Project}
import org.apache.spark.sql.catalyst.util.RowDeltaUtils
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2Relation
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.types.BooleanType

/** New rows of keys that a base file still holds and its log files have deleted: they go to the log of that file group, as
  * those of an upsert do. In a file group of their own the key would be in two base files, and whoever finds keys by base
  * files alone, as Apache Hudi does, would write its next version into both.
  *
  * The lookup tells where such keys are by rows that are gone, which are no rows of the table to the statement.
  */
private[plan] object PutBackRows {

  private val FromTarget = "__row_from_target"

  /** The lookup of a statement is to tell of rows that are gone.
    *
    * @param target
    *   the side of the join that is the table
    */
  def areAskedFor(query: LogicalPlan, target: LogicalPlan, operation: RowLevelWrite): Boolean =
    operation.target.buckets.isEmpty && operation.target.isMergeOnRead && !operation.target.generatesKeys &&
      operation.target.conf.combine.beforeUpsert && marksRows(target) && inserts(query)

  /** A row that a statement moves where its key is gone: the place of that, by which the writer puts it back; none where it
    * would not be seen there. `None` where that cannot be asked, so that no row that is gone is looked for.
    *
    * @param changes
    *   columns of the row
    */
  def ofMoved(changes: Seq[Attribute], relation: DataSourceV2Relation, operation: RowLevelWrite): Option[MovedBack] = {
    val target = operation.target
    val merges = rule(target)
    def named(in: Seq[Attribute])(name: String): Option[Attribute] =
      in.find(column => SQLConf.get.resolver(column.name, name))
    val (newer, older) = (merges.fields.map(named(changes)), merges.fields.map(named(relation.output)))
    // A moved row is whole: no value of a gone one completes it. And no group that a clustering is about to replace takes it.
    val staysWhole = !merges.completesAll && !target.existing.exists(_.pendingClusterings.nonEmpty)
    if (!staysWhole || target.buckets.isDefined || !target.isMergeOnRead || target.generatesKeys) None
    else if (!merges.compares) Some(MovedBack(gone(), Nil, Literal.TrueLiteral))
    else if ((newer ++ older).exists(_.isEmpty)) None
    else {
      val old = older.flatten.map(_.newInstance().withNullability(true))
      val wins = newer.flatten.map(IsNotNull(_)).reduce[Expression](And(_, _))
      Some(MovedBack(gone(), old, And(wins, WinsOver(newer.flatten, old, merges))))
    }
  }

  /** The statement may bring new rows. */
  def inserts(query: LogicalPlan): Boolean = query.exists {
    case rows: MergeRows => rows.notMatchedInstructions.exists(insert(_).isDefined)
    case _ => false
  }

  /** The condition that joins a source of one row when Spark has made its values conditions on the table's side. */
  def alone(source: LogicalPlan): Option[Expression] =
    if (source.maxRows.exists(_ <= 1)) Some(Literal.TrueLiteral) else None

  /** The conditions that a side of the join has itself. */
  def conditions(target: LogicalPlan): Seq[Expression] = target.collect { case Filter(condition, _) => condition }

  private def marksRows(target: LogicalPlan): Boolean = target match {
    case Project(columns, _) => columns.exists(isMark)
    case Filter(_, child) => marksRows(child)
    case _ => false
  }

  private def isMark(column: NamedExpression): Boolean = column match {
    case Alias(Literal.TrueLiteral, name) => name == FromTarget
    case _ => false
  }

  /** The table's side with all that a row needs to be put back. */
  def widened(target: LogicalPlan, relation: DataSourceV2Relation, operation: RowLevelWrite): LogicalPlan = {
    val needed = placeNames(operation) ++ rule(operation.target).fields
    handedUp(target, relation.output.filter(a => needed.contains(a.name)))
  }

  /** The plan with columns that are at its end. */
  private def handedUp(plan: LogicalPlan, columns: Seq[Attribute]): LogicalPlan = plan.transformUp {
    case Project(own, child) if columns.forall(child.outputSet.contains) =>
      Project(own ++ columns.filterNot(a => own.exists(_.exprId == a.exprId)), child)
  }

  def gone(): Attribute = AttributeReference(RowPlace.Gone, BooleanType, nullable = false)()

  /** The table's side, in which a row that is gone is none. */
  def unmarked(target: LogicalPlan, gone: Attribute): LogicalPlan = target match {
    case Project(columns, child) => Project(
        columns.map {
          case mark: Alias if isMark(mark) =>
            Alias(If(gone, Literal.create(null, BooleanType), Literal.TrueLiteral), mark.name)(mark.exprId)
          case column => column
        },
        handedUp(child, Seq(gone)))
    case Filter(condition, child) => Filter(condition, unmarked(child, gone))
    case other => other
  }

  private def placeNames(operation: RowLevelWrite): Seq[String] =
    (operation.rowId() ++ operation.requiredMetadataAttributes()).map(_.fieldNames().last).toSeq

  private def rule(target: WriteTarget): MergeRule = MergeRule.of(target.config)

  private def probeOf(plan: LogicalPlan): Option[IndexProbe] =
    plan.collectFirst { case p: IndexProbe if p.output.exists(_.name == RowPlace.Gone) => p }

  /** Of the new rows of one key some may be put back and others not. */
  def mayPart(changes: LogicalPlan, operation: RowLevelWrite): Boolean =
    rule(operation.target).compares && probeOf(changes).isDefined

  /** The statement with the places of rows that are gone in the new rows of their keys. */
  def placed(query: LogicalPlan, operation: RowLevelWrite): LogicalPlan = query.transformDown {
    case rows: MergeRows => probeOf(rows.child).fold(rows) { probe =>
        val inserts = rows.notMatchedInstructions.map(clause =>
          insert(clause).fold(clause)(values => placed(rows, clause, values, probe, operation)))
        PlanNodes.withInserts(rows, inserts).withNewChildren(Seq(kept(rows.child, probe, operation)))
          .asInstanceOf[MergeRows]
      }
  }

  /** The values of a clause that inserts rows. */
  private def insert(clause: MergeRows.Instruction): Option[Seq[Expression]] = clause.outputs match {
    case Seq(values) if values.exists(isInsert) => Some(values)
    case _ => None
  }

  private def isInsert(value: Expression): Boolean = value match {
    case Literal(kind: Int, _) => kind == RowDeltaUtils.INSERT_OPERATION
    case _ => false
  }

  private def kept(plan: LogicalPlan, probe: IndexProbe, operation: RowLevelWrite): LogicalPlan =
    handedUp(plan, stored(probe, placeNames(operation) ++ rule(operation.target).fields))

  private def stored(probe: IndexProbe, names: Seq[String]): Seq[Attribute] =
    names.distinct.flatMap(name => probe.output.find(_.name == name)).map(_.withNullability(true))

  private def placed(rows: MergeRows, clause: MergeRows.Instruction, values: Seq[Expression], probe: IndexProbe,
      operation: RowLevelWrite): MergeRows.Instruction = {
    val places = stored(probe, placeNames(operation)).map(a => a.name -> told(a)).toMap
    val byName = rows.output.map(_.name).zip(values)
    def value(name: String): Option[Expression] =
      byName.collectFirst { case (column, value) if SQLConf.get.resolver(column, name) => value }
    fits(value, probe, operation).fold(clause) { isPlace =>
      val back = byName.map { case (name, value) =>
        places.get(name).fold(value)(place => If(isPlace, place, Literal.create(null, place.dataType)))
      }
      if (clause.children != clause.condition +: values)
        throw new IllegalStateException(s"a clause of MERGE of another form: $clause")
      clause.withNewChildren(clause.condition +: back).asInstanceOf[MergeRows.Instruction]
    }
  }

  /** A place as the writer is told it: by the position it sees that the row is put back. */
  private[merge] def told(place: Attribute): Expression =
    if (place.name != RowPlace.Position) place
    else new Subtract(Literal(RowPosition.PutBack), Coalesce(Seq(place, Literal(RowPosition.Unknown))))

  /** A new row is of the key that is gone, in its partition, and would be seen there: it has to win over the row of
    * the base file, and over the delete if that has ordering values. Of several new rows of the key only the newest is
    * left by then (`NewestOfKey`). `None` where that cannot be asked beforehand.
    */
  private def fits(value: String => Option[Expression], probe: IndexProbe, operation: RowLevelWrite)
      : Option[Expression] = {
    val (target, merges) = (operation.target, rule(operation.target))
    def old(name: String): Option[Attribute] = stored(probe, Seq(name)).headOption
    val (newer, older) = (merges.fields.map(value), merges.fields.map(old))
    for {
      key <- target.keys.recordKey(value)
      partition <- target.keys.partitionPath(value, toWrite = true)
      file <- old(RowPlace.FileId)
      oldKey <- old(MetaFields.RecordKey)
      oldPartition <- old(MetaFields.PartitionPath)
      if (newer ++ older).forall(_.isDefined)
      wins = if (merges.compares) newer.flatten.map(IsNotNull(_)) :+ WinsOver(newer.flatten, older.flatten, merges)
      else Nil
      if (Seq(key, partition) ++ wins).forall(_.deterministic)
    } yield (Seq(EqualNullSafe(oldKey, key), EqualNullSafe(oldPartition, partition)) ++ wins)
      .foldLeft(IsNotNull(file): Expression)(And(_, _))
  }

  /** The changes of a statement, in which a new row that has a place is an update of what is there. */
  def asUpdates(changes: LogicalPlan, statement: LogicalPlan): LogicalPlan =
    if (probeOf(statement).isEmpty) changes
    else {
      val file = changes.output.find(_.name == RowPlace.FileId)
      Project(
        changes.output.map {
          case kind if kind.name == RowDeltaUtils.OPERATION_COLUMN && file.isDefined =>
            val isBack = And(EqualTo(kind, Literal(RowDeltaUtils.INSERT_OPERATION)), IsNotNull(file.get))
            Alias(If(isBack, Literal(RowDeltaUtils.UPDATE_OPERATION), kind), kind.name)()
          case column => column
        },
        changes)
    }
}

/** The lookup of rows that a statement moves onto keys that are gone.
  *
  * @param gone
  *   column that tells a row that is gone
  * @param orderings
  *   further columns of the table that the lookup reads
  * @param wins
  *   the row would be seen where its key was
  */
private[plan] final case class MovedBack(gone: Attribute, orderings: Seq[Attribute], wins: Expression) {

  /** Columns that the lookup gives beside the places. */
  def columns: Seq[Attribute] = orderings :+ gone

  /** The places with the marks by which a writer puts rows back, and without those that are of no use. */
  def placed(found: Seq[Attribute]): Seq[NamedExpression] = found.map {
    case file if file.name == RowPlace.FileId =>
      Alias(If(And(isGone, Not(wins)), Literal.create(null, file.dataType), file), file.name)()
    case place if place.name == RowPlace.Position => Alias(If(isGone, PutBackRows.told(place), place), place.name)()
    case other => other
  }

  // No row was found where it is null.
  private def isGone: Expression = EqualNullSafe(gone.withNullability(true), Literal.TrueLiteral)
}
