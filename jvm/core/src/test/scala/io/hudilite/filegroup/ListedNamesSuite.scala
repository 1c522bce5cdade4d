package io.hudilite.filegroup

import io.hudilite.TestTables.storage
import io.hudilite.record.LegalPath

import java.nio.file.Files

import munit.FunSuite
import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.{FileSystem, Path}

import scala.util.Random

/** Every name that a partition may have is listed as it is spelled, by hudilite and by the file system that Hudi asks. */
class ListedNamesSuite extends FunSuite {

  private val letters = (0x01 to 0x7f).map(_.toChar.toString).filterNot(_ == "/") ++
    Seq("\u0080", "\u00a0", "ö", "\u2028", "\ufeff", "日", "\ud83d\ude00")

  // Of these are the names that somebody hides, and the names of what lies beside partitions.
  private val pieces = Seq(".", "..", "_", ".crc", "crc", ".hoodie", "hoodie", "_partition_metadata", ".log.1_0-1-2",
    ".parquet", "_0-1-2_20260101000001000", "part-00000", "_SUCCESS", "_temporary", ".tmp", "~", "a", "=", "%2F", " ",
    ":", "\\", "*", "{", "}", "[a]", "^", "\n")

  private val random = new Random(7)

  private val names = (
    letters.flatMap(c => Seq(c, c + "a", "a" + c, "a" + c + "a", c + c)) ++
      pieces ++ Seq.fill(1500)(Seq.fill(1 + random.nextInt(4))(pieces(random.nextInt(pieces.size))).mkString) ++
      Seq("x" * 255, "ö" * 127)).distinct

  test("a name of any letters is listed as it is spelled, or is not to be written") {
    val base = Files.createTempDirectory("hudilite-names").toString
    val legal = names.filter(LegalPath.problem(_).isEmpty)
    assert(legal.size > names.size * 3 / 4, s"${legal.size} of ${names.size}")
    legal.foreach(Partitions.createMetadata(storage, base, _, "20260101000001000"))
    assertEquals(Partitions.discover(storage, base).keySet.diff(legal.toSet), Set.empty[String])
    assertEquals(legal.toSet.diff(Partitions.discover(storage, base).keySet), Set.empty[String])
    val hudis = FileSystem.get(new Path(base).toUri, new Configuration()).listStatus(new Path(base))
    assertEquals(legal.toSet.diff(hudis.map(_.getPath.getName).toSet), Set.empty[String])
  }
}
