package io.hudilite.log

import io.hudilite.error.CorruptTable
import io.hudilite.storage.MemoryStorage

import java.nio.charset.StandardCharsets.UTF_8

import munit.FunSuite

class LogFilesSuite extends FunSuite {

  private def block(instant: String, content: String): Array[Byte] = LogBlockWriter.bytes(BlockKind.AvroData,
    Map(HeaderKey.InstantTime -> instant, HeaderKey.Schema -> "{}"), content.getBytes(UTF_8))

  private val small = block("001", "first") ++ block("002", "second")

  private def storage(files: (String, Array[Byte])*): MemoryStorage = {
    val storage = new MemoryStorage()
    files.foreach { case (path, bytes) => storage.createNew(path, bytes) }
    storage
  }

  private def contents(files: LogFiles, blocks: Seq[LogBlock]): Seq[String] =
    blocks.map(b => new String(files.content(b), UTF_8))

  test("a small file is read once for its blocks and all their contents") {
    val store = storage("/t/.f.log.1" -> small)
    val files = new LogFiles(store)
    val found = files.blocks("/t/.f.log.1", small.length.toLong)
    assertEquals(contents(files, found), Seq("first", "second"))
    assertEquals(store.reads, 1)
  }

  private def viewed(files: LogFiles, blocks: Seq[LogBlock]): Seq[String] =
    blocks.map(b => UTF_8.decode(files.view(b)).toString)

  test("contents of a file in memory are looked at where they are, those of other files as well") {
    val store = storage("/t/.f.log.1" -> small)
    val kept = new LogFiles(store)
    val found = kept.blocks("/t/.f.log.1", small.length.toLong)
    assertEquals(viewed(kept, found), Seq("first", "second"))
    assert(kept.view(found.head).array eq kept.view(found(1)).array)
    val other = new LogFiles(store, maxKeptBytes = 0L)
    assertEquals(viewed(other, other.blocks("/t/.f.log.1", small.length.toLong)), Seq("first", "second"))
  }

  test("files beyond the bound are not kept, and read as well") {
    val store = storage("/t/.f.log.1" -> small, "/t/.f.log.2" -> small)
    val files = new LogFiles(store, maxKeptBytes = small.length + 1L)
    val found = Seq("/t/.f.log.1", "/t/.f.log.2").map(files.blocks(_, small.length.toLong))
    val before = store.reads
    assertEquals(contents(files, found.head), Seq("first", "second"))
    assertEquals(store.reads, before)
    assertEquals(contents(files, found(1)), Seq("first", "second"))
    assert(store.reads > before)
  }

  test("a small file that is shorter than it was listed is an error") {
    val files = new LogFiles(storage("/t/.f.log.1" -> small))
    val error = intercept[CorruptTable](files.blocks("/t/.f.log.1", small.length + 1L))
    assert(error.parameters("reason").startsWith("it ends early"), error.parameters("reason"))
  }
}
