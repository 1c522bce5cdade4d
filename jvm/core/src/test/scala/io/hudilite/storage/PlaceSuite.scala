package io.hudilite.storage

import java.nio.file.Files

import munit.FunSuite
import org.apache.hadoop.conf.Configuration

class PlaceSuite extends FunSuite {

  private val storage = new HadoopStorage(new Configuration())

  test("spellings of one place of an object store have one key") {
    val same = Seq("s3a://Bucket/a/t", "s3://bucket/a/t", "s3n://bucket/a/t", "s3a://bucket//a/t/", "S3A://bucket/a//t")
    assertEquals(same.map(Place.remote(_).key).distinct, Seq("s3a://bucket/a/t"))
    assertEquals(Place.remote("abfss://c@account/t"), Place.remote("abfs://c@account/t/"))
    assertEquals(Place.remote("hdfs://name:8020/t"), Place.remote("hdfs://name/t"))
    val others =
      Seq("s3a://bucket/a/T", "s3a://other/a/t", "gs://bucket/a/t", "hdfs://name:9000/t", "hdfs://name/t", "/t")
    assertEquals((others ++ same).map(Place.remote(_).key).distinct.size, others.size + 1)
    assert(others.forall(Place.remote(_).local.isEmpty))
  }

  test("spellings of one local folder have one key, also through links and before it is there") {
    val folder = Files.createTempDirectory("hudilite-place").toRealPath()
    val link = Files.createSymbolicLink(folder.resolve("link"), Files.createDirectory(folder.resolve("real")))
    def key(path: String): String = storage.place(path).key
    for (made <- Seq(false, true)) {
      if (made) Files.createDirectory(folder.resolve("real/t"))
      val keys = Seq(s"$folder/real/t", s"$folder/real/t/", s"file:$folder/real/t", s"file://$folder//real/t",
        s"$link/t", s"$folder/real/../real/t").map(key)
      assertEquals(keys.distinct, Seq(s"file:$folder/real/t"))
    }
    assertNotEquals(key(s"$folder/real/u"), key(s"$folder/real/t"))
    assertEquals(storage.place(s"file:$folder/real/t").local.map(_.toString), Some(s"$folder/real/t"))
  }
}
