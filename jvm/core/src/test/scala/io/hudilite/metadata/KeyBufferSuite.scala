package io.hudilite.metadata

import io.hudilite.record.{ChangeBuffer, KeyChange, KeyNotes}

import java.io.{ByteArrayInputStream, ByteArrayOutputStream}
import java.nio.charset.StandardCharsets.UTF_8

import munit.FunSuite

/** Told keys as bytes, as tasks make them and as `KeyNotes` reads them. */
class KeyBufferSuite extends FunSuite {

  private def add(buffer: ChangeBuffer, change: KeyChange): Unit = {
    val bytes = s"<${change.key}>".getBytes(UTF_8)
    buffer.add(buffer.place(change.partition, change.fileId, change.from), bytes, 1, bytes.length - 2)
  }

  private def read(bytes: Array[Byte]): Seq[KeyChange] = KeyNotes.read(new ByteArrayInputStream(bytes)).toList

  private val places = Seq("" -> Some("f-0"), "" -> None, "a=é/b" -> Some("f-0"), "a=é/b" -> None)
  private val keys = Seq("k", "", "a\u0000b", "\u0000", "ключ", "\ud83d\ude00", "x" * 40000)

  test("keys of places in turn, with bytes of every kind, are read as they were told") {
    val changes = for (key <- keys; (partition, file) <- places ++ places; from <- Seq(None, Some("f-1")))
      yield KeyChange(key, partition, file, from.filter(_ => file.isEmpty))
    val buffer = new ChangeBuffer
    changes.foreach(add(buffer, _))
    assertEquals(buffer.count, changes.size.toLong)
    assertEquals(read(buffer.take()), changes)
  }

  test("what is told after a part was taken is read by itself, and parts follow each other") {
    val buffer = new ChangeBuffer
    val changes = (0 until 10).map(i => KeyChange(s"k$i", places(i % 2)._1, places(i % 2)._2))
    val parts = changes.grouped(5).map { some =>
      some.foreach(add(buffer, _))
      buffer.take()
    }.toList
    assertEquals(parts.map(read), changes.grouped(5).toList)
    assertEquals(read(parts.reduce(_ ++ _)), changes)
    assertEquals(buffer.count -> buffer.take().length, 0L -> 0)
  }

  test("notes of the plain writer are read alike, and take as much room") {
    val out = new ByteArrayOutputStream
    val notes = new KeyNotes(out)
    val changes = (0 until 1000).map(i => KeyChange(s"key-$i", "p", Some("f-0")))
    changes.foreach(notes.add)
    assertEquals(read(out.toByteArray), changes)
    val buffer = new ChangeBuffer
    changes.foreach(add(buffer, _))
    assertEquals(buffer.length, out.size)
  }

  test("notes that are cut off, or name a place that nobody told, are an error") {
    val buffer = new ChangeBuffer
    Seq("a", "bc").foreach(k => add(buffer, KeyChange(k, "p", Some("f"))))
    val whole = buffer.take()
    (2 until whole.length).foreach { length =>
      val cut = java.util.Arrays.copyOf(whole, length)
      val outcome = scala.util.Try(read(cut))
      assert(outcome.failed.toOption.exists(_.isInstanceOf[IllegalArgumentException]) ||
          outcome.get.size < 2, s"$length: $outcome")
    }
    intercept[IllegalArgumentException](read(Array[Byte](1, 4, 0, 0, 0, 0)))
  }
}
