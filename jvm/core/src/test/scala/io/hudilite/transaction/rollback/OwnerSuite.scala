package io.hudilite.transaction.rollback

import io.hudilite.storage.MemoryStorage

import munit.FunSuite

class OwnerSuite extends FunSuite {

  private val self = Owner.current

  private def alive(owner: Owner, heartbeatExpired: Boolean): Boolean =
    Owner.mayBeAlive(owner, "20260101000001000", heartbeatExpired)

  test("an owner on this host lives as long as its process, whatever its heartbeat") {
    for (expired <- Seq(true, false)) {
      assert(alive(self.copy(process = "another class loader"), expired))
      assert(!alive(self.copy(process = "x", ticks = 0, started = self.started + 1), expired),
        "a process id used again")
      assert(!alive(self.copy(process = "x", pid = Int.MaxValue.toLong), expired), "a process id not in use")
    }
  }

  test("a clock that was set since a process began does not tell it dead, where the kernel counts from its boot") {
    assume(self.ticks > 0, "the kernel does not tell when a process began")
    val other = self.copy(process = "another class loader", started = self.started - 3600000)
    assert(alive(other, heartbeatExpired = true))
    assert(!alive(other.copy(ticks = self.ticks - 1), heartbeatExpired = false), "a process id used again")
  }

  test("an owner on another host lives as long as its heartbeat") {
    assert(alive(self.copy(host = "elsewhere", process = "x"), heartbeatExpired = false))
    assert(!alive(self.copy(host = "elsewhere", process = "x"), heartbeatExpired = true))
  }

  test("an instant of this process lives until it is released") {
    val storage = new MemoryStorage()
    Owner.write(storage, "/t", "20260101000001000")
    assertEquals(Owner.read(storage, "/t", "20260101000001000"), Some(self))
    assert(alive(self, heartbeatExpired = true))
    Owner.release("20260101000001000")
    assert(!alive(self, heartbeatExpired = false))
  }

  test("an owner file that was cut short leaves the decision to the heartbeat") {
    val storage = new MemoryStorage()
    storage.replace("/t/.hoodie/.hudilite/1", Array[Byte]('{', '"'))
    val owner = Owner.read(storage, "/t", "1").get
    assert(alive(owner, heartbeatExpired = false) && !alive(owner, heartbeatExpired = true))
    assertEquals(Owner.read(storage, "/t", "2"), None)
  }

  test("a heartbeat expires two minutes after its last beat, and at once when it is missing") {
    val storage = new MemoryStorage(() => 1000L)
    val heartbeat = Heartbeat.start(storage, "/t", "1")
    assert(!Heartbeat.isExpired(storage, "/t", "1", 1000L + Heartbeat.ExpiryMs))
    assert(Heartbeat.isExpired(storage, "/t", "1", 1001L + Heartbeat.ExpiryMs))
    heartbeat.stop()
    assert(Heartbeat.isExpired(storage, "/t", "1", 1000L))
  }
}
