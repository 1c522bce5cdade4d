package io.hudilite.metadata.stored

import io.hudilite.codec.hfile.{HFile, HFileForm, HFileImage, HFileWriter}
import io.hudilite.error.CorruptTable
import io.hudilite.filegroup.{BaseFile, FileSlice}
import io.hudilite.log.{BlockKind, HeaderKey, LogBlock}
import io.hudilite.metadata.{MetadataKeys, RecordSchema}
import io.hudilite.storage.{MemoryStorage, OpenFiles}

import java.nio.charset.StandardCharsets.UTF_8

import munit.FunSuite

class SortedRecordsSuite extends FunSuite {

  private def block(content: Array[Byte], file: Array[Byte] => HFile = HFile.of(_, "/l")): SliceBlock = SliceBlock(
    LogBlock("/l", BlockKind.HFileData, Map(HeaderKey.Schema -> RecordSchema.ofFiles), 0L, content.length.toLong),
    () => fail("a block is read as a whole"), () => file(content))

  test("blocks in the order of Java's strings are merged with others by the bytes of the keys") {
    val (own, face) = ("\uE000", "\uD83D\uDE00")
    val keys = Seq("a", s"$own$$1", s"$face$$1", s"$face$$2", s"$own$$2", "z")
    def records(some: Seq[String], value: Byte): Seq[(String, Array[Byte])] = some.map(_ -> Array(value))
    def ours(some: Seq[String]): SliceBlock = block(HFileWriter.bytes(
        records(some.sorted(MetadataKeys.order), 2).iterator.map { case (k, v) => k.getBytes(UTF_8) -> v },
        HFileForm("", 0L)))
    val theirs = block(HFileImage.of(records(keys, 1), gzip = true, cellsInPiece = 2))
    val newer = keys.filter(_.endsWith("1"))
    val merged = new SortedRecords(new MemoryStorage(() => 0L), "/m")
      .of(FileSlice("p", "f", "1", None, Nil), Seq(theirs, ours(newer)))
      .map { case (key, value) => new String(key, UTF_8) -> value.head.toInt }
    assertEquals(merged.toList,
      keys.sorted(MetadataKeys.order).map(key => key -> (if (newer.contains(key)) 2 else 1)))
  }

  test("files are closed behind the last record, and where one of them cannot be opened") {
    val storage = new OpenFiles(new MemoryStorage(() => 0L))
    def made(keys: String*): Array[Byte] =
      HFileWriter.bytes(keys.iterator.map(_.getBytes(UTF_8) -> Array[Byte](1)), HFileForm(RecordSchema.ofFiles, 0L))
    def within(name: String)(content: Array[Byte]): HFile = {
      storage.createNew(name, content)
      HFile.within(storage, name, content.length.toLong, 0L, content.length.toLong)
    }
    val base = made("a", "d")
    storage.createNew("/m/p/b", base)
    val slice = FileSlice("p", "f", "1", Some(BaseFile("p", "b", "f", "0", "1", base.length.toLong)), Nil)
    def merged(blocks: SliceBlock*): Iterator[String] =
      new SortedRecords(storage, "/m").of(slice, blocks).map(entry => new String(entry._1, UTF_8))
    val blocks = Seq(block(made("b"), within("/l1")), block(made("a", "c"), within("/l2")))
    val all = merged(blocks: _*)
    assertEquals(storage.open, Set("/m/p/b", "/l1", "/l2"))
    assertEquals((all.toList, storage.open), (List("a", "b", "c", "d"), Set.empty[String]))
    intercept[CorruptTable](merged(blocks :+ block(new Array[Byte](9), within("/l3")): _*))
    assertEquals(storage.open, Set.empty[String])
  }
}
