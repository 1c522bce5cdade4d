package io.hudilite.transaction.rollback

import io.hudilite.storage.{ForwardingStorage, MemoryStorage, Storage}
import io.hudilite.transaction.Processes
import io.hudilite.transaction.lock.{Owner, Process}

import java.time.{Clock, Instant => EpochInstant, ZoneOffset}
import java.util.concurrent.atomic.AtomicLong

import munit.FunSuite

class OwnerSuite extends FunSuite {

  private val self = Process.current
  private val instant = "20260101000001000"

  /** A store with the time `now`, and what a process on this host sees of it. */
  private final class Place(val now: AtomicLong = new AtomicLong(1000L)) {
    val storage: Storage = new MemoryStorage(() => now.get)

    def alive(owner: Owner => Owner, through: Storage = storage): Boolean = {
      storage.delete(s"/t/.hoodie/.hudilite/$instant")
      OwnerFile.write(storage, "/t", instant, Processes.named(owner))
      val file = OwnerFile.files(storage, "/t").head
      new Liveness(through, "/t", self).mayBeAlive(OwnerFile.read(storage, "/t", instant).get, file)
    }
  }

  private def elsewhere(owner: Owner): Owner = owner.copy(host = "elsewhere", process = "x")

  test("an owner on this host lives as long as its process, whatever its heartbeat") {
    val place = new Place
    assert(place.alive(_.copy(process = "another class loader")))
    Heartbeat.start(place.storage, "/t", instant).abandon()
    assert(!place.alive(o => o.copy(process = "x", ticks = 0, started = o.started + 1)), "a process id used again")
    assert(!place.alive(_.copy(process = "x", pid = Int.MaxValue.toLong)), "a process id not in use")
  }

  test("a clock that was set since a process began does not tell it dead, where the kernel counts from its boot") {
    assume(self.owner.ticks > 0, "the kernel does not tell when a process began")
    def other(owner: Owner): Owner =
      owner.copy(process = "another class loader", started = owner.started - 3600000)
    assert(new Place().alive(other))
    assert(!new Place().alive(o => other(o).copy(ticks = o.ticks - 1)), "a process id used again")
  }

  test(
    "an owner on another host lives until two minutes after its last beat, or after its owner file before the first") {
    val place = new Place
    assert(place.alive(elsewhere))
    val file = OwnerFile.files(place.storage, "/t").head
    def alive: Boolean = new Liveness(place.storage, "/t", self).mayBeAlive(elsewhere(self.owner), file)
    place.now.addAndGet(Heartbeat.ExpiryMs)
    assert(alive)
    Heartbeat.start(place.storage, "/t", instant).abandon()
    place.now.addAndGet(Heartbeat.ExpiryMs)
    assert(alive)
    place.now.addAndGet(1L)
    assert(!alive)
  }

  test("a machine's clock that runs ahead, or behind, makes nobody dead") {
    for (offMs <- Seq(3600000L, -3600000L)) {
      val place = new Place(new AtomicLong(10000000L))
      val wrong = Clock.fixed(EpochInstant.ofEpochMilli(place.now.get + offMs), ZoneOffset.UTC)
      val off = new ForwardingStorage(place.storage) { override def clock: Clock = wrong }
      assert(place.alive(elsewhere, through = off), s"by a clock that is off by $offMs ms")
    }
  }

  test("an instant of this process lives until it is released, in its table only") {
    val storage = new MemoryStorage()
    val table = storage.place("/t")
    assert(OwnerFile.write(storage, "/t", instant))
    assertEquals(OwnerFile.read(storage, "/t", instant), Some(self.owner))
    assertEquals(self.tellsAlive(self.owner, table, instant), Some(true))
    assertEquals(self.tellsAlive(self.owner, storage.place("/u"), instant), Some(false))
    self.ends(table, instant)
    assertEquals(self.tellsAlive(self.owner, table, instant), Some(false))
  }

  test("an instant has one owner") {
    val storage = new MemoryStorage()
    val other = Processes.named(elsewhere)
    assert(OwnerFile.write(storage, "/t", instant, other))
    assert(!OwnerFile.write(storage, "/t", instant))
    assertEquals(OwnerFile.read(storage, "/t", instant), Some(other.owner))
    assertEquals(self.tellsAlive(self.owner, storage.place("/t"), instant), Some(false))
    assert(OwnerFile.write(storage, "/t", instant, other), "who asks twice, for the answer was lost, is the owner")
  }

  test("an owner file that cannot be read leaves the decision to the heartbeat") {
    val storage = new MemoryStorage(() => 1000L)
    storage.replace("/t/.hoodie/.hudilite/1", Array[Byte]('{', '"'))
    val owner = OwnerFile.read(storage, "/t", "1").get
    assertEquals(self.tellsAlive(owner, storage.place("/t"), "1"), None)
    assertEquals(OwnerFile.read(storage, "/t", "2"), None)
  }

  test("an ended heartbeat does not come back with a beat that was under way") {
    val memory = new MemoryStorage()
    val storage = new ForwardingStorage(memory) {}
    val heartbeat = Heartbeat.start(storage, "/t", instant)
    heartbeat.stop()
    heartbeat.beat()
    assertEquals(memory.paths, Nil)
  }
}
