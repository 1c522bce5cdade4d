package io.hudilite.table

import io.hudilite.TestTables
import io.hudilite.TestTables.{begin, write, writeFile}
import io.hudilite.filegroup.{FileNames, FileSlice, Partitions, PathSelection}
import io.hudilite.storage.{CountingStorage, MemoryStorage}

import munit.FunSuite

/** Folders are listed only as far as they are asked for. */
class TableFilesSuite extends FunSuite {

  private val made = FunFixture[CountingStorage](
    setup = { _ =>
      val storage = new CountingStorage(new MemoryStorage())
      write(TestTables.create(storage, "/t", 9), (1 to 5).map(n => s"day=$n" -> s"a$n-0"): _*)
      storage
    },
    teardown = _ => ())

  private def open(storage: CountingStorage): Table = Table.open(storage, "/t")

  private def found(storage: CountingStorage): Table = Table.find(storage, "/t").get

  private def listed(storage: CountingStorage)(body: => Any): Seq[String] =
    storage.during(body)._2.paths("list").map(_.stripPrefix("/t/"))

  private def day(n: Int): PathSelection = new PathSelection {
    override def mayLead(folder: String): Boolean = wants(folder)
    override def wants(partition: String): Boolean = partition == s"day=$n"
  }

  private def ids(slices: Seq[FileSlice]): Seq[String] = slices.map(_.fileId)

  made.test("a partition is listed when it is asked for, and once") { storage =>
    val now = open(storage)
    assertEquals(listed(storage)(assertEquals(ids(now.files.slices("day=2")), Seq("a2-0"))), Seq("day=2"))
    assertEquals(listed(storage)(now.files.slices("day=2")), Nil)
    assertEquals(listed(storage)(now.slices(Seq("day=2", "day=3"))), Seq("day=3"))
    assertEquals(listed(storage)(assertEquals(now.files.find(day(3)).keySet, Set("day=3"))), Seq("/t"))
    assertEquals(listed(storage)(assertEquals(now.partitions().size, 5)).toSet, Set("day=1", "day=4", "day=5"))
    assertEquals(listed(storage)(now.allSlices(now.lastInstant.map(_.time))), Nil)
  }

  made.test("the first partitions are read, and no others, and few are all there are") { storage =>
    val now = open(storage)
    assertEquals(listed(storage)(assertEquals(now.files.few(4), None)), Seq("/t"))
    assertEquals(listed(storage)(assertEquals(now.files.first(2).flatMap(_._2).map(_.fileId).toList.size, 2)).size, 2)
    assertEquals(listed(storage)(assertEquals(now.files.few(5).map(_.keySet.size), Some(5))).size, 3)
    assertEquals(listed(storage)(assertEquals(now.allSlices(), now.files.few(5).get)), Nil)
    assertEquals(now.files.first(9).toMap, now.allSlices())
  }

  made.test("files are counted until they are enough, and of many partitions it is taken that they are") { storage =>
    val now = open(storage)
    assertEquals(listed(storage)(assertEquals(now.files.count(4, 100), 100)), Seq("/t"))
    assertEquals(listed(storage)(assertEquals(now.files.count(5, 2), 2)).size, 2)
    assertEquals(listed(storage)(assertEquals(now.files.count(5, 100), 5)).size, 3)
    assertEquals(now.files.count(5, 5), 5)
  }

  made.test("what is no partition has no slices, and is asked for once, too") { storage =>
    val now = open(storage)
    assertEquals(listed(storage)(assertEquals(now.files.slices("day=9"), Nil)), Seq("day=9"))
    assertEquals(listed(storage)(assertEquals(now.files.slices("day=9"), Nil)), Nil)
    assertEquals(now.files.slices(""), Nil)
  }

  made.test("another query of the same snapshot finds what was listed") { storage =>
    val (one, other) = (found(storage), found(storage))
    assertEquals(listed(storage)(one.allSlices()).size, 6)
    assertEquals(listed(storage)(assertEquals(other.allSlices(), one.allSlices())), Nil)
    assertEquals(one, other)
  }

  made.test("once anything was written the files are listed anew") { storage =>
    val before = found(storage)
    before.allSlices()
    write(before, "day=6" -> "a6-0")
    val after = found(storage)
    assertNotEquals(before, after)
    assertEquals(after.partitions().size, 6)
    assertEquals(before.partitions().size, 5)
  }

  made.test("a write under way changes nothing of what is seen, and once it is completed it is") { storage =>
    val before = found(storage)
    before.allSlices()
    val transaction = begin(before)
    val during = found(storage)
    val stat = writeFile(during, transaction.instant, "day=1", "b1-0")
    assertEquals(ids(during.files.slices("day=1")), Seq("a1-0"))
    assertEquals(ids(found(storage).files.slices("day=1")), Seq("a1-0"))
    transaction.commit(Seq(stat))
    assertEquals(ids(found(storage).files.slices("day=1")), Seq("a1-0", "b1-0"))
    assertEquals(ids(during.files.slices("day=1")), Seq("a1-0"))
  }

  made.test("what only the files of another partition give away is seen when all are looked at") { storage =>
    val instant = open(storage).lastInstant.get.time
    Partitions.createMetadata(storage, "/t", "day=6", instant)
    // Another attempt of the task that wrote all the others.
    storage.createNew(s"/t/day=6/${FileNames.baseFile("z-0", "0-0-1", instant)}", Array[Byte](1))
    val now = found(storage)
    now.files.iterator().foreach(_ => ())
    assertEquals(now.allSlices()("day=6"), Nil)
    assertEquals(now.files.slices("day=6"), Nil)
    val other = found(storage)
    assertEquals(listed(storage)(assertEquals(other.files.slices("day=6"), Nil)), Nil)
  }

  made.test("what is known of a table's files can be forgotten") { storage =>
    found(storage).allSlices()
    FileMemory.forget(storage, "/t")
    assertEquals(listed(storage)(found(storage).allSlices()).size, 6 + 1) // the timeline, too
  }
}
