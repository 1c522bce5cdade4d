package io.hudilite.filegroup

import io.hudilite.{Damage, GoldenFolder}
import io.hudilite.codec.bloom.BloomFilter

import java.nio.file.{Files, Path}
import java.util.{Base64, Random}

import org.apache.hadoop.conf.Configuration

import munit.FunSuite

import scala.collection.JavaConverters._

/** Footers that Hudi wrote, damaged: read or `CorruptTable`, in memory that goes with the bytes that are there. */
class DamagedFooterSuite extends FunSuite {

  private val conf = new Configuration()
  private val MostAllocated = 64L << 20

  private def baseFiles(name: String): Seq[Path] = {
    val walk = Files.walk(Path.of(GoldenFolder.table(name)))
    try walk.iterator.asScala.filter(p => p.toString.endsWith(".parquet") && !p.toString.contains("/.hoodie/")).toList
    finally walk.close()
  }

  private def read(bytes: Array[Byte], file: Path): Unit = {
    Files.write(file, bytes)
    val length = bytes.length.toLong
    BaseFileFooter.of(file.toString, BaseFileFooter.entries(conf, file.toString, length), withBloom = true)
    BaseFileFooter.metadata(conf, file.toString, length)
    ()
  }

  test("a damaged base file has a footer, or is said to have none") {
    val folder = Files.createTempDirectory("hudilite-footer")
    val files = Seq("all-types-v9", "cow-basic-v6", "clustered-v8").flatMap(baseFiles(_).sorted.take(3))
    var readable = 0
    for ((file, n) <- files.zipWithIndex; round <- 0 until 200) {
      val random = new Random(n * 1000L + round)
      val whole = Files.readAllBytes(file)
      // The footer without its bloom filter is the end of the file.
      val kept = math.max(whole.length - 8000, 4)
      val bytes = whole.take(kept) ++ Damage.of(whole.drop(kept), random)
      // The end of a file is kept under its name.
      val target = folder.resolve(s"$n-$round.parquet")
      if (Damage.tried(s"$file, round $round", MostAllocated)(read(bytes, target)).isDefined) readable += 1
      Files.delete(target)
    }
    assert(readable > 0 && readable < files.size * 200, s"$readable were read")
  }

  test("a damaged bloom filter is read or refused, in little memory") {
    for (code <- Seq("SIMPLE", "DYNAMIC_V0"); round <- 0 until 2000) {
      val random = new Random(round.toLong)
      val filter = BloomFilter.create(code, 20, 0.01, 100)
      (0 until 50).foreach(i => filter.add(s"key-$i".getBytes("UTF-8")))
      val bytes = Damage.of(Base64.getDecoder.decode(filter.serialized), random)
      val answer = Damage.tried(s"$code $round", 1L << 20) {
        try Some(BloomFilter.read(Base64.getEncoder.encodeToString(bytes), code))
        catch { case _: IllegalArgumentException => None }
      }
      answer.flatten.foreach(_.mightContain("key-1".getBytes("UTF-8")))
    }
  }
}
