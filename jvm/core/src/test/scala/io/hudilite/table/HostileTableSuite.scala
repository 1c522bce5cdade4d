package io.hudilite.table

import io.hudilite.TestTables
import io.hudilite.TestTables.{begin, files, storage, write, writeFile}
import io.hudilite.error.CorruptTable
import io.hudilite.timeline.Action
import io.hudilite.timeline.plan.{CompactionOperation, CompactionPlan}
import io.hudilite.transaction.rollback.{Marker, Markers}

import java.nio.charset.StandardCharsets.UTF_8
import java.nio.file.{Files, Path, Paths}

import munit.FunSuite

/** Tables whose own files point outside: nothing is read, written or deleted there, and the file is named. */
class HostileTableSuite extends FunSuite {

  private def corrupt(run: => Any): CorruptTable = intercept[CorruptTable](run)

  /** A folder beside the table with a file in it. */
  private def outside(table: Table): Path = {
    val folder = Files.createTempDirectory("hudilite-outside")
    Files.write(folder.resolve("theirs"), Array[Byte](1))
    assertEquals(folder.getParent, Paths.get(table.basePath).getParent)
    folder
  }

  private def untouched(folder: Path): Unit = assertEquals(Files.list(folder).count(), 1L)

  for (version <- Seq(6, 8, 9)) {
    test(s"version $version: a compaction plan of a partition or a file group outside") {
      val table = TestTables.createMergeOnRead(version)
      val instant = write(table, "p" -> "a-0").time
      val away = outside(table)
      val time = table.store.newInstantTime(table.refresh().timeline.lastTime.get)
      val names = Seq(s"../${away.getFileName}" -> "a-0", "p" -> s"../../${away.getFileName}/a-0")
      names.foreach { case (partition, fileId) =>
        val operation = CompactionOperation(partition, fileId, instant, None, Nil)
        table.store.requestCompaction(time, CompactionPlan(Seq(operation)))
        val error = corrupt(table.refresh().allSlices())
        assertEquals(error.condition, "CORRUPT_FILE")
        assert(error.parameters("path").endsWith(s"$time.compaction.requested"), error)
        table.store.delete(table.refresh().timeline.pendingCompactions.head)
      }
      untouched(away)
    }

    test(s"version $version: a commit that names a partition or a file outside") {
      val table = TestTables.create(version)
      val transaction = begin(table)
      val stat = writeFile(table, transaction.instant, "p", "a-0")
      val away = outside(table)
      val wrong = Seq(stat.copy(partitionPath = s"../${away.getFileName}"), stat.copy(path = "p/../../x"),
        stat.copy(fileId = "../a-0"))
      wrong.foreach(s => intercept[IllegalStateException](transaction.commit(Seq(s))))
      transaction.rollback()
      untouched(away)
    }
  }

  test("properties that put the timeline, its history or the archive elsewhere") {
    for ((version, key) <- Seq(9 -> "hoodie.timeline.path", 9 -> "hoodie.timeline.history.path",
        6 -> "hoodie.archivelog.folder")) {
      val table = TestTables.create(version)
      write(table, "p" -> "a-0")
      val away = outside(table)
      val properties = s"${table.basePath}/.hoodie/hoodie.properties"
      val text = new String(storage.read(properties).get, UTF_8)
      for (value <- Seq(s"../../${away.getFileName}", away.toString)) {
        storage.replace(properties, (text.replaceAll(s"(?m)^$key=.*$$", "") + s"\n$key=$value\n").getBytes(UTF_8))
        val error = corrupt {
          val hostile = Table.open(storage, table.basePath)
          hostile.store.archivedCompleted()
        }
        assertEquals(error.condition, "CORRUPT_TABLE_PROPERTIES")
      }
      untouched(away)
    }
  }

  test("markers of a pending write that name the table, its timeline, or what lies outside delete nothing of these") {
    val table = TestTables.create(9)
    write(table, "p" -> "a-0")
    val before = files(table)
    val transaction = begin(table)
    val temp = Paths.get(Markers.folder(table.basePath, transaction.instant))
    Files.createDirectories(temp)
    val away = outside(table)
    Files.createSymbolicLink(temp.resolve("linked"), away)
    Files.write(away.resolve("x.parquet.marker.CREATE"), Array.emptyByteArray)
    Markers.create(table.storage, table.basePath, transaction.instant, Marker("p/x.parquet", Markers.Create))
    try transaction.rollback()
    catch { case _: io.hudilite.error.HudiliteException => () }
    assert(before.subsetOf(files(table)))
    assert(Files.exists(away.resolve("theirs")))
  }

  test("a timeline folder that is a link to one outside is read and never written") {
    val table = TestTables.create(9)
    write(table, "p" -> "a-0")
    val away = outside(table)
    val timeline = Paths.get(table.basePath, ".hoodie", "timeline")
    Files.move(timeline, away.resolve("timeline"))
    Files.createSymbolicLink(timeline, away.resolve("timeline"))
    val linked = Table.open(storage, table.basePath)
    assertEquals(linked.allSlices()("p").map(_.fileId), Seq("a-0"))
    val count = Files.list(away.resolve("timeline")).count()
    assertEquals(corrupt(begin(linked)).condition, "PATH_OUTSIDE_TABLE")
    assertEquals(Files.list(away.resolve("timeline")).count(), count)
    assertEquals(linked.refresh().timeline.pending.map(_.action).filter(Action.Writes), Nil)
  }
}
