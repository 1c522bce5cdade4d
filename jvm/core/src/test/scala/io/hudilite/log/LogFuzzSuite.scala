package io.hudilite.log

import io.hudilite.Damage
import io.hudilite.codec.hfile.HFile
import io.hudilite.storage.OpenFile

import java.nio.ByteBuffer
import java.util.Random

import munit.FunSuite

/** Logs that Hudi wrote, damaged in every way that a seed thinks of. Reads are right, or one of our errors. */
class LogFuzzSuite extends FunSuite {

  private val Path = "/damaged"
  private val Cases = 20000
  private val MostAllocated = 64L * 1024 * 1024

  /** One file out of a few golden ones, so that there is something before and after the damage. */
  private def joined(random: Random): Array[Byte] =
    Array.concat(Seq.fill(1 + random.nextInt(3))(GoldenLogs.all(random.nextInt(GoldenLogs.all.size)).bytes): _*)

  private def blocks(bytes: Array[Byte]): Seq[LogBlock] =
    LogFileReader.blocks(OpenFile.of(Path, bytes), Path, bytes.length.toLong)

  private def content(bytes: Array[Byte], block: LogBlock): Array[Byte] =
    LogFileReader.content(OpenFile.of(Path, bytes), block)

  /** Reads all there is to read in core, and counts the records. */
  private def readAll(bytes: Array[Byte]): Int = {
    val found = blocks(bytes)
    BlockSelection.select(found, BlockInstants(9, None, Set.empty, None))
    found.filter(_.kind != BlockKind.Corrupt).map { block =>
      val data = content(bytes, block)
      val count = block.kind match {
        case BlockKind.AvroData | BlockKind.ChangeData =>
          val records = AvroBlock.records(data, Path)
          Iterator.continually(records.next()).takeWhile(identity).size
        case BlockKind.HFileData =>
          val records = HFile.of(data, Path).scan
          Iterator.continually(records.next()).takeWhile(identity).map(_ => records.key.length).size
        case BlockKind.Delete => DeleteBlock.decode(data, Path).size
        case _ => 0
      }
      block.positionsBase.foreach(block.positions(_, count))
      count
    }.sum
  }

  test("damaged logs end in our errors or are read, in little memory") {
    var read = 0
    (0 until Cases).foreach { seed =>
      val random = new Random(seed.toLong)
      val bytes = (0 to random.nextInt(3)).foldLeft(joined(random))((b, _) => Damage.of(b, random))
      if (Damage.tried(s"seed $seed", MostAllocated)(readAll(bytes)).isDefined) read += 1
    }
    assert(read > Cases / 20 && read < Cases, s"$read of $Cases were read")
  }

  test("damage within contents alone costs no other block, and no crash") {
    (0 until Cases / 4).foreach { seed =>
      val random = new Random(seed.toLong)
      val bytes = joined(random)
      val before = blocks(bytes)
      val hit = before(random.nextInt(before.size))
      if (hit.contentLength >= 8) {
        val changed = bytes.clone()
        (0 to random.nextInt(4)).foreach { _ =>
          val at = (hit.contentOffset + random.nextInt(hit.contentLength.toInt - 4)).toInt
          if (random.nextBoolean()) changed(at) = random.nextInt(256).toByte
          else ByteBuffer.wrap(changed).putInt(at, Damage.extreme(random))
        }
        assertEquals(blocks(changed), before, s"seed $seed")
        Damage.tried(s"seed $seed", MostAllocated)(readAll(changed))
      }
    }
  }

  test("a log cut off anywhere keeps all blocks before the cut") {
    GoldenLogs.ofTables.filter(_.table.matches("(mor-logs|mor-parquet-blocks|is-deleted-field)-v[69]")).take(24)
      .grouped(2).foreach { pair =>
        val bytes = Array.concat(pair.map(_.bytes): _*)
        val before = blocks(bytes)
        val random = new Random(bytes.length.toLong)
        Seq.fill(200)(random.nextInt(bytes.length)).foreach { length =>
          val found = blocks(bytes.take(length))
          val ended = before.takeWhile(b => b.contentOffset + b.contentLength + 12 <= length)
          assertEquals(found.filter(_.kind != BlockKind.Corrupt), ended, s"cut at $length")
          val rest = found.filter(_.kind == BlockKind.Corrupt).map(b => b.contentOffset + b.contentLength)
          assert(rest.isEmpty || rest == Seq(length.toLong), s"cut at $length: $rest")
        }
      }
  }

  test("what was appended after a log was cut off is read") {
    val logs = GoldenLogs.ofTables
    (0 until 500).foreach { seed =>
      val random = new Random(seed.toLong)
      val first = logs(random.nextInt(logs.size))
      val later = logs(random.nextInt(logs.size))
      val length = LogLayout.MagicBytes + random.nextInt(first.bytes.length - LogLayout.MagicBytes)
      val bytes = first.bytes.take(length) ++ later.bytes
      val found = blocks(bytes)
      val last = later.blocks.map(b => b.copy(path = Path, contentOffset = b.contentOffset + length))
      assertEquals(found.takeRight(last.size), last, s"seed $seed")
      assertEquals(found.take(found.size - last.size).map(_.kind).distinct, Seq[BlockKind](BlockKind.Corrupt))
    }
  }
}
