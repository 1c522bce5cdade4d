package io.hudilite.metadata

import io.hudilite.config.TableProperties
import io.hudilite.filegroup.FileNames
import io.hudilite.metadata.GoldenSteps.Step
import io.hudilite.metadata.MetadataAction._
import io.hudilite.metadata.MetadataPayload._
import io.hudilite.metadata.known.{FactsOfFiles, KnownState}
import io.hudilite.metadata.stored.MetadataTable
import io.hudilite.storage.{HadoopStorage, Storage}
import io.hudilite.table.Table
import io.hudilite.timeline.{Action, CommitMetadata, Instant, Timeline, TimelineStore}

import munit.FunSuite
import org.apache.hadoop.conf.Configuration

/** For each kind of action, the records are those that Apache Hudi wrote for the same action on the same table. */
class MetadataRecordsSuite extends FunSuite {

  for (name <- GoldenActions.names) test(s"$name: each action makes the records that Apache Hudi wrote") {
    val golden = new GoldenTable(name)
    val compared = GoldenActions.steps(name).flatMap(golden.compared)
    val different = compared.flatMap(c => golden.differences(c))
    assert(different.isEmpty, s"${different.size}:\n${different.take(12).mkString("\n")}")
    // Not only nothing was compared.
    assertEquals(compared.map(_.what).toSet -- Kinds(name.takeWhile(_ != '-')), Set.empty[String])
    assertEquals(Kinds(name.takeWhile(_ != '-')) -- compared.map(_.what), Set.empty[String])
    // From version 8 on nothing of a write that was rolled back is left, and no record is needed.
    assertEquals(compared.filter(_.ours.records.isEmpty).map(_.what).toSet,
      if (name.endsWith("6") || name.startsWith("plain")) Set.empty[String] else Set("rollback"))
    assertEquals(compared.flatMap(_.ours.emptied).map(_.name).toSet, golden.dropped)
    assert(compared.map(_.theirs.values.map(_.size).sum).sum > (if (name.startsWith("plain")) 50 else 200))
  }

  private lazy val Kinds = Map(
    "cow" ->
      Set("EVERYTHING", "INSERT", "UPSERT", "DELETE", "clean", "rollback", "restore", "INSERT_OVERWRITE", "CLUSTER",
        "INSERT_OVERWRITE_TABLE", "DELETE_PARTITION"),
    "mor" -> Set("EVERYTHING", "UPSERT", "DELETE", "LOG_COMPACT", "COMPACT", "clean", "rollback"),
    "plain" -> Set("EVERYTHING", "INSERT", "UPSERT", "clean"))

  private final class GoldenTable(name: String, source: GoldenSteps = GoldenActions) {

    private val base = s"/$name/table"
    private val disk = source.onDisk(source.steps(name).flatMap(_.after)
        .filterNot(_._1.startsWith(".hoodie/")).toMap)
    private val local: Storage = new HadoopStorage(new Configuration())

    private def isNew(step: Step)(path: String): Boolean = step.before.get(path) != step.after.get(path)

    /** Each write of the metadata table in a step, beside what the function makes; and actions that it has no write of. */
    def compared(step: Step): Seq[Compared] = {
      val (before, after) = (source.inMemory(base, step.before), source.inMemory(base, step.after))
      val changed = step.after.keys.filter(isNew(step)).filter(_.startsWith(".hoodie/metadata/")).toSeq
      val written = new WrittenRecords(after, base)
      val own = added(before, after, s"$base/.hoodie/metadata").filter(_.action == Action.DeltaCommit)
      val ofData = added(before, after, base)
        .filter(i => Action.Writes(i.action) || i.action == Action.Clean || i.action == Action.Rollback)
      val without = if (own.isEmpty && !after.exists(s"$base/.hoodie/metadata")) Nil
      else ofData.filterNot(i => own.exists(_.time == i.time))
      own.map(i => compared(step, i, written.of(i.time, changed), after)) ++
        without.map(i => compared(step, i, Map.empty, after))
    }

    private def added(before: Storage, after: Storage, folder: String): Seq[Instant] = {
      val known = timeline(before, folder).completed.map(i => i.time -> i.action).toSet
      timeline(after, folder).completed.filterNot(i => known(i.time -> i.action))
    }

    private def timeline(storage: Storage, folder: String): Timeline =
      TableProperties.find(storage, folder).fold(Timeline(Nil))(new TimelineStore(storage, folder, _).load())

    private def compared(step: Step, own: Instant, theirs: Map[String, Map[String, Option[MetadataPayload]]],
        after: Storage): Compared = {
      val now = Table.open(after, base)
      // An index is made at the instant of an action of its own.
      val data = now.timeline.completed.filter(i => i.time == own.time && i.action != "indexing").lastOption
      // A restore brings the metadata table up to date at an instant of its own.
      val restore = now.timeline.completed.filter(_.action == Action.Restore).lastOption
      val isInitial = data.isEmpty &&
        new TimelineStore(after, s"$base/.hoodie/metadata", now.config).readCommit(own).operation ==
        "BULK_INSERT_PREPPED"
      val state = if (data.isEmpty && !isInitial) Table.open(after, base)
      else Table.open(stateAt(step, own, isInitial, now), base)
      val metadata = new MetadataTable(state.store, state.timeline)
      val known = new KnownState(state, metadata)
      val expressions = step.after.keys.flatMap(_.split('/').lift(2)).toSet[String]
        .filter(_.startsWith(MetadataPartition.ExpressionPrefix)).toSeq.sorted
        .flatMap(name =>
          ExpressionIndex.of(name, new MetadataTable(now.store, now.timeline).definitions.get(name)).toOption)
      val (shape, action, kind) =
        if (isInitial) {
          val partition = MetadataPartition.of(step.after.keys.filter(isNew(step)).filter(_.contains(s"_${own.time}."))
              .map(_.split('/')).collectFirst { case Array(".hoodie", "metadata", of, _) => of }
              .getOrElse(fail(s"nothing of ${own.time}"))).get
          val shape = known.shape.copy(partitions = Set(partition),
            expressions = expressions.filter(_.partition == partition))
          (shape, everything(state, shape), "EVERYTHING")
        } else {
          val instant = data.orElse(restore).getOrElse(fail(s"an action of ${own.time}"))
          // A restore takes partitions out of the properties.
          val shape =
            known.shape.copy(partitions = known.shape.partitions ++ dropped(step).flatMap(MetadataPartition.of) ++
                expressions.map(_.partition), expressions = expressions)
          val action = actionOf(instant, now, shape)
          (shape, action, kindOf(action, instant))
        }
      val groups = MetadataPartition.Files -> 1 :: MetadataPartition.PartitionStats -> 1 ::
        MetadataPartition.ColumnStats -> 2 ::
        MetadataPartition.BloomFilters -> 2 :: expressions.map(_.partition -> 2).toList
      Compared(step.name, kind, action, MetadataRecords.of(action, known.before(action, shape)), theirs, groups.toMap)
    }

    private def kindOf(action: MetadataAction, instant: Instant): String = action match {
      case Written(_, commit, _, _) =>
        if (instant.action == Action.Commit && commit.compacted) "COMPACT" else commit.operation
      case _ => instant.action
    }

    /** The table as it was when the metadata table was written: what later instants of the step brought is left out. */
    private def stateAt(step: Step, own: Instant, isInitial: Boolean, now: Table): Storage = {
      val first = timeline(source.inMemory(base, step.before), base).completed.map(_.time).toSet
      val later = now.timeline.completed.map(_.time).filterNot(first).filter(isInitial || _ >= own.time)
      val left = (step.before ++ step.after).filterNot { case (path, _) =>
        isNew(step)(path) &&
        ((isInitial && !path.startsWith(".hoodie/")) ||
          later.exists(t => path.substring(path.lastIndexOf('/') + 1).contains(t)))
      }
      source.inMemory(base, left)
    }

    /** Partitions that were taken out of the table's properties. */
    def dropped: Set[String] = source.steps(name).flatMap(dropped).toSet

    private def dropped(step: Step): Set[String] = {
      def listed(
          files: Map[String, java.nio.file.Path]) = TableProperties.find(source.inMemory(base, files), base)
        .fold(Set.empty[String])(_.metadataPartitions.toSet)
      listed(step.before) -- listed(step.after)
    }

    private def facts(shape: MetadataShape) = new FactsOfFiles(local, shape.columns, blooms = true, shape.expressions)

    private def everything(state: Table, shape: MetadataShape): MetadataAction = {
      val of = facts(shape)
      val there = state.allSlices().keys.map(p =>
        p -> state.listing(Seq(p)).values.flatten.filterNot(f =>
          f.isDirectory || FileNames.isPartitionMetadata(f.name)).map { f =>
          val path = if (p.isEmpty) f.name else s"$p/${f.name}"
          f.name -> of.of(s"$disk/$path", f.length)
        }.toMap).toMap
      Everything(state.timeline.completed.map(_.time).sorted.lastOption.getOrElse(""), there)
    }

    private def actionOf(instant: Instant, now: Table, shape: MetadataShape): MetadataAction = instant.action match {
      case Action.Clean => Cleaned(instant.time, now.store.readClean(instant))
      case Action.Rollback =>
        RolledBack(instant.time, now.store.readRollback(instant), now.store.readRollbackPlan(instant).get)
      case Action.Restore =>
        Restored(instant.time,
          everything(now, shape.copy(columns = Nil)) match {
            case Everything(_, there, _) => there
            case other => fail(s"$other")
          })
      case _ =>
        val (of, commit) = (facts(shape), now.store.readCommit(instant))
        Written(instant.time, commit,
          commit.allStats.filter(_.path.nonEmpty).map(s =>
            s.path -> of.of(s"$disk/${s.path}", s.fileSizeInBytes)).toMap)
    }

    def differences(c: Compared): Seq[String] = {
      val ours = c.ours.dealt(c.groups).map(g => g.fileId -> g.records.map(r => r.key -> r.payload).toMap).toMap
      for {
        group <- (ours.keySet ++ c.theirs.keySet).toSeq.sorted
        (mine, their) = (ours.getOrElse(group, Map.empty), c.theirs.getOrElse(group, Map.empty))
        key <- (mine.keySet ++ their.keySet).toSeq.sorted
        if !isKnown(c, mine.get(key), their.get(key))
        if !isSame(mine.get(key), their.get(key))
      } yield s"${c.step} ${c.what} $group $key\n  ours   ${mine.get(key)}\n  theirs ${their.get(key)}"
    }

    private def isSame(ours: Option[MetadataPayload], theirs: Option[Option[MetadataPayload]]): Boolean =
      (ours, theirs) match {
        case (Some(o), Some(Some(t))) => plain(o) == plain(t)
        // Apache Hudi writes some tombstones as deletes.
        case (Some(Names(entries, false)), Some(None)) => entries.values.forall(_.isDeleted)
        case (Some(o), Some(None)) => RecordMerge.live(o).isEmpty
        case _ => false
      }

    // Of a column of nulls alone, Apache Hudi takes zeros for bounds.
    private def plain(payload: MetadataPayload): MetadataPayload = payload match {
      case Statistics(of, ofPartition) if of.values == of.nulls =>
        Statistics(of.copy(min = None, max = None), ofPartition)
      case other => other
    }

    /** Differences by intention. */
    private def isKnown(c: Compared, ours: Option[MetadataPayload], theirs: Option[Option[MetadataPayload]]): Boolean =
      (c.action, ours, theirs) match {
        // It counts the files that are replaced, so that bounds are looser than they need be.
        case (Written(_, commit, _, _), Some(Statistics(o, true)), Some(Some(Statistics(t, true))))
            if commit.replaced.nonEmpty =>
          o.isDeleted ||
          ((o.values < t.values || o.nulls < t.nulls) &&
            RecordMerge.together(o, t).exists(b => b.min == t.min && b.max == t.max))
        // Of indexes of expressions Apache Hudi deletes keys of other columns, which they do not have.
        case (_: Cleaned, None, Some(None)) => true
        // Some file does not have the column, of which it says nothing.
        case (_, Some(Statistics(o, true)), Some(Some(Statistics(t, true)))) => o.isDeleted && t.column == "extra"
        case _ => false
      }
  }

  for (name <- GoldenExpressions.names)
    test(s"$name: each action makes the values of expressions that Apache Hudi wrote") {
      val golden = new GoldenTable(name, GoldenExpressions)
      val compared = GoldenExpressions.steps(name).flatMap(golden.compared)
      val different = compared.flatMap(c => golden.differences(c))
      assert(different.isEmpty, s"${different.size}:\n${different.take(40).mkString("\n")}")
      val of = compared.flatMap(c =>
        c.theirs.collect {
          case (group, some) if group.startsWith("expr-index-") && some.nonEmpty => c.what
        })
      assert(Set("EVERYTHING", "UPSERT").subsetOf(of.toSet), of)
      assert(of.size > 8, of)
    }

  test("records are dealt to the file groups by the hash of their keys, in the order of bytes") {
    val records = Seq("k\uFFFD", "k\uD83D\uDE00", "a", "b").map(MetadataRecord(_, Pair(isDeleted = false)))
    val dealt = MetadataChanges(Map(MetadataPartition.ColumnStats -> records)).dealt(_ => 1)
    assertEquals(dealt.map(g => (g.fileId, g.records.map(_.key))),
      Seq("col-stats-0000-0" -> Seq("a", "b", "k\uFFFD", "k\uD83D\uDE00")))
  }

  test("a write whose files are not known of is no write to make records of") {
    val stat =
      io.hudilite.timeline.WriteStat("f", "p/f_1-0-1_20260101000000000.parquet", "null", "p", fileSizeInBytes = 9)
    val write = Written("20260101000000000", CommitMetadata("INSERT", Map("p" -> Seq(stat)), Map.empty))
    val shape = MetadataShape(Set(MetadataPartition.ColumnStats), 9, Seq("id"))
    intercept[IllegalArgumentException](MetadataRecords.of(write, MetadataState(shape)))
  }
}

/** A write of a metadata table, beside the records that are made of the same action.
  *
  * @param what
  *   operation, or action
  */
private final case class Compared(step: String, what: String, action: MetadataAction, ours: MetadataChanges,
    theirs: Map[String, Map[String, Option[MetadataPayload]]], groups: Map[MetadataPartition, Int])
