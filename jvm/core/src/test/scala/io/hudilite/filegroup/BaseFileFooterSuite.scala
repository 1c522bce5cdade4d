package io.hudilite.filegroup

import io.hudilite.GoldenFolder
import io.hudilite.config.{TableConfig, TableProperties, TableType}
import io.hudilite.error.CorruptTable
import io.hudilite.table.Table

import java.nio.file.{Files, Path, Paths}

import io.hudilite.TestTables.storage

import com.fasterxml.jackson.databind.{JsonNode, ObjectMapper}
import munit.FunSuite
import org.apache.hadoop.conf.Configuration

class BaseFileFooterSuite extends FunSuite {

  private val conf = new Configuration()
  private val mapper = new ObjectMapper()

  private def open(name: String): Table = {
    val base = GoldenFolder.table(name)
    Table.load(storage, base, TableProperties.read(storage, base))
  }

  private def config(name: String): TableConfig = TableProperties.read(storage, GoldenFolder.table(name))

  private def footers(table: Table): Seq[(BaseFile, BaseFileFooter)] =
    table.allSlices().values.flatten.flatMap(_.base).toList.map(b =>
      b -> FooterCache.read(conf, s"${table.basePath}/${b.relativePath}", b.length, withBloom = true))

  private def rows(name: String): Seq[JsonNode] = GoldenFolder.snapshot(name).map(mapper.readTree(_))

  for (name <- GoldenFolder.names if config(name).tableType == TableType.CopyOnWrite)
    test(s"$name: the slices hold as many rows as Hudi reads, and footers know their keys") {
      val found = footers(open(name))
      assertEquals(found.map(_._2.rows).sum, rows(name).size.toLong)
      for (row <- rows(name)) {
        val (partition, key) = (row.get("_hoodie_partition_path").asText, row.get("_hoodie_record_key").asText)
        val holders = found.filter { case (file, footer) => file.partition == partition && mayHold(footer, key) }
        assert(holders.nonEmpty, row.toString)
      }
    }

  private def mayHold(footer: BaseFileFooter, key: String): Boolean =
    footer.minKey.forall(_ <= key) && footer.maxKey.forall(_ >= key) &&
      footer.bloom.forall(_.mightContain(key.getBytes("UTF-8")))

  test("a footer is read without its bloom filter when that is not asked for") {
    val table = open("cow-basic-v9")
    val base = table.allSlices().values.flatten.flatMap(_.base).head
    val footer = FooterCache.read(conf, s"${table.basePath}/${base.relativePath}", base.length, withBloom = false)
    assertEquals(footer.bloom, None)
    assert(footer.minKey.isDefined && footer.maxKey.isDefined && !footer.sortedByKey)
  }

  private def copyOfBaseFile(): Path = {
    val table = open("cow-basic-v9")
    val base = table.allSlices().values.flatten.flatMap(_.base).head
    val copy = Files.createTempDirectory("hudilite-footer").resolve("damaged.parquet")
    Files.copy(Paths.get(table.basePath, base.relativePath), copy)
  }

  private def damage(change: Array[Byte] => Array[Byte]): (String, String) = {
    val file = copyOfBaseFile()
    Files.write(file, change(Files.readAllBytes(file)))
    val error = intercept[CorruptTable](FooterCache.read(conf, file.toString, Files.size(file), withBloom = true))
    assertEquals(error.condition, "CORRUPT_FILE")
    assertEquals(error.parameters("path"), file.toString)
    (error.condition, error.parameters("reason"))
  }

  test("a truncated base file is named as damaged") {
    damage(bytes => bytes.take(bytes.length / 2))
    damage(_.take(3))
    damage(_ => Array.emptyByteArray)
  }

  test("a base file with a scrambled footer is named as damaged") {
    damage { bytes =>
      val end = bytes.length - 8
      bytes.take(end - 2000) ++ Array.fill[Byte](2000)(-1) ++ bytes.drop(end)
    }
  }

  test("a base file with a scrambled bloom filter is named as damaged") {
    val (_, reason) = damage { bytes =>
      val text = new String(bytes, "ISO-8859-1")
      val at = text.indexOf(BaseFileFooter.Bloom) + BaseFileFooter.Bloom.length + 8
      bytes.take(at) ++ Array.fill[Byte](64)('*') ++ bytes.drop(at + 64)
    }
    assert(reason.contains("bloom filter"), reason)
  }
}
