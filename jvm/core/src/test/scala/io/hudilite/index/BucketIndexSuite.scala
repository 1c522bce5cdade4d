package io.hudilite.index

import io.hudilite.filegroup.FileNames

import java.nio.charset.StandardCharsets.UTF_8

import munit.FunSuite

class BucketIndexSuite extends FunSuite {

  private val byId = BucketIndex(4, Seq("id"))

  test("a key belongs to the bucket where Hudi puts it") {
    assertEquals(Seq("0", "1", "2", "3").map(byId.bucketOf), Seq(3, 0, 1, 2))
    assertEquals(BucketIndex(16, Seq("id")).bucketOf("abc"), 1)
    assertEquals(BucketIndex(16, Seq("x", "y")).bucketOf("x:a,y:b"), 2)
  }

  test("the bytes of a key give the bucket of its text") {
    val keys = Seq("", "7", "0000-ab", "id:1", "a:1,id:2", "é", "中文:x,id:ключ", "😀", "x,y:z", "x" * 1000)
    for (key <- keys; index <- Seq(byId, BucketIndex(1, Nil), BucketIndex(65536, Seq("id", "a")))) {
      val bytes = s"--$key--".getBytes(UTF_8)
      assertEquals(index.bucketOf(bytes, 2, bytes.length - 4), index.bucketOf(key), key)
      assert(index.bucketOf(key) >= 0 && index.bucketOf(key) < index.count, key)
    }
  }

  test("only the hash fields of a key with field names decide") {
    val byName = BucketIndex(97, Seq("name"))
    assertEquals(byName.bucketOf("id:1,name:x"), byName.bucketOf("id:2,name:x"))
    assertNotEquals(byName.bucketOf("id:1,name:x"), byName.bucketOf("id:1,name:y"))
    assertEquals(byName.bucketOf("id:1,name:__null__"), 31 % 97)
  }

  test("file ids carry their bucket") {
    val plain = FileNames.newFileId("20261122201501002", 0, 0)
    val id = BucketIndex.newFileId(3, plain)
    assert(id.matches("00000003(-[0-9a-f]{4}){3}-[0-9a-f]{12}-0"), id)
    assertEquals(BucketIndex.bucketOfFile(id), Some(3))
    assertEquals(BucketIndex.bucketOfFile(BucketIndex.newFileId(65535, plain)), Some(65535))
    assertNotEquals(BucketIndex.newFileId(3, FileNames.newFileId("20261122201501002", 0, 1)), id)
  }

  test("the id of a file group without a bucket does not begin like one") {
    val ids = for (task <- 0 to 999; number <- 0 to 99) yield FileNames.newFileId("20261122201501002", task, number)
    assert(!ids.exists(_.take(8).forall(Character.isDigit)))
  }

  test("a random file id is of no bucket, be it all digits") {
    for (id <- Seq("4649abcd-4649-4b38-9a48-7a5013bf23d3-0", "00065536-4649-4b38-9a48-7a5013bf23d3-0", "0000000", "x"))
      assertEquals(BucketIndex.bucketOfFile(id), None, id)
  }
}
