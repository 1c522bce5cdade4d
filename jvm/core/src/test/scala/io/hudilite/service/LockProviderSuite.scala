package io.hudilite.service

import io.hudilite.TestTables
import io.hudilite.config.TableType
import io.hudilite.service.doctor.Doctor
import io.hudilite.storage.{CountingStorage, MemoryStorage, Place, Storage}
import io.hudilite.table.Table
import io.hudilite.transaction.{FirstWrite, Processes, TextWrites, TransactionOptions}
import io.hudilite.transaction.lock.{LockProvider, Process}

import munit.FunSuite

/** Writes and services under locks that they are given. */
class LockProviderSuite extends FunSuite {

  import Served.Path

  private final class OneLock(reachesAll: Boolean = false) extends LockProvider {
    var isHeld = false
    override def withTableLock[T](table: Place, waitMs: Long)(body: => T): T = {
      val outer = isHeld
      isHeld = true
      try body
      finally isHeld = outer
    }
    override def joins(table: Place, machine: String, other: String): Boolean = reachesAll
    override val fileNames: Seq[String] = Nil
  }

  /** Runs what changes the table's timeline or properties, and sees that all of that is done while the lock is held. */
  private def underLock(storage: Storage)(body: (Storage, TransactionOptions) => Unit): Unit = {
    val lock = new OneLock
    var (changes, unlocked) = (0, Seq.empty[String])
    val watched = new CountingStorage(storage,
      call =>
        if (Set("put", "delete")(call.kind) && (call.path.contains("/timeline/") || call.path.contains("properties"))) {
          changes += 1
          if (!lock.isHeld) unlocked :+= call.path
        })
    body(watched, TransactionOptions(process = new Process(Process.current.owner, lock)))
    assertEquals(unlocked, Nil)
    assert(changes > 0)
  }

  private def table(storage: Storage): Table = Table.open(storage, Path)

  for (service <- Served.all)
    test(s"${service.name} changes its table under the lock that it is given") {
      underLock(Served.origin(9, service).memory)((storage, options) => service.run(table(storage), options))
    }

  test(
    "a write changes its table under the lock that it is given, from the first write of the table to the last rollback") {
    underLock(new MemoryStorage) { (storage, options) =>
      val first = FirstWrite.create(storage, Path, TextWrites.facts(9, TableType.CopyOnWrite), options)
      val write = TextWrites.insert("g-0")
      val begun = first.begin(write.action, "INSERT")
      write.commit(first.table, begun)
      TextWrites.rewrite.begin(table(storage), options).rollback()
    }
    underLock(new MemoryStorage)((storage, options) =>
      FirstWrite.create(storage, Path, TextWrites.facts(9, TableType.CopyOnWrite), options).remove(""))
  }

  test("a doctor restores properties under the lock that it is given") {
    val memory = new MemoryStorage
    TestTables.create(memory, Path, 9)
    val properties = s"$Path/.hoodie/hoodie.properties"
    memory.createNew(s"$properties.backup", memory.read(properties).get)
    memory.delete(properties)
    underLock(memory)((storage, options) =>
      assert(new Doctor(storage, Path, options, TextServices.deleting).run(fix = true).forall(_.isMended)))
  }

  test("of writers on two machines none gives way where the lock reaches both") {
    val storage = new MemoryStorage
    TextWrites.table(storage, Path, 9, TableType.CopyOnWrite)
    val lock = new OneLock(reachesAll = true)
    def of(host: String): TransactionOptions =
      TransactionOptions(process = new Process(Processes.elsewhere(host, host).owner, lock))
    val first = TextWrites.insert("a-0").begin(table(storage), of("a"))
    TextWrites.insert("b-0").run(table(storage), of("b"))
    TextWrites.insert("a-0").commit(table(storage), first)
    assertEquals(table(storage).timeline.writes.size, 3)
  }
}
