package io.hudilite.metadata

import io.hudilite.codec.hash.Xxh64

import munit.FunSuite

class MetadataKeysSuite extends FunSuite {

  test("names are hashed as Apache Hudi hashes them") {
    val known = Map("x" -> "wRnP+I5Ah7A=", "y" -> "2RHn+chNj3g=", "id" -> "sLZoasJosec=",
      "_hoodie_record_key" -> "uSJGdDiVr/k=", "." -> "FXThHwelITM=", "__partition_stat__" -> "2CMHrhWVE9w=")
    known.foreach { case (name, hash) => assertEquals(MetadataKeys.hashed(name), hash) }
  }

  test("texts of 32 bytes and more are hashed by stripes") {
    // Of the reference implementation.
    assertEquals(Xxh64.hash(Array.emptyByteArray, 0L), 0xef46db3751d8e999L)
    val text = "Nobody inspects the spammish repetition".getBytes("US-ASCII")
    assertEquals(Xxh64.hash(text, 0L), 0xfbcea83c8a378bf1L)
  }

  test("a key lies in the file group that its hash says, as seen in tables of Apache Hudi") {
    assertEquals(Seq("k1-0009", "k1-0006").map(MetadataKeys.groupOf(_, 10)), Seq(0, 7))
    assertEquals(MetadataKeys.groupOf("anything", 1), 0)
  }

  test("the unpartitioned table has a name of its own") {
    assertEquals((MetadataKeys.ofPartition(""), MetadataKeys.path("."), MetadataKeys.path("a/b")), (".", "", "a/b"))
  }
}
