package io.hudilite.index

import io.hudilite.config.{IndexConf, TableConfig, TableDefinition, TableType, WriteConf}
import io.hudilite.error.InvalidInput
import io.hudilite.filegroup.FileGroupId

import java.nio.charset.StandardCharsets.UTF_8

import munit.FunSuite

/** Hash rings as Apache Hudi makes them and deals keys by them. */
class HashRingSuite extends FunSuite {

  private val ring = HashRing.initial("p1", 4)
  private val index = BucketIndex(4, Seq("id"), rings = Some(HashRings.New))

  test("texts have the hashes of the published algorithm") {
    assertEquals(HashRing.hashOf(Seq("")), 0x02cc5d05)
    assertEquals(HashRing.hashOf(Seq("a")), 0x550d7456)
    assertEquals(HashRing.hashOf(Seq("abc")), 0x32d153ff)
    assertEquals(HashRing.hashOf(Seq("Nobody inspects the spammish repetition")), 0xe2293b2f)
  }

  test("a partition begins with the nodes and file groups that Hudi gives it, and keys lie where Hudi puts them") {
    assertEquals(ring.nodes.map(_.value), IndexedSeq(536870912, 1073741824, 1610612736, 2147483647))
    assertEquals(ring.nodes.map(_.fileIdPrefix),
      IndexedSeq("c47f2c8e-7d46-3b96-83f5-8eebc912150e",
        "1213f6bd-782d-3c88-b9d3-02cbd6c52839", "d565737e-2390-3db1-a9a4-a1bfe6c6f87d",
        "2a5cbbcf-2b87-3237-9643-9e440ea0658b"))
    val written = Seq(Seq(6, 12, 16, 24, 30, 36), Seq(4, 18, 20, 22, 26, 32, 34, 38), Seq(0, 2, 28), Seq(8, 10, 14))
    for ((keys, bucket) <- written.zipWithIndex; key <- keys) {
      assertEquals(index.in("p1").bucketOf(s"k$key"), bucket, s"k$key")
      assertEquals(index.in("p1").newFileId(s"k$key", "plain-0"), ring.fileId(bucket))
    }
    assertEquals(HashRing.initial("", 4).nodes.map(_.fileIdPrefix.take(8)).toSet,
      Set("67dbc0d8", "7c2dbe75", "b5caa668", "f6e5fc82"))
    assertEquals(HashRing.initial("p", 3).nodes.map(_.value), IndexedSeq(715827883, 1431655766, 2147483647))
  }

  test("the bytes of a key give the bucket of its text, and a key's hash fields alone decide") {
    val many = BucketIndex(97, Seq("id"), rings = Some(HashRings.New)).in("p")
    for (key <- Seq("", "7", "é", "中文:x,id:ключ", "😀", "x,y:z", "x" * 1000, "a:1,id:2")) {
      val bytes = s"--$key--".getBytes(UTF_8)
      assertEquals(many.bucketOf(bytes, 2, bytes.length - 4), many.bucketOf(key), key)
    }
    assertEquals(many.bucketOf("a:1,id:2"), many.bucketOf("a:5,id:2"))
    assertEquals(many.bucketOf("a:1,id:__null__"), many.bucketOf("null"))
    val both = many.copy(hashFields = Seq("a", "id"))
    assertEquals(both.bucketOf("a:1,id:2"), both.bucketOf("12"))
  }

  test("keys beyond the last node of a ring that was merged belong to its first") {
    val merged = HashRing.of(Seq(HashNode(200, "b"), HashNode(100, "a")))
    assertEquals(Seq(0, 100, 101, 200, 201, Int.MaxValue, -1).map(merged.bucketOf), Seq(0, 0, 1, 1, 0, 0, 0))
    assertEquals((merged.fileId(1), merged.bucketOfFile("b-0"), merged.bucketOfFile("c-0")), ("b-0", Some(1), None))
    assertEquals(HashRing.of(Seq(HashNode(268435455, "a"))).bucketOf(Int.MaxValue), 0)
  }

  test("nodes that leave open where a key belongs are no ring") {
    assertEquals(ring.fault, None)
    for (nodes <- Seq(Nil, Seq(HashNode(1, "a"), HashNode(1, "b")), Seq(HashNode(1, "a"), HashNode(2, "a")),
        Seq(HashNode(-1, "a")), Seq(HashNode(1, ""))))
      assert(HashRing.of(nodes).fault.isDefined, nodes.toString)
  }

  test("nobody deals keys by a ring that nobody has read") {
    val unread = BucketIndex(4, Seq("id"), rings = Some(HashRings.Unread))
    intercept[IllegalStateException](unread.in("p1"))
    intercept[IllegalStateException](unread.bucketOf("k"))
    intercept[IllegalStateException](index.bucketOfFile(ring.fileId(0)))
    val groups = ring.nodes.indices.map(b => FileGroupId("p1", ring.fileId(b)))
    assert(index.fits(groups.iterator) && !index.fits((groups :+ FileGroupId("p2", ring.fileId(0))).iterator))
    assert(unread.isSame(index) && !unread.isSame(BucketIndex(4, Seq("id"))) && unread.isSame(index.copy(count = 8)))
  }

  test("only a merge-on-read table gets rings, with a number of nodes that have values of their own") {
    def asked(options: (String, String)*): IndexConf = WriteConf.of(Map("hoodie.index.type" -> "BUCKET",
      "hoodie.index.bucket.engine" -> "CONSISTENT_HASHING") ++ options).index
    def config(kind: TableType): TableConfig =
      TableConfig.create(TableDefinition("t", Seq("id"), Seq("p"), version = 9, tableType = kind))
    val of = config(TableType.MergeOnRead)
    assertEquals(Index.of(of, asked("hoodie.bucket.index.num.buckets" -> "4")).buckets.map(_.isConsistent), Some(true))
    val engine = Some("hoodie.index.bucket.engine")
    for ((table, conf) <- Seq(config(TableType.CopyOnWrite) -> asked(),
        of -> asked("hoodie.bucket.index.num.buckets" -> "65530"),
        of -> asked("hoodie.bucket.index.partition.expressions" -> "a,3")))
      assertEquals(intercept[InvalidInput](Index.of(table, conf)).parameters.get("option"), engine)
  }
}
