package io.hudilite.metadata.stored

import io.hudilite.codec.hfile.{HFile, HFileForm, HFileImage, HFileWriter}
import io.hudilite.filegroup.FileSlice
import io.hudilite.log.{BlockKind, HeaderKey, LogBlock}
import io.hudilite.metadata.{MetadataKeys, RecordSchema}
import io.hudilite.storage.MemoryStorage

import java.nio.charset.StandardCharsets.UTF_8

import munit.FunSuite

class SortedRecordsSuite extends FunSuite {

  private def block(content: Array[Byte]): SliceBlock = SliceBlock(
    LogBlock("/l", BlockKind.HFileData, Map(HeaderKey.Schema -> RecordSchema.ofFiles), 0L, content.length.toLong),
    () => content, () => HFile.of(content, "/l"))

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
}
