package io.hudilite.codec.hfile

import io.hudilite.Damage

import java.nio.charset.StandardCharsets.UTF_8
import java.nio.file.Files
import java.util.Random

import munit.FunSuite

/** HFiles of Hudi's and HBase's writers, and of ours for seeks, damaged in every way that a seed thinks of. Their blocks are packed, or have
  * checksums: what is read of them is right, or an error of ours is raised.
  */
class HFileFuzzSuite extends FunSuite {

  private val Path = "/damaged.hfile"
  private val Cases = 6000
  private val MostAllocated = 64L * 1024 * 1024

  private lazy val files: IndexedSeq[Array[Byte]] = {
    val made = Seq("levels", "crc32").map(n => getClass.getResourceAsStream(s"/hfile/$n.hfile").readAllBytes())
    val forSeeks = HFileWriter.bytes(HFile.of(made.head, Path).scan.iterator,
      HFileForm("\"bytes\"", 0L, blockBytes = 3000, forSeeks = true))
    (GoldenHFiles.all.map(Files.readAllBytes(_)) ++ made ++ Seq.fill(made.size)(forSeeks)).toIndexedSeq
  }

  private def text(bytes: Array[Byte]): String = new String(bytes, UTF_8)

  private def all(records: HFileRecords): Seq[(String, Seq[Byte])] =
    records.iterator.map { case (k, v) => text(k) -> v.toSeq }.toList

  test("damaged HFiles end in our errors or are read right, in little memory") {
    var scanned, found = 0
    val whole = files.map(bytes => all(HFile.of(bytes, Path).scan))
    (0 until Cases).foreach { seed =>
      val random = new Random(seed.toLong)
      val n = random.nextInt(files.size)
      val bytes = Damage.of(files(n), random)
      val keys = whole(n).map(_._1).filter(_ => random.nextInt(3) == 0)
      val prefix = keys.headOption.fold("x")(_.take(12))
      Damage.tried(s"scan $seed", MostAllocated)(all(HFile.of(bytes, Path).scan)).foreach { records =>
        assertEquals(records, whole(n), s"seed $seed")
        scanned += 1
      }
      Damage.tried(s"lookup $seed", MostAllocated)(all(HFile.of(bytes, Path).lookup(HFileSuite.sorted(keys))))
        .foreach { records =>
          assertEquals(records, whole(n).filter(r => keys.contains(r._1)), s"seed $seed")
          found += 1
        }
      Damage.tried(s"prefix $seed", MostAllocated)(
        all(HFile.of(bytes, Path).prefixes(HFileSuite.sorted(Seq(prefix))))).foreach(records =>
        assertEquals(records, whole(n).filter(_._1.startsWith(prefix)), s"seed $seed"))
    }
    assert(scanned > Cases / 20 && scanned < Cases, s"$scanned of $Cases were read")
    assert(found > Cases / 20 && found < Cases, s"$found of $Cases were read")
  }
}
