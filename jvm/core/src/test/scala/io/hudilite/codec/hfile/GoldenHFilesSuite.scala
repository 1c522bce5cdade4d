package io.hudilite.codec.hfile

import io.hudilite.GoldenFolder

import java.nio.charset.StandardCharsets.UTF_8
import java.nio.file.{Files, Path}

import munit.FunSuite
import org.apache.avro.Schema
import org.apache.avro.generic.{GenericDatumReader, GenericRecord}
import org.apache.avro.io.DecoderFactory

import scala.collection.JavaConverters._

/** Every HFile that Apache Hudi wrote into the metadata tables of the golden tables. */
class GoldenHFilesSuite extends FunSuite {

  private lazy val files: Seq[Path] = {
    val walk = Files.walk(GoldenFolder.folder)
    try walk.iterator.asScala.filter(_.toString.endsWith(".hfile")).toList.sorted
    finally walk.close()
  }

  private def text(bytes: Array[Byte]): String = new String(bytes, UTF_8)

  test("HFiles of metadata tables hold records in the order of their keys, which lookups find") {
    assert(files.size > 15, files.size)
    files.foreach { path =>
      val file = HFile.of(Files.readAllBytes(path), path.toString)
      val records = file.scan.iterator.map { case (k, v) => text(k) -> v.toSeq }.toList
      assertEquals(records.size.toLong, file.entries, path)
      assertEquals(records.map(_._1), records.map(_._1).sorted, path)
      assertEquals(file.info("minRecordKey").map(text), records.headOption.map(_._1), path)
      assertEquals(file.info("maxRecordKey").map(text), records.lastOption.map(_._1), path)
      val reader = new GenericDatumReader[GenericRecord](new Schema.Parser().parse(text(file.info("schema").get)))
      records.foreach { case (key, value) =>
        val record = reader.read(null, DecoderFactory.get.binaryDecoder(value.toArray, null))
        assertEquals(record.get("key").toString, "", path)
        val near = HFileSuite.sorted(Seq(key, key.dropRight(1), s"$key!"))
        assertEquals(file.lookup(near).iterator.map(r => text(r._1) -> r._2.toSeq).toList, List(key -> value), path)
      }
      val prefix = records.head._1.take(12)
      assertEquals(file.prefixes(HFileSuite.sorted(Seq(prefix))).iterator.map(r => text(r._1)).toList,
        records.map(_._1).filter(_.startsWith(prefix)), path)
    }
  }
}
