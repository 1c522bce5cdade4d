package io.hudilite.spark.basefile.read

import io.hudilite.filegroup.{BaseFile, FooterCache}
import io.hudilite.log.RowPosition
import io.hudilite.spark.basefile.encode.FileSettings
import io.hudilite.spark.row.TaskAttempt
import io.hudilite.spark.write.WriteFixture
import io.hudilite.spark.write.task.TaskOutput

import org.apache.spark.unsafe.types.UTF8String

import scala.collection.JavaConverters._
import scala.util.Random

/** Where a writer finds the rows of a base file. */
class BaseKeysSuite extends WriteFixture {

  private val BatchRows = 4096

  private def key(i: Int): String = f"k$i%06d"

  /** A base file of rows with these keys, and its writer's output. */
  private def file(base: String, keys: Seq[String], rowGroupBytes: Long): (TaskOutput, BaseFile) = {
    val rows = session.createDataFrame(keys.map(Tuple1(_))).toDF("id").coalesce(1)
    val small = FileSettings(rowGroupBytes = rowGroupBytes, keyPageRows = 100)
    val made = job(base, rows.schema, files = small)
    val stat = write(made, rows).head
    (new TaskOutput(made, TaskAttempt(0, 0, 0)),
      BaseFile("", stat.path, stat.fileId, "0-0-0", made.instant, stat.fileSizeInBytes))
  }

  private def positions(output: TaskOutput, file: BaseFile, asked: Seq[String]): Seq[Long] = {
    val keys = new BaseKeys(output.job.basePath, file, output.readers)
    try asked.map(key => keys.position(UTF8String.fromString(key)))
    finally keys.close()
  }

  private def groups(output: TaskOutput, file: BaseFile): Seq[Long] =
    FooterCache.metadata(output.job.conf.value, s"${output.job.basePath}/${file.name}", file.length).getBlocks.asScala
      .map(_.getRowCount).toSeq

  for (rowGroupBytes <- Seq(30000L, 1L << 24); seed <- 1 to 4)
    folder.test(s"keys in order are found where they are, row groups of $rowGroupBytes bytes, seed $seed") { base =>
      val random = new Random(seed)
      val edges = Set(BatchRows - 1, 2 * BatchRows - 1, 2 * BatchRows)
      // Every other number is a key; some are there twice or three times, among them the last rows of batches.
      val keys = Seq.tabulate(10000)(i => if (edges(i) || random.nextInt(50) == 0) -1 else 2 * i)
        .scanLeft(0)((last, next) => if (next < 0) last else next).map(key)
      val (output, written) = file(base, keys, rowGroupBytes)
      assertEquals(groups(output, written).size > 5, rowGroupBytes < 100000)
      val places = keys.zipWithIndex.groupBy(_._1).map { case (k, found) => k -> found.map(_._2.toLong) }
      def expected(key: String): Long = places.get(key) match {
        case None => RowPosition.Absent
        case Some(Seq(row)) => row
        case Some(_) => RowPosition.Unknown
      }
      val all = (0 to 20010).map(key)
      for (share <- Seq(1.0, 0.3, 0.001)) {
        val asked =
          all.filter(_ => random.nextDouble() < share).flatMap(k => if (random.nextInt(9) == 0) Seq(k, k) else Seq(k))
        assertEquals(positions(output, written, asked), asked.map(expected))
      }
    }

  folder.test("keys before, between and behind those of the file are absent, whatever was asked before") { base =>
    val (output, written) = file(base, Seq("b", "d", "d", "f"), 1L << 24)
    import RowPosition.{Absent, Unknown}
    assertEquals(positions(output, written, Seq("a", "b", "b", "c", "d", "d", "e", "f", "f", "g", "g")),
      Seq(Absent, 0L, 0L, Absent, Unknown, Unknown, Absent, 3L, 3L, Absent, Absent))
    assertEquals(positions(output, written, Seq("", "ba", "\uD83D\uDE00")), Seq(Absent, Absent, Absent))
  }

  folder.test("row groups between the keys that are asked for are not read") { base =>
    val (output, written) = file(base, (0 until 10000).map(key), 30000)
    val sizes = groups(output, written)
    assert(sizes.size > 5)
    val path = java.nio.file.Paths.get(base, written.name)
    val footer = FooterCache.metadata(output.job.conf.value, path.toString, written.length) // kept: no second read
    val bytes = java.nio.file.Files.readAllBytes(path)
    val between = footer.getBlocks.asScala.slice(1, sizes.size - 1)
    between.foreach(b =>
      java.util.Arrays.fill(bytes, b.getStartingPos.toInt, (b.getStartingPos + b.getCompressedSize).toInt, -1: Byte))
    java.nio.file.Files.write(path, bytes)
    java.nio.file.Files.deleteIfExists(path.resolveSibling(s".${path.getFileName}.crc"))
    assertEquals(positions(output, written, Seq(key(7), key(9999))), Seq(7L, 9999L))
    intercept[Exception](positions(output, written, Seq(key(5000))))
  }

  folder.test("without statistics every row group is looked into, and nothing is known of keys out of order") { base =>
    val wide = "k" * 70000 // too long to be put into statistics
    val keys = (0 until 5000).map(i => if (i % 200 == 0) s"${key(i)}$wide" else key(i))
    val (output, written) = file(base, keys, 30000)
    assert(groups(output, written).size > 2)
    val asked = keys.zipWithIndex.filter(_._2 % 7 == 0)
    assertEquals(positions(output, written, asked.flatMap { case (k, _) => Seq(k, s"$k-") }),
      asked.flatMap { case (_, row) => Seq(row.toLong, RowPosition.Absent) })
    assertEquals(positions(output, written, Seq(keys(9), keys(4), keys(9), keys(11))),
      Seq(9L, RowPosition.Unknown, 9L, 11L))
  }

  folder.test("of a file in no order nothing is known") { base =>
    val (output, written) = file(base, Seq("b", "a", "c"), 1L << 24)
    assertEquals(positions(output, written, Seq("a", "b")), Seq(RowPosition.Unknown, RowPosition.Unknown))
  }
}
