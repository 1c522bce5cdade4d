package io.hudilite.transaction.rollback

import io.hudilite.config.TableType
import io.hudilite.storage.MemoryStorage
import io.hudilite.timeline.{Action, WriteFolders}
import io.hudilite.transaction.{Processes, TextWrites}
import io.hudilite.transaction.lock.Process

import java.util.concurrent.atomic.AtomicLong

import munit.FunSuite

class PendingWritesSuite extends FunSuite {

  import PendingWrites._

  private val path = "/t"
  private val elsewhere = Processes.elsewhere("elsewhere", "x")
  private val gone = Processes.gone()

  /** A pending write as the next writer finds it.
    *
    * @param begun
    *   it came as far as its inflight state
    * @param beats
    *   it has beaten, as it was announced
    * @param isOld
    *   all that was longer ago than a sign of life may be
    */
  private def judged(owner: Option[Process] = None, version: Int = 9, action: String = Action.Commit,
      begun: Boolean = true,
      beats: Boolean = false, isOld: Boolean = false, policy: ForeignWrites.Policy = ForeignWrites.Expired): String = {
    val now = new AtomicLong(1767225600000L)
    val storage = new MemoryStorage(() => now.get)
    val store = TextWrites.table(storage, path, version, TableType.MergeOnRead).store
    val time = store.newInstantTime(store.load().lastTime.get)
    owner.foreach(OwnerFile.write(storage, path, time, _))
    store.request(time, action)
    if (begun) store.toInflight(time, action)
    if (beats) storage.replace(s"${WriteFolders.heartbeats(path)}/$time", Array.emptyByteArray)
    if (isOld) now.addAndGet(Heartbeat.ExpiryMs + 1)
    try new PendingWrites(store, policy, Process.current).judge(store.load().pending.head) match {
        case Alive(_) => "alive"
        case Dead(_, isOwned) => if (isOwned) "dead, hudilite's" else "dead"
        case Unknown(_) => "unknown"
      }
    finally Process.current.ends(storage.place(path), time)
  }

  test("a write of hudilite lives as long as its process, of another machine as long as it beats") {
    assertEquals(judged(Some(Process.current), isOld = true), "alive")
    assertEquals(judged(Some(gone), beats = true), "dead, hudilite's")
    assertEquals(judged(Some(elsewhere)), "alive")
    assertEquals(judged(Some(elsewhere), beats = true, isOld = true), "dead, hudilite's")
    assertEquals(judged(Some(elsewhere), isOld = true, policy = ForeignWrites.Keep), "dead, hudilite's")
  }

  test("a write of another program is dead when it has not beaten for long or never began, and else nobody knows") {
    assertEquals(judged(beats = true), "alive")
    assertEquals(judged(beats = true, isOld = true), "dead")
    assertEquals(judged(begun = false), "alive")
    assertEquals(judged(begun = false, isOld = true), "dead")
    assertEquals(judged(), "alive")
    assertEquals(judged(isOld = true), "unknown")
  }

  test("where writers expect no other, one that has not beaten is dead, and one that beats is not") {
    assertEquals(judged(policy = ForeignWrites.All), "dead")
    assertEquals(judged(begun = false, policy = ForeignWrites.All), "dead")
    assertEquals(judged(beats = true, policy = ForeignWrites.All), "alive")
  }

  test("nobody but Apache Hudi takes back log records of another program in version 6") {
    for (policy <- Seq[ForeignWrites.Policy](ForeignWrites.Expired, ForeignWrites.All)) {
      def ofLog(version: Int): String =
        judged(version = version, action = Action.DeltaCommit, beats = true, isOld = true, policy = policy)
      assertEquals(ofLog(6), "unknown")
      assertEquals(ofLog(9), "dead")
    }
    assertEquals(judged(version = 6, action = Action.DeltaCommit, begun = false, isOld = true), "dead")
  }
}
