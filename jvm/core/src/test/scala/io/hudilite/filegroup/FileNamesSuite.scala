package io.hudilite.filegroup

import munit.FunSuite

class FileNamesSuite extends FunSuite {

  private val id = "1977df6e-567a-4a88-b82c-e12f6eee42d7-0"

  test("a base file name comes apart as it was put together") {
    val name = FileNames.baseFile(id, FileNames.writeToken(0, 12, 345L), "20261121021051232")
    assertEquals(name, s"${id}_0-12-345_20261121021051232.parquet")
    assertEquals(FileNames.parseBaseFile(name), Some(BaseFileName(id, "0-12-345", "20261121021051232", "parquet")))
  }

  test("a log file name comes apart as it was put together") {
    val name = FileNames.logFile(id, "20261121020938858", 1, "0-692-1494")
    assertEquals(name, s".${id}_20261121020938858.log.1_0-692-1494")
    assertEquals(FileNames.parseLogFile(name),
      Some(LogFileName(id, "20261121020938858", 1, Some("0-692-1494"), isCdc = false)))
  }

  test("change-data files and token-less log files are recognised") {
    assertEquals(FileNames.parseLogFile(s".${id}_20261121020938858.log.2_0-1-2.cdc").map(_.isCdc), Some(true))
    assertEquals(FileNames.parseLogFile(s".${id}_20261121020938858.log.3").map(_.writeToken), Some(None))
  }

  test("ids of a record index have paths of partitions in them") {
    for (path <- Seq("2024%2D01%2D01", "v%3D1", "a b,c", "é")) {
      val group = s"record-index-$path-0001-0"
      assertEquals(FileNames.parseBaseFile(s"${group}_0-0-0_20261121021051232.hfile"),
        Some(BaseFileName(group, "0-0-0", "20261121021051232", "hfile")))
      assertEquals(FileNames.parseLogFile(FileNames.logFile(group, "20261121021051232", 1, "1-0-0")),
        Some(LogFileName(group, "20261121021051232", 1, Some("1-0-0"), isCdc = false)))
    }
    assertEquals(FileNames.parseBaseFile("record-index-a.b_0-0-0_20261121021051232.parquet"), None)
    assertEquals(FileNames.parseBaseFile("a.b-0_0-0-0_20261121021051232.hfile"), None)
  }

  test("names of other files are neither base nor log files") {
    Seq(".hoodie_partition_metadata", s".${id}_0-1-2_20261121021051232.parquet.crc", "_SUCCESS", "part-00000.parquet",
      s"${id}_0-1-2_20261121021051232.parquet.marker.CREATE", "hoodie.properties", s"${id}_20261121.parquet")
      .foreach { name =>
        assertEquals(FileNames.parseBaseFile(name), None, name)
        assertEquals(FileNames.parseLogFile(name), None, name)
      }
  }

  test("new file ids are a UUID and a number") {
    val ids = for (task <- 0 to 99; number <- 0 to 99) yield FileNames.newFileId("20261122201501002", task, number)
    assert(ids.forall(_.matches("[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}-0")))
    assertEquals(ids.distinct.size, ids.size)
    assertNotEquals(FileNames.newFileId("20261122201501003", 0, 0), ids.head)
  }
}
