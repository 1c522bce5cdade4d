package io.hudilite.transaction

import io.hudilite.TestTables
import io.hudilite.TestTables.{storage, writeFile}
import io.hudilite.error.{CommitConflict, CorruptTable, UnsupportedTable}
import io.hudilite.index.{BucketIndex, HashNode, HashRing, HashRings}
import io.hudilite.service.undo.{Restores, Rollbacks}
import io.hudilite.storage.CountingStorage
import io.hudilite.table.{Buckets, RingFiles, StatedBuckets, Table}
import io.hudilite.timeline.{Action, CommitMetadata}
import io.hudilite.timeline.plan.{InstantName, RollbackPlan, RollbackRequest}

import java.nio.charset.StandardCharsets.UTF_8

import munit.FunSuite

/** Hash rings beside a table: which of them counts, and how a commit writes them. */
class CommitRingsSuite extends FunSuite {

  private val index = BucketIndex(2, Seq("id"), rings = Some(HashRings.New))
  private val first = HashRing.initial("p", 2)

  /** A ring as Apache Hudi writes it. */
  private def json(instant: String, partition: String, nodes: HashNode*): String =
    s"""{
       |  "version" : 0,
       |  "partitionPath" : "$partition",
       |  "instant" : "$instant",
       |  "numBuckets" : 2,
       |  "seqNo" : 0,
       |  "nodes" : [ ${nodes.map(n => s"""{
       |    "value" : ${n.value},
       |    "fileIdPrefix" : "${n.fileIdPrefix}",
       |    "tag" : "NORMAL"
       |  }""").mkString(", ")} ]
       |}""".stripMargin

  private def path(table: Table, name: String, partition: String = "p"): String =
    s"${table.basePath}/.hoodie/.bucket_index/consistent_hashing_metadata/$partition/$name"

  private def put(table: Table, name: String, text: String): Unit =
    storage.replace(path(table, name), text.getBytes(UTF_8))

  private def text(table: Table, name: String): Option[String] =
    storage.read(path(table, name)).map(new String(_, UTF_8))

  private def write(table: Table, id: String, by: BucketIndex = index): String = {
    val run = Transaction.begin(table.refresh(), Action.DeltaCommit, "UPSERT")
    try
      run.commit(Seq(writeFile(table, run.instant, "p", id)), assumption = Assumption.Nothing, buckets = Some(by)).time
    finally run.rollback()
  }

  private def rings(table: Table): Map[String, HashRing] = RingFiles(table.refresh()).of(Seq("p", "q")).map {
    case (partition, stored) => partition -> stored.ring
  }

  private def created: Table = TestTables.createMergeOnRead(9)

  test("the first commit to a partition writes its ring down as Apache Hudi does, and later ones keep to it") {
    val table = created
    assert(!Buckets(table).areConsistent && rings(table).isEmpty)
    write(table, first.fileId(0))
    assertEquals(text(table, "00000000000000.hashing_meta"), Some(json("00000000000000", "p", first.nodes: _*)))
    assertEquals(rings(table), Map("p" -> first))
    assert(Buckets(table.refresh()).areConsistent)
    write(table, first.fileId(1), index.copy(rings = Some(HashRings(Map("p" -> first), othersAreNew = false))))
    val now = table.refresh()
    assertEquals(StatedBuckets.ofAllRows(now.store, now.timeline).map(by => (by.count, by.hashFields, by.isConsistent)),
      Some((2, Seq("id"), true)))
  }

  test("a commit fails that has dealt its rows by another ring than the partition has by then") {
    val table = created
    write(table, first.fileId(0))
    val before = table.refresh().timeline
    intercept[CommitConflict](write(table, HashRing.initial("p", 3).fileId(0), index.copy(count = 3)))
    intercept[IllegalStateException](write(table, "other-0"))
    assertEquals(table.refresh().timeline.writes, before.writes)
    assertEquals(rings(table), Map("p" -> first))
  }

  test("a ring counts once its action has completed, whatever the mark beside it says, and goes with its action") {
    val table = created
    val time = write(table, first.fileId(0))
    val next = HashRing.of(Seq(HashNode(7, "a"), HashNode(Int.MaxValue, "b")))
    put(table, "20990101000000000.hashing_meta", json("20990101000000000", "p", next.nodes: _*))
    assertEquals(rings(table), Map("p" -> first))
    val archived = "20000101000000000" // of an archive that is gone
    put(table, s"$archived.hashing_meta", json(archived, "p", next.nodes: _*))
    assertEquals(rings(table), Map("p" -> first))
    put(table, s"$archived.commit", "")
    assertEquals(rings(table), Map("p" -> next))
    Seq("hashing_meta", "commit").foreach(end => storage.delete(path(table, s"$archived.$end")))
    put(table, s"$time.hashing_meta", json(time, "p", next.nodes.reverse: _*))
    assertEquals(rings(table), Map("p" -> next))
    storage.delete(path(table, s"$time.hashing_meta"))
    put(table, "20990101000000000.commit", "")
    assertEquals(rings(table), Map("p" -> first)) // a restore has taken it back
    val split = write(table, first.fileId(0))
    put(table, s"$split.hashing_meta", json(split, "p", next.nodes: _*))
    put(table, s"$split.commit", "")
    assertEquals(rings(table), Map("p" -> next))
    Restores.run(table.refresh(), time)
    assertEquals(rings(table), Map("p" -> first))
    assertEquals(Seq("hashing_meta", "commit").flatMap(end => text(table, s"$split.$end")), Nil)
    val again = write(table, first.fileId(0))
    put(table, s"$again.hashing_meta", json(again, "p", next.nodes: _*))
    put(table, s"$again.commit", "")
    Rollbacks.run(table.refresh(), None)
    assertEquals(Seq("hashing_meta", "commit").flatMap(end => text(table, s"$again.$end")), Nil)
    assertEquals(text(table, "20990101000000000.commit"), Some(""))
  }

  test("a rollback that was cut off takes the rings of its write away when it is ended") {
    val table = created
    write(table, first.fileId(0))
    val split = write(table, first.fileId(0))
    put(table, s"$split.hashing_meta", json(split, "p", first.nodes: _*))
    put(table, s"$split.commit", "")
    val now = table.refresh()
    val time = now.store.newInstantTime(now.timeline.lastTime.get)
    val file = now.store.readCommit(now.timeline.write(split).get).allPaths.head
    now.store.requestRollback(time,
      RollbackPlan(InstantName(split, Action.DeltaCommit),
        Seq(RollbackRequest("p", Seq(file), first.fileId(0)))))
    now.store.toInflight(time, Action.Rollback)
    now.store.withdraw(now.timeline.write(split).get)
    assertEquals(Rollbacks.run(table.refresh(), None).write, split)
    assertEquals(Seq("hashing_meta", "commit").flatMap(end => text(table, s"$split.$end")), Nil)
    assert(text(table, "00000000000000.hashing_meta").isDefined)
  }

  test(
    "a rollback lists the rings of its own partitions, of a clustering those of all, and of tables without any none") {
    def listed(table: Table, action: String): Seq[String] = {
      val counting = new CountingStorage(storage)
      val run = Transaction.begin(Table.open(counting, table.basePath), action, "UPSERT")
      writeFile(table, run.instant, "p", first.fileId(1))
      val folders = counting.during(run.rollback())._2.paths("list").filter(_.contains("/consistent_hashing_metadata"))
      folders.map(_.split("/consistent_hashing_metadata", -1)(1)).sorted
    }
    val table = created
    assertEquals(listed(table, Action.DeltaCommit), Nil)
    write(table, first.fileId(0))
    Seq("q", "r/s").foreach(RingFiles.begin(storage, table.basePath, _, first))
    assertEquals(listed(table, Action.DeltaCommit), Seq("/p"))
    assertEquals(listed(table, Action.ReplaceCommit), Seq("", "/p", "/q", "/r", "/r/s"))
  }

  test("rings that a first write has left as it died bind no other, and those of a living one do") {
    val table = created
    val other = HashRing.initial("p", 3)
    assert(RingFiles.begin(storage, table.basePath, "p", other) && RingFiles.begin(storage, table.basePath, "q", other))
    assertEquals(rings(table), Map.empty[String, HashRing])
    write(table, first.fileId(0))
    assertEquals(rings(table), Map("p" -> first))
    val beside = created
    val run = Transaction.begin(beside.refresh(), Action.DeltaCommit, "UPSERT")
    beside.refresh().store.request("20990101000000000", Action.DeltaCommit)
    assert(RingFiles.begin(storage, beside.basePath, "p", other))
    intercept[CommitConflict](run.commit(Seq(writeFile(beside, run.instant, "p", first.fileId(0))),
        assumption = Assumption.Nothing, buckets = Some(index)))
    run.rollback()
    assertEquals(RingFiles(beside.refresh()).written(Seq("p")).map(_._2.ring), List(other))
  }

  test("rings go with a timeline that is read after them, and those that the first write deals by stay") {
    val table = created
    RingFiles.begin(storage, table.basePath, "p", first)
    RingFiles.begin(storage, table.basePath, "q", first)
    def there: Seq[String] = Seq("p", "q").filter(p => storage.exists(path(table, "00000000000000.hashing_meta", p)))
    def remove(isFirst: Boolean): Unit =
      RingFiles.removeLeft(storage, table.basePath, Map("p" -> first, "q" -> HashRing.initial("q", 2)))(isFirst)
    remove(isFirst = false)
    assertEquals(there, Seq("p", "q"))
    remove(isFirst = true)
    assertEquals(there, Seq("p"))
    storage.delete(path(table, "00000000000000.hashing_meta"))
    RingFiles.removeLeft(storage, table.basePath, Map.empty)(fail("there is no ring"))
    val old = table.refresh().timeline
    table.store.request("20990101000000000", Action.DeltaCommit)
    val other = HashRing.initial("p", 3)
    RingFiles.begin(storage, table.basePath, "p", other)
    val mine = CommitMetadata("UPSERT", Map("p" -> Seq(writeFile(table, "20990101000000001", "p", first.fileId(0)))),
      Map.empty, Map.empty)
    intercept[CommitConflict](CommitRings.complete(table, "20990101000000001", mine, index, old))
    assertEquals(RingFiles(table.refresh()).written(Seq("p")).map(_._2.ring), List(other))
  }

  test("rings by which nobody can deal keys are named, and none is taken for another") {
    val table = created
    val time = write(table, first.fileId(0))
    val two = first.nodes
    val good = json(time, "p", two: _*)
    for (bad <- Seq("", "{", good.take(200), good.replace("\"p\"", "\"q\""), good.replace(time, "20990101000000000"),
        json(time, "p"), json(time, "p", two.head, two.head), good.replace(two.head.value.toString, "2147483648"),
        good.replace("\"value\"", "\"other\""), good.replace("\"numBuckets\" : 2", "\"numBuckets\" : 0"))) {
      put(table, s"$time.hashing_meta", bad)
      intercept[CorruptTable](rings(table))
    }
    for (bad <- Seq(good.replace("\"version\" : 0", "\"version\" : 1"), good.replace("NORMAL", "REPLACE"))) {
      put(table, s"$time.hashing_meta", bad)
      intercept[UnsupportedTable](rings(table))
    }
  }

  test("rows are not dealt to file groups that a commit has taken out") {
    val table = created
    write(table, first.fileId(0))
    def toDeal: HashRings = RingFiles(table.refresh()).toDeal(Seq("p", "q"), 3)
    assertEquals(toDeal.known, Map("p" -> first, "q" -> HashRing.initial("q", 3)))
    val run = Transaction.begin(table.refresh(), Action.ReplaceCommit, "DELETE_PARTITION")
    run.commit(Nil, Map("p" -> Seq(first.fileId(0))), assumption = Assumption.Nothing)
    assert(intercept[UnsupportedTable](toDeal).getMessage.contains(first.fileId(0)))
  }
}
