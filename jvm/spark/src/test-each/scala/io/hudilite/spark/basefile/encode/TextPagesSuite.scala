package io.hudilite.spark.basefile.encode

import io.hudilite.record.MetaFields
import io.hudilite.spark.shim.PageStores

import java.nio.charset.StandardCharsets
import java.nio.file.{Files, Path}

import scala.collection.JavaConverters._
import scala.util.Random

import munit.FunSuite
import org.apache.hadoop.conf.Configuration
import org.apache.parquet.column.ParquetProperties
import org.apache.parquet.hadoop.{CodecFactory, ParquetFileWriter}
import org.apache.parquet.hadoop.metadata.CompressionCodecName
import org.apache.parquet.hadoop.util.HadoopOutputFile
import org.apache.parquet.io.api.Binary
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.types.{StringType, StructType}
import org.apache.spark.unsafe.types.UTF8String

/** Files of one text column beside those that parquet's own encoders make of the same values: byte for byte the same, with
  * dictionaries, pages, statistics, page indexes and footer.
  */
class TextPagesSuite extends FunSuite {

  private val settings = FileSettings(codec = "uncompressed", pageBytes = 20000, keyPageRows = 300)
  private val conf = new Configuration()

  private def random(seed: Int): Random = new Random(seed)

  private val values: Seq[(String, Seq[String])] = {
    val letters = random(1)
    def text(length: Int): String = letters.alphanumeric.take(length).mkString
    val few = Seq("", "a", "zürich", "\uD83D\uDE00", "x" * 300, "Zürich")
    Seq(
      "one value" -> Seq.fill(5000)("same"),
      "few values, some none" -> Seq.fill(6000)(if (letters.nextInt(5) == 0) null else few(letters.nextInt(few.size))),
      "no value at all" -> Seq.fill(500)(null),
      "values too many for a dictionary" -> Seq.fill(6000)(text(20)),
      "few values that become too many" -> (Seq.fill(3000)(few(letters.nextInt(few.size))) ++ Seq.fill(4000)(text(12))),
      "values that go down" -> (0 until 4000).map(i => f"k${9999 - i}%06d"),
      "values of many lengths" -> Seq.fill(3000)(text(letters.nextInt(40) * letters.nextInt(40))),
      "values longer than a page" -> Seq("a" * 50000, "b", null, "c" * 70000, "b"))
  }

  private val columns = Seq("note", MetaFields.RecordKey)

  private def schemaOf(name: String): StructType = new StructType().add(name, StringType)

  private def file(name: String)(write: (CodecFactory, ParquetFileWriter) => Unit): Array[Byte] = {
    val folder = Files.createTempDirectory("hudilite-texts")
    val path: Path = folder.resolve("f")
    val codecs = new CodecFactory(conf, settings.pageBytes)
    val out = new ParquetFileWriter(HadoopOutputFile.fromPath(new org.apache.hadoop.fs.Path(path.toUri), conf),
      ParquetSchema.of(schemaOf(name)), ParquetFileWriter.Mode.CREATE, settings.rowGroupBytes, 0,
      BaseFileWriter.IndexTruncateBytes, Int.MaxValue, true)
    out.start()
    write(codecs, out)
    out.end(Map.empty[String, String].asJava)
    codecs.release()
    try Files.readAllBytes(path)
    finally {
      Files.list(folder).iterator.asScala.foreach(Files.delete)
      Files.delete(folder)
    }
  }

  private def bySink(name: String, texts: Seq[String]): Array[Byte] = file(name) { (codecs, out) =>
    val group = new RowGroupBuffer(schemaOf(name), ParquetSchema.of(schemaOf(name)), settings, codecs, Set.empty,
      new TakenBytes)
    texts.foreach { text =>
      group.sinks(0).put(InternalRow(UTF8String.fromString(text)), 0)
      group.added(1)
    }
    group.flushTo(out)
  }

  private def byParquet(name: String, texts: Seq[String]): Array[Byte] = file(name) { (codecs, out) =>
    val schema = ParquetSchema.of(schemaOf(name))
    val pages = PageStores.open(codecs, CompressionCodecName.UNCOMPRESSED, schema, RowGroupBuffer.Allocator,
      ParquetProperties.DEFAULT_COLUMN_INDEX_TRUNCATE_LENGTH)
    val store = RowGroupBuffer.checkOften(RowGroupBuffer.properties(name, settings)).build()
      .newColumnWriteStore(schema, pages, pages)
    val writer = store.getColumnWriter(schema.getColumns.get(0))
    texts.foreach { text =>
      if (text == null) writer.writeNull(0, 0)
      else writer.write(Binary.fromConstantByteArray(text.getBytes(StandardCharsets.UTF_8)), 0, 1)
      store.endRecord()
    }
    out.startBlock(texts.size.toLong)
    store.flush()
    store.close()
    pages.flushToFileWriter(out)
    out.endBlock()
  }

  for (name <- columns; (kind, texts) <- values)
    test(s"$name: $kind") {
      val (own, parquets) = (bySink(name, texts), byParquet(name, texts))
      assertEquals(own.length, parquets.length)
      assertEquals(java.util.Arrays.mismatch(own, parquets), -1, clue = s"of ${own.length} bytes")
    }

  for (seed <- 1 to 40)
    test(s"random texts of seed $seed") {
      val from = random(seed)
      val known = Seq.fill(1 + from.nextInt(2000))(from.alphanumeric.take(from.nextInt(60)).mkString)
      val texts = Seq.fill(1 + from.nextInt(8000)) {
        if (from.nextInt(10) == 0) null
        else if (from.nextInt(8) == 0) from.alphanumeric.take(from.nextInt(100)).mkString
        else known(from.nextInt(known.size))
      }
      columns.foreach { name =>
        assertEquals(java.util.Arrays.mismatch(bySink(name, texts), byParquet(name, texts)), -1, clue = name)
      }
    }
}
