package io.hudilite.service.doctor

import io.hudilite.error.Listed
import io.hudilite.timeline.{Action, DamagedInstant, Instant, State, TimelineHealth}
import io.hudilite.transaction.rollback.PendingWrites.{Alive, Dead, Judgement, Unknown}

/** Findings on a timeline: pure. */
private[doctor] object TimelineFindings {

  import FindingKind._

  // Actions with an equal plan when they are planned anew.
  private val Replaceable = Set(Action.Clean, Action.Rollback)

  def of(facts: Facts): Seq[Finding] =
    facts.damaged.filterNot(d => isUnacknowledged(facts, d) || isToldBy(facts.damaged, d)).map(damaged(facts, _)) ++
      facts.writers.flatMap { case (instant, writer) => pending(facts, instant, writer) } ++
      facts.stalled.flatMap(stalled(facts, _)) ++ facts.timeline.late.map(late) ++ traces(facts) ++
      facts.locks.map(lock)

  private def late(write: Instant): Finding = Finding(LateCommit, write.time,
    s"The ${write.action} ${write.time} completed after it had been rolled back: its writer was taken for dead. It does " +
      "not count, but Apache Hudi's readers see it.",
    "Removes it, and the files that it names.", Some(Mend.TakeBackLate(write)))

  // True when the finding on the writer covers this one: the write was not acknowledged as completed.
  private def isUnacknowledged(facts: Facts, found: DamagedInstant): Boolean =
    found.instant.isCompleted && facts.timeline.pendingWrites.exists(_.time == found.instant.time)

  // True when the action has another finding: an action with two damaged files gets one.
  private def isToldBy(all: Seq[DamagedInstant], found: DamagedInstant): Boolean = found.instant.isPending &&
    all.exists(d =>
      d.instant.isCompleted && d.instant.time == found.instant.time &&
        d.instant.action == found.instant.action)

  private def damaged(facts: Facts, found: DamagedInstant): Finding = {
    val instant = found.instant
    // A damaged plan of a cleaning or rollback may go, since it is planned anew. A damaged plan of a compaction may go
    // only when it is empty, since writers that have seen it whole may have laid out files by it.
    val isPlan = (found.isEmpty || Replaceable(instant.action)) && instant.state == State.Requested &&
      TimelineHealth.Planned(instant.action)
    // An action that has begun may have files, which only the plan would name.
    val isUnbegun = facts.timeline.pending.exists(i =>
      i.time == instant.time && i.action == instant.action && i.state == State.Requested)
    if (isPlan && isUnbegun && instant.action != Action.Restore)
      Finding(BrokenInstant, instant.time,
        if (found.isEmpty) s"The plan ${found.file.name} is empty: whoever was to write it died."
        else s"The plan ${found.file.name} cannot be read: ${found.reason}.",
        "Removes the plan; nobody can have begun with it.", Some(Mend.DropFromTimeline(instant)))
    else if (instant.action == Action.Rollback && instant.isPending)
      RollbackFindings.blind(facts, instant, BrokenInstant,
        if (found.isEmpty) s"The plan ${found.file.name} of a rollback that was begun is empty"
        else s"The plan ${found.file.name} of a rollback that was begun cannot be read: ${found.reason}")
    else unreadable(found)
  }

  private def unreadable(found: DamagedInstant): Finding = {
    val instant = found.instant
    val isDone = instant.isCompleted && (instant.action == Action.Rollback || instant.action == Action.Restore)
    Finding(BrokenInstant, instant.time,
      s"The file ${found.file.name} of the timeline cannot be read: ${found.reason}.",
      instant.action match {
        case Action.Savepoint =>
          "Bring the file back from a copy of the table, or give the state free with delete_savepoint: until then " +
            "nothing is cleaned, for it cannot be told what is to stay."
        case Action.Clean =>
          "Runs its plan again, which deletes what is left of its files; where the plan is gone, too, " +
            "it is completed as one of which nobody knows what it deleted, and the next one looks at all partitions."
        case _ if isDone => "What it took back is gone, and hudilite needs the file no more: it goes with archiving."
        case _ =>
          "Bring the file back from a copy of the table, from a version that the store keeps, or go back to a state from " +
            "before it. Nothing of a write that may be committed is deleted."
      }, if (instant.action == Action.Clean) Some(Mend.EndCleaning(instant.time)) else None)
  }

  private def pending(facts: Facts, instant: Instant, writer: Judgement): Option[Finding] = {
    val isClustering = facts.clusterings(instant.time)
    val what = if (isClustering) "clustering" else instant.action
    val begun = if (instant.state == State.Requested) "announced" else "under way"
    writer match {
      case Alive(_) => None
      case _ if isRestored(facts, instant) => Some(restored(instant))
      case Dead(reason, isOwned) =>
        Some(Finding(DeadWriter, instant.time,
            s"The $what ${instant.time} is $begun since then and nobody works on it: $reason.",
            if (isClustering || instant.action == Action.Compaction)
              "Removes what it has written; its plan stays, to be run again."
            else "Rolls it back.", Some(if (isOwned) Mend.Recovery else Mend.RollBack(instant))))
      case Unknown(reason) =>
        Some(Finding(UnknownWriter, instant.time,
            s"The $what ${instant.time} of another program is $begun since then: $reason." +
              (if (isClustering) " Until it has ended updates of its file groups are refused." else ""),
            if (isClustering)
              "When no program works on it any more, let Apache Hudi run it again, which begins anew, or " +
                "mend with the option hoodie.clean.failed.writes.policy=EAGER: that removes what it has written, and its " +
                "plan stays, to be run by cluster() or taken back by rollback() with its instant."
            else "When no program works on the table any more, mend with the option " +
              "hoodie.clean.failed.writes.policy=EAGER, or let Apache Hudi's next write roll it back."))
    }
  }

  private def isRestored(facts: Facts, instant: Instant): Boolean =
    instant.comparableAction == Action.ReplaceCommit && facts.restored(instant.time)

  private def restored(instant: Instant): Finding = Finding(RestoredClustering, instant.time,
    s"The clustering ${instant.time} was completed, and a restore took it back and left it pending. Until it is gone " +
      "updates of its file groups are refused.",
    "Removes what is left of it from the timeline; the restore has brought the rows back to where they were.",
    Some(Mend.DropClustering(instant)))

  private def stalled(facts: Facts, instant: Instant): Option[Finding] = {
    def found(what: String, advice: String, mend: Option[Mend]): Some[Finding] =
      Some(Finding(UnfinishedAction, instant.time, s"The ${instant.action} ${instant.time} $what", advice, mend))
    instant.action match {
      case _ if facts.damaged.exists(d => d.instant.time == instant.time && d.instant.action == instant.action) => None
      case Action.Clean =>
        found("was begun or planned and not ended; old files stay until it is.", "Runs it.",
          Some(Mend.EndCleaning(instant.time)))
      case Action.Rollback => Some(RollbackFindings.stalled(facts, instant))
      case Action.Savepoint => found("was begun and has saved nothing.", "Removes it.",
          Some(Mend.DropFromTimeline(instant)))
      case Action.Restore => found("was begun and not ended: until it is, nobody can commit.",
          "End it by the program that began it: restore to the same instant again.", None)
      case Action.Indexing => found("of Apache Hudi was begun and not ended.",
          "It does not hinder writers. End or drop it with Apache Hudi.", None)
      case _ => None
    }
  }

  // Traces of a late write go with the write.
  private def traces(facts: Facts): Seq[Finding] = facts.traces.toSeq.filterNot { case (instant, _) =>
    facts.timeline.isLate(instant)
  }.sortBy(_._1).map { case (instant, files) =>
    val names = files.map(f => f.path.substring(f.path.indexOf("/.hoodie/") + 1)).sorted.mkString(", ")
    val isKnown = facts.timeline.contains(instant) || facts.timeline.beforeStart(instant)
    val ended = if (isKnown) "has ended" else "is not in the timeline"
    val what = s"The write $instant $ended and has left $names."
    if (isKnown) Finding(LeftTraces, instant, what, "Removes them.", Some(Mend.DropTraces(instant, withFiles = false)))
    else if (facts.abandoned(instant)) Finding(LeftTraces, instant, what,
      "Removes them, and the files that its markers name.", Some(Mend.DropTraces(instant, withFiles = true)))
    else Finding(LeftTraces, instant, what,
      "No reader shows its files. Delete both when you are sure that no file of the timeline was lost; hudilite cannot " +
        "know.")
  }

  private def lock(path: String): Finding = Finding(LeftLock, path,
    "A lock of Apache Hudi is held, or was left by a writer that died. hudilite does not look at it; writers of Hudi " +
      "that use it wait.",
    "Delete the file when no writer of Apache Hudi is at work.")
}

/** Findings on rollbacks that were begun and not ended: pure. */
private[doctor] object RollbackFindings {

  import FindingKind._

  /** Finding on a rollback that is pending for longer than a writer may give no sign of life. */
  def stalled(facts: Facts, rollback: Instant): Finding =
    facts.rollbackTargets.get(rollback.time).fold(
      blind(facts, rollback, UnfinishedAction, s"The rollback ${rollback.time} was begun and has no plan"))(
      ofTarget(facts, rollback, _))

  private def ofTarget(facts: Facts, rollback: Instant, target: String): Finding = {
    val (what, advice, mend) =
      if (facts.timeline.isCompleted(target))
        (s"of the completed write $target was planned, and nothing of the write is gone yet. It keeps what follows from " +
            "being archived.",
          s"Removes it, and the write stays; where it is to go, take $target back with rollback instead.",
          Mend.DropFromTimeline(rollback))
      else if (facts.timeline.isPendingWrite(target))
        (s"of $target was begun and not ended.", "Ends it.", Mend.EndRollback(target))
      else (s"of $target was begun and not ended, and $target is gone from the timeline.", "Removes it.",
        Mend.EndRollback(target))
    Finding(UnfinishedAction, rollback.time, s"The rollback ${rollback.time} $what", advice, Some(mend))
  }

  /** Finding on a rollback that was begun and whose target is unknown. The target is a write that is still pending,
    * perhaps without some of its files, or else there is nothing left to do: a completed write becomes pending before
    * the first of its files goes, and leaves the timeline after the last. So the rollback is of no use once all earlier
    * pending writes are taken back, as those of dead writers are. A write that may be alive must not complete
    * meanwhile.
    */
  def blind(facts: Facts, rollback: Instant, kind: FindingKind, what: String): Finding = {
    val (dead, others) = facts.writers.filter(_._1.time < rollback.time).partition(_._2.isInstanceOf[Dead])
    def times(found: Seq[(Instant, Judgement)]): String = Listed.of(found.map(_._1.time))
    val isStalled = facts.stalled.exists(i => i.time == rollback.time && i.action == rollback.action)
    if (others.nonEmpty)
      Finding(kind, rollback.time, s"$what. It may be taking back what is pending: ${times(others)}.",
        "Mend again when nobody works on that any more or, where no program works on the table, with the option " +
          "hoodie.clean.failed.writes.policy=EAGER: whatever is dead is taken back anew.")
    else if (!isStalled) Finding(kind, rollback.time, s"$what. It was begun a moment ago.", "Mend again later.")
    else Finding(kind, rollback.time, s"$what.",
      (if (dead.isEmpty) "Removes it: nothing is pending that it could have to take back"
       else s"Removes it, and what is pending from before it is taken back anew: ${times(dead)}") +
        ". A completed write that it was to take back is whole, and stays.", Some(Mend.DropFromTimeline(rollback)))
  }
}
