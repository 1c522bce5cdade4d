package io.hudilite.timeline

import io.hudilite.error.CorruptTable
import io.hudilite.storage.FileInfo

import java.time.ZoneOffset

import munit.FunSuite

class InstantFileNameSuite extends FunSuite {

  private val T = "20260101120000000"
  private val C = "20260101120001000"

  private def file(name: String, length: Long = 1): FileInfo =
    FileInfo(s"/t/.hoodie/$name", length, 0L, isDirectory = false)

  private def shown(layout: Int, names: String*): Seq[(String, String, State)] =
    InstantFileName.instants(names.map(file(_)), layout, ZoneOffset.UTC).map(i => (i.time, i.action, i.state))

  test("names are made as Hudi makes them in both layouts") {
    val rows =
      Seq( // action, layout, requested, inflight, completed
        (Action.Commit, 1, s"$T.commit.requested", s"$T.inflight", s"$T.commit"),
        (Action.Commit, 2, s"$T.commit.requested", s"$T.inflight", s"${T}_$C.commit"),
        (Action.DeltaCommit, 2, s"$T.deltacommit.requested", s"$T.deltacommit.inflight", s"${T}_$C.deltacommit"),
        (Action.Compaction, 1, s"$T.compaction.requested", s"$T.compaction.inflight", s"$T.commit"),
        (Action.Compaction, 2, s"$T.compaction.requested", s"$T.compaction.inflight", s"${T}_$C.commit"),
        (Action.LogCompaction, 2, s"$T.logcompaction.requested", s"$T.logcompaction.inflight", s"${T}_$C.deltacommit"),
        (Action.Clustering, 1, s"$T.replacecommit.requested", s"$T.replacecommit.inflight", s"$T.replacecommit"),
        (Action.Clustering, 2, s"$T.clustering.requested", s"$T.clustering.inflight", s"${T}_$C.replacecommit"),
        (Action.Rollback, 2, s"$T.rollback.requested", s"$T.rollback.inflight", s"${T}_$C.rollback"),
        (Action.Savepoint, 1, s"$T.savepoint.requested", s"$T.savepoint.inflight", s"$T.savepoint"))
    rows.foreach { case (action, layout, requested, inflight, completed) =>
      assertEquals(InstantFileName.requested(T, action, layout), requested)
      assertEquals(InstantFileName.inflight(T, action, layout), inflight)
      assertEquals(InstantFileName.completed(T, action, C, layout), completed)
    }
  }

  test("an instant shows its highest state, once") {
    assertEquals(shown(1, s"$T.commit.requested"), Seq((T, "commit", State.Requested)))
    assertEquals(shown(1, s"$T.commit.requested", s"$T.inflight"), Seq((T, "commit", State.Inflight)))
    assertEquals(shown(1, s"$T.inflight", s"$T.commit", s"$T.commit.requested"), Seq((T, "commit", State.Completed)))
    assertEquals(shown(2, s"${T}_$C.commit", s"$T.inflight"), Seq((T, "commit", State.Completed)))
  }

  test("a service that completed under another action is no longer pending") {
    assertEquals(shown(2, s"$T.compaction.requested", s"$T.compaction.inflight"),
      Seq((T, "compaction", State.Inflight)))
    assertEquals(shown(1, s"$T.compaction.requested", s"$T.commit"), Seq((T, "commit", State.Completed)))
    assertEquals(shown(2, s"$T.clustering.inflight", s"${T}_$C.replacecommit"),
      Seq((T, "replacecommit", State.Completed)))
    assertEquals(shown(2, s"$T.logcompaction.inflight", s"${T}_$C.deltacommit"),
      Seq((T, "deltacommit", State.Completed)))
  }

  test("a savepoint is another action at the instant that it saves") {
    assertEquals(shown(2, s"${T}_$C.commit", s"$T.savepoint.inflight", s"${T}_$C.savepoint"),
      Seq((T, "commit", State.Completed), (T, "savepoint", State.Completed)))
  }

  test("the completion time is in the name, for legacy names it is the file's time, and layout 1 has none") {
    def completion(name: String, layout: Int): Seq[Option[String]] =
      InstantFileName.instants(Seq(file(name)), layout, ZoneOffset.UTC).map(_.completionTime)
    assertEquals(completion(s"${T}_$C.commit", 2), Seq(Option(C)))
    assertEquals(completion(s"$T.commit", 2), Seq(Option("19700101000000000")))
    assertEquals(completion(s"$T.commit", 1), Seq(None))
  }

  test("names that are no instants are skipped") {
    val names = Seq("hoodie.properties", "history", s".$T.commit.crc", s"$T.commit.0a1b-uuid", "lock", s"$T.unheardof",
      s"${T}_$C.commit.requested", s"$T.", "manifest_3")
    assertEquals(shown(2, names: _*), Nil)
    assertEquals(shown(1, s"${T}_$C.commit"), Nil)
  }

  test("a write whose completed file is empty stays pending, other empty files count") {
    val files = Seq(file(s"$T.inflight", 0), file(s"${T}_$C.commit", 0), file(s"${T}_$C.clean", 0))
    assertEquals(InstantFileName.instants(files, 2, ZoneOffset.UTC).map(i => (i.action, i.state)),
      Seq[(String, State)](("clean", State.Completed), ("commit", State.Inflight)))
  }

  test("directories named like instants are skipped, and instants come sorted as text") {
    val directory = FileInfo(s"/t/.hoodie/$T.commit", 0, 0, isDirectory = true)
    val later = file("20260101120000001.commit")
    val earlier = file("20260101120000.commit")
    assertEquals(InstantFileName.instants(Seq(later, directory, earlier), 1, ZoneOffset.UTC).map(_.time),
      Seq("20260101120000", "20260101120000001"))
  }

  test("a time that is none in the name of a timeline file is damage, a special one of Hudi's is not") {
    val wrong =
      Seq("9" * 17, "9" * 18, "9" * 14, "1", "001", "2026", "20261301000000000", "20260101250000000", "1" * 400)
    for (time <- wrong;
      name <- Seq(s"$time.commit", s"$time.deltacommit.requested", s"${T}_$time.commit",
        s"$time.inflight", s"$time.clean")) {
      val e = intercept[CorruptTable](InstantFileName.instants(Seq(file(name)), 2, ZoneOffset.UTC))
      assertEquals((e.condition, e.parameters("path")), ("CORRUPT_FILE", s"/t/.hoodie/$name"))
    }
    Seq("00000000000000", "00000000000001", "00000000000000000", "20260230000000000", "99981231235959999")
      .foreach(time => assertEquals(shown(1, s"$time.commit").map(_._1), Seq(time)))
    assertEquals(shown(1, "123.parquet", "999999999999999999.txt"), Nil)
  }
}
