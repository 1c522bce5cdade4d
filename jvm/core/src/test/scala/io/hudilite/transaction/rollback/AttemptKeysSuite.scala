package io.hudilite.transaction.rollback

import io.hudilite.record.KeyChange
import io.hudilite.storage.MemoryStorage
import io.hudilite.upkeep.ToldKeys

import java.nio.charset.StandardCharsets.UTF_8

import munit.FunSuite

/** Record keys that task attempts tell: with their answers, or in notes beside their markers. */
class AttemptKeysSuite extends FunSuite {

  private val storage = new MemoryStorage()
  private val permit = WritePermit("20260101000000000", "run")

  private def attempt(base: String, number: Int, telling: KeyTelling): (AttemptFiles, AttemptKeys) = {
    val files = new AttemptFiles(storage, base, permit)
    (files, new AttemptKeys(files, Some(telling), s"0-0-$number"))
  }

  private def tell(keys: AttemptKeys, count: Int): Seq[KeyChange] = {
    val place = keys.place("p", Some("f-0"))
    val outside = keys.place("p", None)
    (0 until count).map { i =>
      val key = s"key-$i".getBytes(UTF_8)
      keys.tell(if (i % 3 == 0) outside else place, key, 0, key.length)
      KeyChange(s"key-$i", "p", if (i % 3 == 0) None else Some("f-0"))
    }
  }

  private def read(told: ToldKeys): Seq[KeyChange] = told.parts.flatMap(_.changes(storage))

  private def notes(base: String): Seq[String] =
    storage.list(Markers.folder(base, permit.instant)).map(_.name).sorted

  test("few keys go with the answer, and nothing is written") {
    val (_, keys) = attempt("/few", 0, KeyTelling(mostSent = 100))
    val changes = tell(keys, 100)
    val told = keys.told().get
    assert(told.parts.size == 1 && told.parts.head.isInstanceOf[ToldKeys.Sent], told.toString)
    assertEquals(read(told), changes)
    assertEquals(notes("/few"), Nil)
  }

  test("one more goes to a note, and many to several, each of which is read by itself") {
    val (_, one) = attempt("/one", 0, KeyTelling(mostSent = 100))
    val changes = tell(one, 101)
    val told = one.told().get
    assertEquals(notes("/one"), Seq("KEYS-0-0-0-0"))
    assertEquals((read(told), told.estimate), (changes, 101L))

    val (_, many) = attempt("/many", 0, KeyTelling(mostSent = 100, noteBytes = 2000))
    val more = tell(many, 1000)
    val all = many.told().get
    assert(notes("/many").size > 3 && all.parts.forall(_.isInstanceOf[ToldKeys.Noted]), all.toString)
    assertEquals((read(all), all.estimate), (more, 1000L))
  }

  test("notes of an attempt that is given up go, those of another stay, and none of them is a marker") {
    val (lost, keys) = attempt("/two", 0, KeyTelling(mostSent = 1))
    tell(keys, 10)
    keys.told()
    val (_, won) = attempt("/two", 1, KeyTelling(mostSent = 1))
    val changes = tell(won, 20)
    val told = won.told().get
    assertEquals(notes("/two"), Seq("KEYS-0-0-0-0", "KEYS-0-0-1-0"))
    assertEquals(Markers.list(storage, "/two", permit.instant), Nil)
    lost.discard()
    assertEquals(notes("/two"), Seq("KEYS-0-0-1-0"))
    assertEquals(read(told), changes)
    Markers.delete(storage, "/two", permit.instant)
    assertEquals(notes("/two"), Nil)
  }

  test("nothing is told where nobody asks") {
    val keys = new AttemptKeys(new AttemptFiles(storage, "/none", permit), None, "0-0-0")
    tell(keys, 10)
    assertEquals(keys.told(), None)
  }
}
