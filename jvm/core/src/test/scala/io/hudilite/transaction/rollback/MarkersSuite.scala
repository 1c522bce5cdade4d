package io.hudilite.transaction.rollback

import io.hudilite.storage.MemoryStorage
import io.hudilite.timeline.WriteStat
import io.hudilite.transaction.lock.Process

import munit.FunSuite

class MarkersSuite extends FunSuite {

  private val instant = "20260101000001000"
  private val top = s"/t/.hoodie/.temp/$instant"

  private def base(fileId: String, time: String = instant): String = s"${fileId}_0-1-2_$time.parquet"

  test("markers lie where Hudi looks for them and are found again") {
    val storage = new MemoryStorage()
    val other = "20260101000002000"
    Markers.create(storage, "/t", instant, Marker(s"2026/01/${base("a-0")}", Markers.Merge))
    Markers.create(storage, "/t", instant, Marker(base("b-0"), Markers.Create))
    Markers.create(storage, "/t", other, Marker(base("c-0", other), Markers.Create))
    assert(storage.exists(s"$top/2026/01/${base("a-0")}.marker.MERGE"))
    assertEquals(Markers.list(storage, "/t/", instant),
      Seq(Marker(s"2026/01/${base("a-0")}", "MERGE"), Marker(base("b-0"), "CREATE")))
    Markers.delete(storage, "/t", instant)
    assertEquals(Markers.list(storage, "/t", instant), Nil)
    assertEquals(Markers.list(storage, "/t", other).size, 1)
  }

  test("a file that is discarded is gone with its marker, and the others of its instant stay") {
    val storage = new MemoryStorage()
    val paths = Seq(s"2026/01/${base("a-0")}", s"2026/01/${base("b-0")}", base("c-0"))
    val markers = paths.map(Marker(_, Markers.Create))
    markers.foreach(Markers.create(storage, "/t", instant, _))
    markers.take(2).foreach(m => storage.replace(s"/t/${m.relativePath}", Array[Byte](1)))
    (markers.head +: markers.drop(2)).foreach(Markers.discard(storage, "/t/", instant, _))
    assertEquals(storage.list("/t/2026/01").map(_.path), Seq(s"/t/${markers(1).relativePath}"))
    assertEquals(storage.list(s"$top/2026/01").size, 1)
    assertEquals(storage.list(top).filterNot(_.isDirectory), Nil)
  }

  test("Hudi believes no marker of a folder that holds anything else, so the owner's file is not there") {
    val storage = new MemoryStorage()
    OwnerFile.write(storage, "/t", "1")
    assertEquals(storage.list(Markers.folder("/t", "1")), Nil)
    Process.current.ends(storage.place("/t"), "1")
  }

  test("a marker names a data file of its instant inside the table, or nothing") {
    val older = "20251231000000000"
    val named = Seq(
      s"p/${base("a-0")}.marker.CREATE",
      s"p=a:b c/q/${base("a-0")}.marker.MERGE",
      s"p/.a-0_$instant.log.1_0-1-2.marker.CREATE",
      s"p/.a-0_$older.log.2_0-1-2.marker.APPEND",
      s"p/.a-0_$instant.log.1_0-1-2.cdc.marker.CREATE")
    val refused = Seq(".marker.CREATE", "p/.marker.CREATE", ".hoodie.marker.CREATE", ".hoodie/timeline.marker.CREATE",
      s".hoodie/${base("a-0")}.marker.CREATE", s"p/../../${base("a-0")}.marker.CREATE",
      s"./${base("a-0")}.marker.CREATE",
      s"p//${base("a-0")}.marker.CREATE", s"/${base("a-0")}.marker.CREATE", s"p/${base("a-0", older)}.marker.CREATE",
      s"p/${base("a-0")}.marker.DELETE", s"p/${base("a-0")}.marker.", s"p/${base("a-0")}.marker.APPEND",
      s"p/.a-0_$older.log.2_0-1-2.marker.CREATE", "p/hoodie.properties.marker.CREATE", "p.marker.CREATE",
      s"p/${base("a-0")}", s"p/.${base("a-0")}.crc.marker.CREATE")
    for (name <- named) assert(MarkerName.parse(name, instant).exists(MarkerName.of(_) == name), name)
    for (name <- refused) assertEquals(MarkerName.parse(name, instant), None, name)
  }

  test("what is no marker in the folder of markers is passed over") {
    val storage = new MemoryStorage()
    for (name <- Seq(s"p/.${base("a-0")}.marker.CREATE.crc", "MARKERS.type", "MARKERS0", ".marker.CREATE", "x"))
      storage.replace(s"$top/$name", Array.emptyByteArray)
    assertEquals(Markers.list(storage, "/t", instant), Nil)
  }

  test("strays are the marked files that no stat names") {
    val stat = WriteStat("a-0", "p/a.parquet", "null", "p", cdcStats = Map("p/.a.log.1.cdc" -> 1L))
    val markers = Seq("p/a.parquet", "p/.a.log.1.cdc", "p/b.parquet").map(Marker(_, Markers.Create))
    assertEquals(Strays.find(markers, Seq(stat)), Seq("p/b.parquet"))
  }
}
