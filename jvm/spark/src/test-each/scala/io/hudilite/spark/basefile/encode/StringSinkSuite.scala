package io.hudilite.spark.basefile.encode

import java.nio.file.Files

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Path
import org.apache.parquet.example.data.Group
import org.apache.parquet.hadoop.{CodecFactory, ParquetFileReader, ParquetFileWriter, ParquetReader}
import org.apache.parquet.hadoop.example.GroupReadSupport
import org.apache.parquet.hadoop.util.{HadoopInputFile, HadoopOutputFile}
import org.apache.parquet.io.api.Binary
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.types.StructType
import org.apache.spark.unsafe.types.UTF8String

import munit.FunSuite

import scala.collection.JavaConverters._
import scala.util.Random

/** Texts that are the same in many rows, among others. */
class StringSinkSuite extends FunSuite {

  private val conf = new Configuration(false)
  private val schema = StructType.fromDDL("t string")
  private val constants = Seq("c", "", "another").map(Binary.fromString)
  private val random = new Random(11)

  /** Fills one row group and hands over the file. */
  private def written(fill: StringSink => Int)(check: (Path, Int) => Unit): Unit = {
    val folder = Files.createTempDirectory("sink")
    try {
      val path = new Path(s"$folder/rows.parquet")
      val parquet = ParquetSchema.of(schema)
      val codecs = new CodecFactory(conf, 1 << 20)
      val file = new ParquetFileWriter(HadoopOutputFile.fromPath(path, conf), parquet, ParquetFileWriter.Mode.CREATE,
        1 << 20, 0, 64, Int.MaxValue, true)
      file.start()
      val group = new RowGroupBuffer(schema, parquet, FileSettings(), codecs, Set.empty, new TakenBytes)
      val rows = fill(group.sinks(0).asInstanceOf[StringSink])
      group.added(rows)
      group.flushTo(file)
      file.end(new java.util.HashMap[String, String])
      codecs.release()
      check(path, rows)
    } finally {
      Files.list(folder).iterator.asScala.foreach(Files.delete(_))
      Files.delete(folder)
    }
  }

  private def read(path: Path): Seq[String] = {
    val reader = ParquetReader.builder(new GroupReadSupport, path).withConf(conf).build()
    try Iterator.continually(reader.read()).takeWhile(_ != null).map { row: Group =>
        if (row.getFieldRepetitionCount(0) == 0) null else row.getString(0, 0)
      }.toList
    finally reader.close()
  }

  test("constants come back among nulls, values and one another, wherever they stand") {
    for (_ <- 0 until 200) {
      val expected = Seq.newBuilder[String]
      written { sink =>
        (0 until 1 + random.nextInt(8)).map { _ =>
          random.nextInt(5) match {
            case 0 =>
              sink.putNull()
              expected += null
              1
            case 1 =>
              val text = random.alphanumeric.take(random.nextInt(4)).mkString
              sink.put(InternalRow(UTF8String.fromString(text)), 0)
              expected += text
              1
            case 2 =>
              sink.put(InternalRow(null), 0)
              expected += null
              1
            case _ =>
              val (value, count) = (constants(random.nextInt(2)), 1 + random.nextInt(400))
              sink.putConstant(value, count.toLong)
              expected ++= Seq.fill(count)(value.toStringUsingUTF8)
              count
          }
        }.sum
      }((path, _) => assertEquals(read(path), expected.result()))
    }
  }

  test("a column of one text is a dictionary of one value and one page with its bounds") {
    for (value <- constants) written { sink =>
      (0 until 50000).foreach(_ => sink.putConstant(value, 1))
      sink.putConstant(value, 50000)
      100000
    } { (path, rows) =>
      val file = ParquetFileReader.open(HadoopInputFile.fromPath(path, conf))
      try {
        val column = file.getFooter.getBlocks.get(0).getColumns.get(0)
        assertEquals(column.getStatistics.minAsString, value.toStringUsingUTF8)
        assertEquals((column.getStatistics.getNumNulls, column.getValueCount), (0L, rows.toLong))
        assertEquals(file.readOffsetIndex(column).getPageCount, 1)
        assert(column.getTotalSize < 200, column.toString)
      } finally file.close()
      assertEquals(read(path).distinct, Seq(value.toStringUsingUTF8))
      assertEquals(read(path).size, rows)
    }
  }
}
