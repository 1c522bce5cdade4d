package io.hudilite.timeline

import io.hudilite.Damage
import io.hudilite.config.TableProperties
import io.hudilite.error.CorruptTable
import io.hudilite.storage.{GoldenTables, MemoryStorage}

import java.nio.charset.StandardCharsets.UTF_8
import java.util.Random

import munit.FunSuite

/** Timelines that Hudi wrote, one file of them damaged. They are read as far as possible, or end in one of our errors.
  * Memory goes with the bytes that are there, not with the lengths that they claim.
  */
class DamagedTimelineSuite extends FunSuite {

  private val MostAllocated = 32L << 20
  private val Rounds = 6

  private val golden = GoldenTables.storage

  /** A table with only this file. */
  private def store(name: String, path: String, content: Array[Byte]): TimelineStore = {
    val base = GoldenTables.basePath(name)
    val alone = new MemoryStorage()
    alone.replace(path, content)
    new TimelineStore(alone, base, TableProperties.read(golden, base))
  }

  /** Reads everything in the files of the timeline. */
  private def readAll(store: TimelineStore): Unit = {
    val timeline = store.load()
    store.schema(timeline)
    store.readCommits(timeline.writes)
    store.pendingCompactions(timeline)
    store.pendingLogCompactions(timeline)
    store.pendingClusterings(timeline)
    timeline.pending.filter(i => i.state == State.Inflight && Action.Writes(i.action)).foreach(store.readCommit)
    timeline.pending.filter(i => i.state == State.Requested).foreach {
      case i if i.action == Action.Rollback => store.readRollbackPlan(i)
      case i if i.action == Action.Clean => store.readCleanPlan(i)
      case _ => ()
    }
    timeline.completed.foreach {
      case i if i.action == Action.Rollback => store.readRollback(i)
      case i if i.action == Action.Clean => store.readClean(i)
      case i if i.action == Action.Savepoint => store.readSavepoint(i)
      case _ => ()
    }
    store.archivedCompleted()
    ()
  }

  private def files(name: String): Seq[String] = {
    val store = this.store(name, "/none", Array.emptyByteArray)
    (golden.list(store.folder) ++ golden.list(s"${GoldenTables.basePath(name)}/.hoodie/archived"))
      .filter(f => !f.isDirectory && f.length > 0).map(_.path)
  }

  test("a file of a timeline with anything wrong in it is read or is damage, in little memory") {
    var (all, read) = (0, 0)
    for (name <- GoldenTables.names; path <- files(name); round <- 0 until Rounds) {
      val random = new Random(path.hashCode.toLong * 31 + round)
      val whole = golden.read(path).get
      val bytes = (0 to random.nextInt(3)).foldLeft(whole)((b, _) => if (b.isEmpty) b else Damage.of(b, random))
      all += 1
      if (Damage.tried(s"$path, round $round", MostAllocated)(readAll(store(name, path, bytes))).isDefined) read += 1
    }
    assert(all > 2000 && read > all / 20 && read < all, s"$read of $all were read")
  }

  test("a file that is cut off anywhere is damage, or says nothing") {
    for (name <- GoldenTables.names.filter(_.startsWith("clustered")); path <- files(name)) {
      val whole = golden.read(path).get
      val random = new Random(path.hashCode.toLong)
      Seq.fill(20)(random.nextInt(whole.length)).foreach(length =>
        Damage.tried(s"$path, cut at $length", MostAllocated)(readAll(store(name, path, whole.take(length)))))
    }
  }

  private val CommitPath = "/t/.hoodie/timeline/20260101000000000_20260101000000001.commit"

  /** The error that a commit file of these bytes ends in, which must cost next to nothing. */
  private def reason(bytes: Array[Byte]): String = Damage.tried("forged", 4L << 20) {
    intercept[CorruptTable](CommitCodec.read(bytes, CommitPath)).parameters("reason")
  }.get

  private def avro(schema: String, block: Array[Byte]): Array[Byte] = {
    val out = new io.hudilite.codec.avro.AvroOutput
    out.long(1L)
    out.text("avro.schema")
    out.text(schema)
    out.long(0L)
    val sync = new Array[Byte](16)
    val size = new io.hudilite.codec.avro.AvroOutput
    size.long(1L)
    size.long(block.length.toLong)
    "Obj".getBytes(UTF_8) ++ Array[Byte](1) ++ out.result() ++ sync ++ size.result() ++ block ++ sync
  }

  private def record(fieldType: String): String =
    s"""{"type":"record","name":"r","fields":[{"name":"operationType","type":$fieldType}]}"""

  private def number(value: Long): Array[Byte] = {
    val out = new io.hudilite.codec.avro.AvroOutput
    out.long(value)
    out.result()
  }

  test("a small commit file that speaks of gigabytes costs no memory") {
    val huge = number(Int.MaxValue.toLong)
    Seq("\"string\"", "\"bytes\"", """{"type":"array","items":"string"}""", """{"type":"map","values":"string"}""",
      """{"type":"array","items":"null"}""", """{"type":"array","items":"long"}""").foreach { fieldType =>
      reason(avro(record(fieldType), huge))
      reason(avro(record(fieldType), number(Long.MaxValue)))
      reason(avro(record(fieldType), number(-Int.MaxValue.toLong) ++ huge ++ huge))
    }
    reason(avro(record(s"""{"type":"fixed","name":"f","size":${Int.MaxValue}}"""), Array[Byte](1, 2)))
    // The frame: more bytes of a block, of the header, of the sync marker than there are.
    val whole = avro(record("\"string\""), number(1L) :+ 'U'.toByte)
    assertEquals(CommitCodec.read(whole, CommitPath).operation, "U")
    reason(whole.take(whole.length - 19) ++ huge ++ huge)
    reason("Obj".getBytes(UTF_8) ++ Array[Byte](1) ++ huge ++ huge)
    reason(whole.dropRight(1))
    reason(whole :+ 0.toByte)
  }

  test("a schema that holds itself does not take the stack down") {
    val nested = """{"type":"record","name":"r","fields":[{"name":"operationType","type":["null","r"]}]}"""
    reason(avro(nested, Array.fill(100000)(2.toByte)))
    val empty = """{"type":"record","name":"r","fields":[{"name":"operationType","type":"r"}]}"""
    reason(avro(empty, Array.emptyByteArray))
  }

  test("items that take no bytes are counted, not made") {
    val schema = record("""{"type":"array","items":"null"}""")
    val blocks = Array.concat(Seq.fill(1000)(number(900L)): _*)
    reason(avro(schema, blocks :+ 0.toByte))
  }

  test("an archive's manifest names files in its folder alone") {
    val folder = "/t/.hoodie/timeline/history"
    Seq("../../../../etc/passwd", "/etc/passwd", "..", "").foreach { name =>
      val memory = new MemoryStorage()
      memory.replace("/t/.hoodie/hoodie.properties", "hoodie.table.name=t\nhoodie.table.version=9\n".getBytes(UTF_8))
      memory.replace(s"$folder/manifest_1", s"""{"files":[{"fileName":"$name","fileLen":9}]}""".getBytes(UTF_8))
      val store = new TimelineStore(memory, "/t", TableProperties.read(memory, "/t"))
      assertEquals(intercept[CorruptTable](store.archivedCompleted()).parameters("path"), s"$folder/manifest_1")
      memory.replace(s"$folder/_version_", "1/../../x".getBytes(UTF_8))
      assertEquals(intercept[CorruptTable](store.archivedCompleted()).parameters("path"), s"$folder/_version_")
    }
  }

  test("a manifest of a number that no machine holds is the newest") {
    val memory = new MemoryStorage()
    memory.replace("/t/.hoodie/hoodie.properties", "hoodie.table.name=t\nhoodie.table.version=9\n".getBytes(UTF_8))
    val newest = s"/t/.hoodie/timeline/history/manifest_${"9" * 30}"
    memory.replace(newest, "rubbish".getBytes(UTF_8))
    memory.replace("/t/.hoodie/timeline/history/manifest_3", "{}".getBytes(UTF_8))
    val store = new TimelineStore(memory, "/t", TableProperties.read(memory, "/t"))
    assertEquals(intercept[CorruptTable](store.archivedCompleted()).parameters("path"), newest)
  }
}
