package io.hudilite.service.doctor

import io.hudilite.error.Listed
import io.hudilite.timeline.Instant
import io.hudilite.transaction.rollback.PendingWrites.{Dead, Judgement}

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
