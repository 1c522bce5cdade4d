package io.hudilite.storage

import io.hudilite.filegroup.FooterCache

import java.io.EOFException
import java.nio.file.{Files, Path => LocalPath}
import java.util.UUID

import munit.FunSuite
import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Path
import org.apache.parquet.example.data.simple.SimpleGroupFactory
import org.apache.parquet.hadoop.ParquetFileReader
import org.apache.parquet.hadoop.example.ExampleParquetWriter
import org.apache.parquet.hadoop.util.HadoopInputFile
import org.apache.parquet.schema.MessageTypeParser

import scala.collection.JavaConverters._

/** How often a store is asked for files of known size. */
class KnownPathSuite extends FunSuite {

  private val conf = new Configuration()
  CountingFileSystem.configure(conf)

  private val root = Files.createTempDirectory("hudilite-known")

  private def calls(body: => Any): Map[String, Int] = CountingFileSystem.during(body)._2.counts

  private def file(bytes: Int): KnownPath = {
    val path = root.resolve(UUID.randomUUID().toString)
    Files.write(path, Array.tabulate(bytes)(i => (i % 101).toByte))
    known(path)
  }

  private def known(path: LocalPath): KnownPath =
    new KnownPath(CountingFileSystem.path(path.toString), Files.size(path))

  private def read(path: KnownPath, ranges: (Int, Int)*): Unit = {
    val in = path.getFileSystem(conf).open(path)
    try ranges.foreach { case (from, count) =>
        val bytes = new Array[Byte](count)
        in.seek(from.toLong)
        in.readFully(bytes)
        assertEquals(bytes.toSeq, Seq.tabulate(count)(i => ((from + i) % 101).toByte))
        assertEquals(in.getPos, from.toLong + count)
      }
    finally in.close()
  }

  test("neither the status nor opening the file asks the store") {
    val path = file(300000)
    assertEquals(calls {
        val files = path.getFileSystem(conf)
        assertEquals(files.getFileStatus(path).getLen, 300000L)
        files.open(path).close()
        files.openFile(path).build().get.close()
      }, Map.empty[String, Int])
  }

  test("the end of a file is asked for once in a process, whoever asks") {
    val path = file(300000)
    assertEquals(calls(read(path, 299992 -> 8, 299000 -> 900, 260000 -> 40000)), Map("get" -> 1))
    assertEquals(calls(read(path, 299000 -> 1000, 250000 -> 40000)), Map.empty[String, Int])
  }

  test("what lies before the end is a request of its own, and the end is not read for it") {
    val path = file(300000)
    assertEquals(calls(read(path, 0 -> 100000)), Map("get" -> 1))
    assertEquals(calls(read(path, 100000 -> 10)), Map("get" -> 1))
    assertEquals(calls(read(path, 299996 -> 4)), Map("get" -> 1))
  }

  test("a small file is one request") {
    val path = file(60000)
    assertEquals(calls(read(path, 59992 -> 8, 0 -> 60000, 7 -> 100)), Map("get" -> 1))
  }

  test("a long footer comes by one request together with the page indexes before it, and is kept") {
    val path = file(900000)
    assertEquals(calls(read(path, 899992 -> 8, 500000 -> 399992)), Map("get" -> 2))
    assertEquals(calls(read(path, 440000 -> 60000, 500000 -> 400000)), Map.empty[String, Int])
  }

  test("a file that is shorter than it was listed says so") {
    val path = root.resolve(UUID.randomUUID().toString)
    Files.write(path, new Array[Byte](1000))
    val longer = new KnownPath(CountingFileSystem.path(path.toString), 1010L)
    intercept[EOFException](read(longer, 1000 -> 10))
    intercept[EOFException](read(longer, 995 -> 10))
  }

  test("a footer takes one request for all that it says, and its pages none when they lie beside it") {
    val path = parquet(rows = 1000)
    val (footer, asked) = CountingFileSystem.during {
      FooterCache.read(conf, path.toString, path.length, withBloom = true)
      FooterCache.metadata(conf, path.toString, path.length)
    }
    assertEquals(asked.counts, Map("get" -> 1))
    assertEquals(footer.getBlocks.asScala.map(_.getRowCount).sum, 1000L)
    def rows(path: Path): Map[String, Int] = calls {
      val reader = ParquetFileReader.open(HadoopInputFile.fromPath(path, conf))
      try assertEquals(reader.readNextRowGroup().getRowCount, 1000L)
      finally reader.close()
    }
    assertEquals(rows(path), Map.empty[String, Int])
    val plain = rows(new Path(path.toString)) // docs/decisions/0016-code-beside-the-libraries.md
    assert(plain.values.sum >= 4, plain)
  }

  private def parquet(rows: Int): KnownPath = {
    val schema = MessageTypeParser.parseMessageType("message m { required binary k (UTF8); required int64 n; }")
    val path = root.resolve(s"${UUID.randomUUID()}.parquet")
    val writer = ExampleParquetWriter.builder(new Path(path.toString)).withConf(conf).withType(schema).build()
    val groups = new SimpleGroupFactory(schema)
    (0 until rows).foreach(i => writer.write(groups.newGroup().append("k", s"k$i").append("n", i.toLong)))
    writer.close()
    known(path)
  }

  test("listed files are read without asking for their status") {
    val storage = new HadoopStorage(conf)
    val paths = (1 to 5).map(i => CountingFileSystem.path(s"$root/listed/$i"))
    paths.foreach(storage.createNew(_, Array.fill[Byte](10)(1)))
    val files = storage.list(CountingFileSystem.path(s"$root/listed"))
    assertEquals(calls(assertEquals(storage.readListed(files).map(_._2.length).toSeq, Seq.fill(5)(10))),
      Map("get" -> 5))
    val gone = FileInfo(s"${paths.head}-gone", 10L, 0L, isDirectory = false)
    assertEquals(storage.readListed(Seq(gone)), Map.empty[String, Array[Byte]])
  }
}
