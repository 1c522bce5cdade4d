package io.hudilite.index

import io.hudilite.config.BucketRule
import io.hudilite.filegroup.{FileGroupId, FileNames}

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

  test("keys and the buckets that they lie in leave one number of buckets, and few keys leave several") {
    for (count <- Seq(1, 2, 3, 7, 16, 256); fields <- Seq(Seq("id"), Seq("name", "id"))) {
      val index = BucketIndex(count, fields)
      val keys = (0 until 2000).map(i => if (fields.size == 1) i.toString else s"id:$i,name:n$i")
      def of(sample: Seq[String]): BucketEvidence =
        sample.foldLeft(BucketEvidence(fields))((evidence, key) => evidence.withKey(key, index.bucketOf(key)))
      assertEquals(of(keys).count, Some(count))
      assert(of(keys.take(1)).counts.contains(count))
    }
    val one = BucketEvidence(Seq("id")).withKey("1", 0)
    assert(one.counts.take(3).toList == List(1, 2, 4) && one.count.isEmpty)
    assertEquals(BucketEvidence(Seq("id")).withBucket(9).counts.next(), 10)
  }

  test("keys that lie by two numbers fit none") {
    val (four, eight) = (BucketIndex(4, Seq("id")), BucketIndex(8, Seq("id")))
    val evidence = (0 until 100).foldLeft(BucketEvidence(Seq("id"))) { (found, i) =>
      found.withKey(i.toString, four.bucketOf(i.toString)).withKey(s"x$i", eight.bucketOf(s"x$i"))
    }
    assertEquals(evidence.greatest, 7)
    assertEquals(evidence.counts.toList, Nil)
  }

  test("file groups fit an index when each has a bucket of its own in its partition") {
    def fits(groups: (String, String)*): Boolean =
      byId.fits(groups.iterator.map { case (partition, id) => FileGroupId(partition, id) })
    assert(fits())
    assert(fits("p" -> "00000000-a-0", "p" -> "00000003-b-0", "q" -> "00000003-c-0"))
    assert(!fits("p" -> "00000004-a-0"))
    assert(!fits("p" -> "0000000a-b-0"))
    assert(!fits("p" -> "00000001-a-0", "p" -> "00000001-b-0"))
  }

  test("the order of hash fields makes no other index") {
    val index = BucketIndex(4, Seq("a", "b"))
    assert(index.isSame(BucketIndex(4, Seq("b", "a"))))
    assert(!index.isSame(BucketIndex(4, Seq("a"))) && !index.isSame(BucketIndex(8, Seq("a", "b"))))
  }

  test("partitions have the number of buckets that a rule says, and all others the same") {
    val index = BucketIndex(4, Seq("id"), BucketRule.of("a,3;b,2"))
    assertEquals(Seq("a", "ab", "b", "c").map(index.in(_).count), Seq(3, 3, 2, 4))
    assertEquals(index.in("c"), byId)
    assert(index.isSame(index.copy()) && !index.isSame(byId))
    assertEquals(byId.in("a"), byId)
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
