package io.hudilite.spark.plan.merge

import io.hudilite.record.{MetaFields, RowPlace}
import io.hudilite.spark.lookup.{KeyPlaces, OnlyLeaves, ProbeTarget}
import io.hudilite.spark.plan.table.{PartitionFilters, PlannedTable}
import io.hudilite.spark.row.{PartitionPath, RecordKey}
import io.hudilite.spark.shim.PlanNodes
import io.hudilite.spark.stage.{Repeatable, SharedRows, SharedRowsAgain}
import io.hudilite.spark.write.RowLevelWrite
import io.hudilite.table.{LookupShards, Table}

import org.apache.spark.sql.catalyst.expressions.{
  And,
  Attribute,
  AttributeSet,
  EqualTo,
  Expression,
  Literal,
  PlanExpression,
  PredicateHelper
}
import org.apache.spark.sql.catalyst.plans.{Inner, RightOuter}
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.connector.read.{ScanBuilder, SupportsPushDownV2Filters}
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2Relation
import org.apache.spark.sql.types.{DataType, DoubleType, FloatType, StructType}
import org.apache.spark.sql.util.CaseInsensitiveStringMap

/** Puts an index probe in the place of the target scan of a MERGE whose condition fixes the record key.
  *
  * Spark's own plan is `Join(target keys, source)` with the source preserved, which shuffles every key of the table
  * however small the source is. A condition that does not fix the key keeps that plan, which is always correct.
  */
object IndexProbeRule extends Rule[LogicalPlan] with PredicateHelper {

  override def apply(plan: LogicalPlan): LogicalPlan = plan.transformDown {
    case write: WriteDelta if RowLevelWrite.operationOf(write).isDefined =>
      val operation = RowLevelWrite.operationOf(write).get
      val filtered =
        if (namesStoredKeys(write)) PlanNodes.withoutGroupFilter(write) else withoutUnrepeatableFilter(write)
      val query = withoutIdleCheck(filtered.query)
      val probed = query.transformDown {
        case join @ Join(target, source, RightOuter | Inner, condition, _) => (for {
            relation <- targetRelation(target)
            putsBack = PutBackRows.areAskedFor(query, target, operation)
            on <- condition.orElse(PutBackRows.alone(source).filter(_ => putsBack))
            probed <- probeJoin(join, target, source, inMetaColumns(on, relation), usedAbove(query, join), relation,
              putsBack, operation.target.keyShards(PutBackRows.inserts(query)))
          } yield probed).getOrElse(join)
      }
      filtered.withNewQuery(withoutIdleSharing(placed(PutBackRows.placed(probed, operation))))
  }

  private def namesStoredKeys(write: WriteDelta): Boolean =
    write.query.exists(_.expressions.exists(_.exists(_.isInstanceOf[StoredKey])))

  /** With an answer to each question whether a row that moves leaves only. */
  private def placed(query: LogicalPlan): LogicalPlan = query.transformDown {
    case rows: MergeRows if rows.expressions.exists(_.exists(_.isInstanceOf[OnlyLeaves])) =>
      // An index that has a key once knows of no two rows of it.
      val found = rows.child.collectFirst { case p: IndexProbe => p }.filter(_.indexed.isEmpty)
      val places = for {
        probe <- found
        key <- probe.output.find(_.name == MetaFields.RecordKey)
        partition <- probe.output.find(_.name == MetaFields.PartitionPath)
      } yield KeyPlaces(key, partition, probe)
      rows.withNewChildren(Seq(places.fold(rows.child)(withPlaces(rows.child, _)))).transformExpressions {
        case OnlyLeaves(destination) => places.fold(Literal.FalseLiteral: Expression)(_.leaves(destination))
      }
  }

  private def withPlaces(plan: LogicalPlan, places: KeyPlaces): LogicalPlan = plan.transformUp {
    case probe: IndexProbe if probe eq places.child => places
    case Project(columns, child) if child.outputSet.contains(places.places) =>
      Project(columns ++ Seq(places.places, places.later), child)
  }

  /** Without Spark's filter of file groups where it would evaluate a source a second time that may come out different. */
  private def withoutUnrepeatableFilter(write: WriteDelta): WriteDelta = {
    val evaluated = PlanNodes.groupFilter(write).toSeq.flatMap(_.collect { case e: PlanExpression[_] => e.plan })
    val repeatable = evaluated.forall {
      case plan: LogicalPlan => Repeatable(plan, PlannedTable.isSnapshot)
      case _ => false
    }
    if (repeatable) write else PlanNodes.withoutGroupFilter(write)
  }

  /** A MERGE that only inserts does not mind several rows of the source for one of the table, and an upsert that leaves one
    * row of each key has none.
    */
  private def withoutIdleCheck(query: LogicalPlan): LogicalPlan = query.transformDown {
    case rows: MergeRows
        if rows.checkCardinality &&
          (MergeStatements.onlyInserts(rows.matchedInstructions) || rows.children.exists(matchesOnce)) =>
      PlanNodes.unchecked(rows).withNewChildren(rows.children.map(freelyJoined))
  }

  /** A row of the table is joined with one row of the source at most: the condition fixes all by which the source
    * has each row but once.
    */
  private def matchesOnce(plan: LogicalPlan): Boolean = plan match {
    case Join(_, source, RightOuter | Inner, Some(condition), _) =>
      val equal = splitConjunctivePredicates(condition).collect { case EqualTo(l, r) => Seq(l, r) }.flatten
      uniqueBy(source).exists(_.forall(key => equal.exists(_.semanticEquals(key))))
    case Project(list, child) => list.forall(_.deterministic) && matchesOnce(child)
    case _ => false
  }

  private def freelyJoined(plan: LogicalPlan): LogicalPlan = plan match {
    case join: Join => join.copy(hint = JoinHint.NONE)
    case Project(_, child) => plan.withNewChildren(Seq(freelyJoined(child)))
    case other => other
  }

  /** Without exchanges for a lookup that there is none of. */
  private def withoutIdleSharing(query: LogicalPlan): LogicalPlan = query.transformDown {
    case rows: SharedRows if rows.keys.isEmpty => rows.child
  }

  /** The condition with the record key and partition path of the target as they are stored, not made anew. */
  private def inMetaColumns(condition: Expression, relation: DataSourceV2Relation): Expression = {
    def stored(name: String): Option[Attribute] = relation.output.find(_.name == name)
    def ofTarget(e: Expression): Boolean = e.references.subsetOf(relation.outputSet)
    condition.transform {
      case key: StoredKey if ofTarget(key) => stored(MetaFields.RecordKey).getOrElse(key)
      case key: RecordKey if ofTarget(key) => stored(MetaFields.RecordKey).getOrElse(key)
      case path: PartitionPath if ofTarget(path) && path.children.nonEmpty =>
        stored(MetaFields.PartitionPath).getOrElse(path)
    }
  }

  /** Attributes that the nodes above the join use. */
  private def usedAbove(plan: LogicalPlan, join: Join): AttributeSet =
    if (plan eq join) AttributeSet.empty
    else plan.references ++ AttributeSet.fromAttributeSets(plan.children.map(usedAbove(_, join)))

  /** The relation of a target side that is only projected and filtered. */
  private def targetRelation(plan: LogicalPlan): Option[DataSourceV2Relation] = plan match {
    case r: DataSourceV2Relation if RowLevelWrite.operationOf(r).exists(_.target.config.populateMetaFields) => Some(r)
    case Project(_, child) => targetRelation(child)
    case Filter(_, child) => targetRelation(child)
    case _ => None
  }

  private def probeJoin(join: Join, target: LogicalPlan, source: LogicalPlan, condition: Expression,
      above: AttributeSet,
      relation: DataSourceV2Relation, putsBack: Boolean, keyShards: => Option[LookupShards]): Option[LogicalPlan] = {
    val alone = if (putsBack && source.maxRows.exists(_ <= 1)) PutBackRows.conditions(target) else Nil
    val fixed = fixedColumns((condition +: alone).reduce(And(_, _)), relation, source)
    for {
      operation <- RowLevelWrite.operationOf(relation)
      table <- operation.target.existing
      probed = probeTarget(table, relation, operation, PartitionFilters.of(target, operation.target))
      key <- keyOf(fixed, probed)
      // A lookup reads what files hold of a row, not what is known of the files.
      if !(above ++ condition.references).exists(a => a.name == RowPlace.FileFacts && relation.outputSet.contains(a))
    } yield {
      // To prove an index whole takes work that a join which is not probed has no use for.
      val shards = keyShards
      val partition = partitionOf(fixed, probed)
      val keyed = materialised(source, key +: partition.toSeq, shards.flatMap(_ => partition))
      val shared = keyed.collectFirst { case s: SharedRows if s.again => s }.get
      val own = narrowed(target, above ++ condition.references)
      val index = indexOf(partition, shards)
      // A row that an index of base files finds is there for its statement, deleted or not, and a record index finds none
      // that is gone.
      val paths = index.fold(new ToldByPlaces(relation, table))(_ =>
        new ToldColumns(relation, table, operation, probed).of(neededColumns(own, relation)))
      val asksGone = putsBack && index.isEmpty && !probed.byKeyWith(paths.read(neededColumns(own, relation)))
      val gone = if (asksGone) Some(PutBackRows.gone()) else None
      val narrow = gone.fold(own)(_ => PutBackRows.widened(own, relation, operation))
      val needed = neededColumns(narrow, relation) ++ gone
      val probe = probeOf(key, partition, shared, paths.read(needed), probed, shards)
      val left = narrow.transform { case r: DataSourceV2Relation if r eq relation => paths.shown(needed, probe) }
      join.copy(
        left = gone.fold(left)(PutBackRows.unmarked(left, _)),
        right = keyed,
        condition = Some(condition),
        hint = if (matchesOnce(join.copy(right = source, condition = Some(condition)))) JoinHint.NONE else join.hint)
    }
  }

  /** A lookup of the keys of shared rows: in the record index of the table, where that can answer. */
  private def probeOf(key: Expression, partition: Option[Expression], rows: SharedRows, output: Seq[Attribute],
      target: ProbeTarget, shards: Option[LookupShards]): IndexProbe =
    indexed(IndexProbe(key, partition, rows.shared, output, target, SharedRowsAgain.of(rows)), shards)

  private def indexOf(partition: Option[Expression], shards: Option[LookupShards]): Option[LookupShards] =
    shards.filter(shards => !shards.byPartition || partition.isDefined)

  /** The lookup by the record index of the table. One that has keys by partition does not tell where else a key is. */
  private[plan] def indexed(probe: IndexProbe, shards: Option[LookupShards]): IndexProbe =
    indexOf(probe.partition, shards).fold(probe)(shards =>
      probe.copy(child =
        IndexedKeys(probe.key, probe.partition, probe.output, shards, probe.shared, probe.target, probe.child)))

  /** @param filters
    *   of the rows that are looked up
    */
  private[plan] def probeTarget(table: Table, relation: DataSourceV2Relation, operation: RowLevelWrite,
      filters: PartitionFilters): ProbeTarget =
    new ProbeTarget(table, relation, () => filtered(operation.scan(CaseInsensitiveStringMap.empty()), filters),
      operation.target.keys, operation.target.index.asksBlooms, operation.target.conf.index.prunesByRanges,
      operation.target.conf.index.asksMetadata, operation.byKey, filters.selection)

  // They stay above the lookup, too.
  private def filtered(builder: ScanBuilder, filters: PartitionFilters): ScanBuilder = {
    builder match {
      case takes: SupportsPushDownV2Filters if filters.predicates.nonEmpty =>
        takes.pushPredicates(filters.predicates.toArray)
      case _ =>
    }
    builder
  }

  /** The target side without columns that only the condition in its old form needed. */
  private def narrowed(target: LogicalPlan, needed: AttributeSet): LogicalPlan = target match {
    case Project(list, child) => Project(list.filter(e => needed.contains(e.toAttribute)), child)
    case other => other
  }

  /** Column name of the relation -> expression over the source that the condition sets it equal to. */
  private def fixedColumns(condition: Expression, relation: DataSourceV2Relation,
      source: LogicalPlan): Map[String, Expression] = {
    val byId = relation.output.map(a => a.exprId -> a.name).toMap
    def pair(attribute: Expression, value: Expression): Option[(String, Expression)] = attribute match {
      case a: Attribute
          if byId.contains(a.exprId) && value.references.subsetOf(source.outputSet) && value.deterministic =>
        Some(byId(a.exprId) -> value)
      case _ => None
    }
    splitConjunctivePredicates(condition).collect { case EqualTo(l, r) => pair(l, r).orElse(pair(r, l)) }.flatten.toMap
  }

  private def keyOf(fixed: Map[String, Expression], target: ProbeTarget): Option[Expression] =
    fixed.get(MetaFields.RecordKey).orElse(target.keys.keyToFind(spelled(fixed)))

  private def partitionOf(fixed: Map[String, Expression], target: ProbeTarget): Option[Expression] =
    fixed.get(MetaFields.PartitionPath).orElse(
      if (target.keys.partitionFields.isEmpty) None else target.keys.partitionPath(spelled(fixed)))

  // `0.0` and `-0.0` are one number to a join and two keys in a table.
  private def spelled(fixed: Map[String, Expression]): String => Option[Expression] = name =>
    fixed.get(name).filterNot(value => holdsFractions(value.dataType))

  private[plan] def holdsFractions(dataType: DataType): Boolean = dataType match {
    case FloatType | DoubleType => true
    case struct: StructType => struct.fields.exists(f => holdsFractions(f.dataType))
    case _ => false
  }

  /** The source with an exchange of which the lookup, too, reads the rows: the one that it has, or one at its end.
    *
    * @param partition
    *   by which they are to be counted
    */
  private def materialised(source: LogicalPlan, keys: Seq[Expression], partition: Option[Expression]): LogicalPlan = {
    def counted(rows: SharedRows): SharedRows = rows.copy(countedBy = rows.countedBy.orElse(
      partition.collect {
        case column: Attribute if !column.nullable && rows.child.outputSet.contains(column) => column
      }))
    def shared(plan: LogicalPlan): Option[LogicalPlan] = plan match {
      case rows: SharedRows if keys.forall(_.references.subsetOf(rows.outputSet)) =>
        Some(counted(rows.copy(keys = if (rows.keys.isEmpty) keys else rows.keys, again = true)))
      case Project(list, child) if list.forall(_.deterministic) => shared(child).map(c => plan.withNewChildren(Seq(c)))
      case Filter(condition, child) if condition.deterministic => shared(child).map(c => plan.withNewChildren(Seq(c)))
      case LatestByKey(_, _, child, _, _, _, _, _, _) => shared(child).map(c => plan.withNewChildren(Seq(c)))
      case _ => None
    }
    shared(source).getOrElse(counted(SharedRows(keys, source, again = true)))
  }

  /** Expressions that no two rows have alike, where such are known. */
  private def uniqueBy(plan: LogicalPlan): Option[Seq[Expression]] = plan match {
    case latest: LatestByKey => Some(latest.keys)
    case Project(list, child) if list.forall(_.deterministic) => uniqueBy(child)
    case Filter(_, child) => uniqueBy(child)
    case _ => None
  }

  private def neededColumns(target: LogicalPlan, relation: DataSourceV2Relation): Seq[Attribute] = {
    val used = target.collect {
      case p: Project => AttributeSet(p.projectList.flatMap(_.references)); case f: Filter => f.references
    }
    val needed = if (target eq relation) relation.outputSet else used.reduce(_ ++ _)
    relation.output.filter(needed.contains)
  }
}
