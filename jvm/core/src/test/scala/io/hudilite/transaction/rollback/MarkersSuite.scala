package io.hudilite.transaction.rollback

import io.hudilite.storage.MemoryStorage
import io.hudilite.timeline.WriteStat

import munit.FunSuite

class MarkersSuite extends FunSuite {

  test("markers lie where Hudi looks for them and are found again") {
    val storage = new MemoryStorage()
    Markers.create(storage, "/t", "20260101000001000", Marker("2026/01/a.parquet", Markers.Merge))
    Markers.create(storage, "/t", "20260101000001000", Marker("b.parquet", Markers.Create))
    Markers.create(storage, "/t", "20260101000002000", Marker("c.parquet", Markers.Create))
    assert(storage.exists("/t/.hoodie/.temp/20260101000001000/2026/01/a.parquet.marker.MERGE"))
    assertEquals(Markers.list(storage, "/t/", "20260101000001000"),
      Seq(Marker("2026/01/a.parquet", "MERGE"), Marker("b.parquet", "CREATE")))
    Markers.delete(storage, "/t", "20260101000001000")
    assertEquals(Markers.list(storage, "/t", "20260101000001000"), Nil)
    assertEquals(Markers.list(storage, "/t", "20260101000002000").size, 1)
  }

  test("a file that is discarded is gone with its marker, and the others of its instant stay") {
    val storage = new MemoryStorage()
    val markers = Seq("2026/01/a.parquet", "2026/01/b.parquet", "c.parquet").map(Marker(_, Markers.Create))
    markers.foreach(Markers.create(storage, "/t", "1", _))
    markers.take(2).foreach(m => storage.replace(s"/t/${m.relativePath}", Array[Byte](1)))
    (markers.head +: markers.drop(2)).foreach(Markers.discard(storage, "/t/", "1", _))
    assertEquals(Markers.list(storage, "/t", "1"), Seq(markers(1)))
    assertEquals(storage.list("/t/2026/01").map(_.name), Seq("b.parquet"))
  }

  test("Hudi believes no marker of a folder that holds anything else, so the owner's file is not there") {
    val storage = new MemoryStorage()
    Owner.write(storage, "/t", "1")
    assertEquals(storage.list(Markers.folder("/t", "1")), Nil)
    Owner.release("1")
  }

  test("checksums are no markers") {
    val storage = new MemoryStorage()
    storage.replace("/t/.hoodie/.temp/1/p/.a.parquet.marker.CREATE.crc", Array.emptyByteArray)
    assertEquals(Markers.list(storage, "/t", "1"), Nil)
  }

  test("strays are the marked files that no stat names") {
    val stat = WriteStat("a-0", "p/a.parquet", "null", "p", cdcStats = Map("p/.a.log.1.cdc" -> 1L))
    val markers = Seq("p/a.parquet", "p/.a.log.1.cdc", "p/b.parquet").map(Marker(_, Markers.Create))
    assertEquals(Strays.find(markers, Seq(stat)), Seq("p/b.parquet"))
  }
}
