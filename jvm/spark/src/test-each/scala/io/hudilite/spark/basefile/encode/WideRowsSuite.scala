package io.hudilite.spark.basefile.encode

import io.hudilite.filegroup.{BaseFile, FileNames}
import io.hudilite.spark.basefile.read.OldBaseFile
import io.hudilite.spark.logfile.encode.AvroBuffer
import io.hudilite.spark.row.TaskAttempt
import io.hudilite.spark.write.WriteFixture
import io.hudilite.spark.write.job.WriteJob
import io.hudilite.spark.write.task.TaskOutput
import io.hudilite.timeline.WriteStat

import org.apache.hadoop.fs.Path
import org.apache.parquet.hadoop.metadata.ColumnChunkMetaData
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow
import org.apache.spark.sql.catalyst.util.GenericArrayData
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.types._
import org.apache.spark.unsafe.types.UTF8String

import scala.collection.JavaConverters._
import scala.util.Random

/** Rows of megabytes: what is held in memory for them, counted in bytes. */
class WideRowsSuite extends WriteFixture {

  import WideRowsSuite._

  private val settings = FileSettings(maxFileBytes = 12 * MiB, rowGroupBytes = 4 * MiB)

  private def opened[T](job: WriteJob, stat: WriteStat)(look: OldBaseFile => T): T = {
    val name = FileNames.parseBaseFile(stat.fileName).get
    val file =
      BaseFile(stat.partitionPath, stat.fileName, stat.fileId, name.writeToken, name.instant, stat.fileSizeInBytes)
    look(new TaskOutput(job, TaskAttempt(0, 0, 0)).old(file))
  }

  for (kind <- Seq("text", "bin", "list"))
    folder.test(s"row groups and files of wide values end near their size, behind narrow rows, too: $kind") { base =>
      val ofTest = job(base, schema, files = settings)
      val stats = written(ofTest) {
        val random = new Random(5)
        (0 until 150).iterator.map(i => row(i, kind, if (i < 100) 10 else MiB.toInt, random))
      }
      assertEquals(stats.map(_.numWrites).sum, 150L)
      assert(stats.forall(_.fileSizeInBytes <= 12 * MiB + StepBytes), stats.map(_.fileSizeInBytes).toString)
      assert(stats.size <= 5, stats.toString)
      stats.foreach { stat =>
        val groups = opened(ofTest, stat)(_.blocks.map(_.getTotalByteSize))
        assert(groups.forall(_ <= 4 * MiB + StepBytes), groups.toString)
        assert(groups.init.forall(_ >= 4 * MiB), groups.toString)
      }
    }

  folder.test("rows that a merge keeps end row groups like new ones") { base =>
    val whole = job(base, schema, files = settings.copy(maxFileBytes = 100 * MiB))
    val stat = written(whole) {
      val random = new Random(6)
      (0 until 40).iterator.map(i => row(i, "text", MiB.toInt, random))
    }.head
    val next = job(base, schema, instant = "20240101000000001", files = settings.copy(maxFileBytes = 100 * MiB))
    val merged = opened(next, stat) { old =>
      val writer = new TaskOutput(next, TaskAttempt(0, 0, 0)).successor(old)
      val batches = old.batches(old.blocks)
      while (batches.next()) writer.keepRun(batches.vectors, 0, batches.rows)
      batches.close()
      val rows = writer.rows
      (writer.path.toString, rows, writer.close())
    }
    assertEquals(merged._2, 40L)
    val after = stat.copy(path = new Path(merged._1).getName, fileSizeInBytes = merged._3)
    val groups = opened(next, after)(_.blocks.map(_.getTotalByteSize))
    // A run is kept whole: it is a batch of the old file.
    assert(groups.forall(_ <= 4 * MiB + StepBytes + 16 * MiB), groups.toString)
    assertEquals(texts(session.read.parquet(merged._1).selectExpr("id", "sha2(text, 256)")),
      texts(session.read.parquet(s"$base/${stat.path}").selectExpr("id", "sha2(text, 256)")))
  }

  folder.test("a page ends with the value that fills it, where all of them together would be compressed to little") {
    base =>
      for (kind <- Seq("text", "bin", "list")) {
        val instant = s"2024010100000000${kind.length}"
        val ofTest = job(base, schema, instant = instant, files = settings)
        val stat = written(ofTest)((0 until 20).iterator.map(i => row(i, kind, 3 * MiB.toInt, new Repeated(i)))).head
        opened(ofTest, stat) { old =>
          assertEquals(old.blocks.map(_.getRowCount), IndexedSeq(20L))
          val in = old.newStream()
          val pages = try old.pageIndexes(old.blocks.head, in)
          finally in.close()
          assertEquals(pages(old.blocks.head.getColumns.indexOf(chunk(old, kind))).offsets.getPageCount, 20, kind)
        }
      }
  }

  test("narrow rows are asked for their size once in a thousand, wide ones after two megabytes") {
    def asked(mebibytesEach: Double, rows: Int): Seq[Int] = {
      val checks = new SizeChecks
      (1 to rows).filter(i => checks.isDue(i.toLong, (i * mebibytesEach * MiB).toLong))
    }
    assertEquals(asked(1 / 1024d, 3500), Seq(1000, 2000, 3000))
    assertEquals(asked(0.75, 9), Seq(3, 6, 9))
    assertEquals(asked(50, 3), Seq(1, 2, 3))
    val later = new SizeChecks(startBytes = 70 * MiB)
    assertEquals((1 to 4).map(i => later.isDue(i.toLong, 70 * MiB + i * MiB)), Seq(false, true, false, true))
  }

  test("the buffer of a page of large texts is as large as they are, and is given up with the page") {
    val text = new Array[Byte](50 * MiB.toInt)
    val page = new PlainText(MiB.toInt, lasting = false)
    (1 to 3).foreach { i =>
      page.append(text, 0, text.length)
      assert(page.getAllocatedSize < (i * 50 + 1) * MiB, page.getAllocatedSize)
    }
    page.reset()
    assert(page.getAllocatedSize < MiB, page.getAllocatedSize)
  }

  test("the buffer of a log block of large texts does not double") {
    val text = UTF8String.fromBytes(new Array[Byte](50 * MiB.toInt))
    val block = new AvroBuffer()
    (1 to 3).foreach { i =>
      block.putText(text)
      assert(block.array.length < (i * 50 + 1) * MiB, block.array.length)
    }
  }

  folder.test("a batch of old rows has as many rows as the session says, and fewer of wide ones") { base =>
    val conf = SQLConf.get
    def batches(width: Int, instant: String): Seq[Int] = {
      val ofTest = job(base, schema, instant = instant, files = settings.copy(rowGroupBytes = 200 * MiB))
      val stat = written(ofTest)((0 until 50).iterator.map(i => row(i, "text", width, new Repeated(i)))).head
      opened(ofTest, stat) { old =>
        val read = old.batches(old.blocks)
        try Iterator.continually(read.next()).takeWhile(identity).map(_ => read.rows).toList
        finally read.close()
      }
    }
    conf.setConfString("spark.sql.parquet.columnarReaderBatchSize", "20")
    try {
      assertEquals(batches(10, "20240101000000000"), Seq(20, 20, 10))
      val wide = batches(MiB.toInt, "20240101000000001")
      assert(wide.sum == 50 && wide.forall(_ <= 16) && wide.size <= 5, wide.toString)
    } finally conf.unsetConf("spark.sql.parquet.columnarReaderBatchSize")
  }
}

object WideRowsSuite {

  val MiB: Long = 1L << 20

  /** Between two looks at a size: two megabytes of values and the row that comes to them, and what goes with each. */
  val StepBytes: Long = 3 * MiB + MiB / 4

  val schema: StructType = StructType(Seq(StructField("id", StringType), StructField("text", StringType),
      StructField("bin", BinaryType), StructField("list", ArrayType(StringType))))

  /** One and the same byte again and again. */
  final class Repeated(byte: Int) extends Random {
    override def nextBytes(bytes: Array[Byte]): Unit = java.util.Arrays.fill(bytes, byte.toByte)
  }

  /** The column of the first row group. */
  def chunk(old: OldBaseFile, name: String): ColumnChunkMetaData =
    old.blocks.head.getColumns.asScala.find(_.getPath.iterator.next() == name).get

  /** A row with so many bytes in one column, and null in the others. */
  def row(i: Int, kind: String, width: Int, random: Random): InternalRow = {
    val bytes = new Array[Byte](width)
    random.nextBytes(bytes)
    def text: UTF8String = UTF8String.fromBytes(bytes.map(b => (b & 0x7f).toByte))
    val value: Any = kind match {
      case "text" => text
      case "bin" => bytes
      case "list" => new GenericArrayData(Array[Any](text))
    }
    new GenericInternalRow(Array[Any](UTF8String.fromString(f"k$i%06d")) ++
      schema.fieldNames.drop(1).map(name => if (name == kind) value else null))
  }
}
