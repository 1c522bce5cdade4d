package io.hudilite.log

import io.hudilite.GoldenFolder
import io.hudilite.codec.hfile.HFile
import io.hudilite.config.TableProperties
import io.hudilite.filegroup.FileNames
import io.hudilite.storage.HadoopStorage
import io.hudilite.timeline.TimelineStore

import java.nio.charset.StandardCharsets.UTF_8
import java.nio.file.Paths

import munit.FunSuite
import org.apache.avro.Schema
import org.apache.avro.generic.{GenericDatumReader, GenericRecord}
import org.apache.avro.io.DecoderFactory
import org.apache.hadoop.conf.Configuration

/** Every log file that Apache Hudi wrote into the golden tables. */
class GoldenLogsSuite extends FunSuite {

  private def records(log: GoldenLog, block: LogBlock): Seq[GenericRecord] = {
    val content = log.content(block)
    val reader = new GenericDatumReader[GenericRecord](new Schema.Parser().parse(block.schemaJson))
    val cursor = AvroBlock.records(content, log.path)
    Iterator.continually(cursor.next()).takeWhile(identity).map { _ =>
      val decoder = DecoderFactory.get.binaryDecoder(content, cursor.offset, cursor.length, null)
      val record = reader.read(null, decoder)
      assert(decoder.isEnd, "a record has bytes left")
      record
    }.toList
  }

  private def cells(log: GoldenLog, block: LogBlock): Seq[(String, GenericRecord)] = {
    val reader = new GenericDatumReader[GenericRecord](new Schema.Parser().parse(block.schemaJson))
    val cursor = HFile.of(log.content(block), log.path).scan
    Iterator.continually(cursor.next()).takeWhile(identity).map { _ =>
      val decoder = DecoderFactory.get.binaryDecoder(cursor.buffer, cursor.offset, cursor.length, null)
      new String(cursor.key, UTF_8) -> reader.read(null, decoder)
    }.toList
  }

  test("there are logs of every kind that Hudi wrote") {
    assert(GoldenLogs.all.size > 300, GoldenLogs.all.size.toString)
    val kinds = GoldenLogs.all.flatMap(_.blocks.map(_.kind)).toSet
    assertEquals(kinds,
      Set[BlockKind](BlockKind.Delete, BlockKind.AvroData, BlockKind.HFileData,
        BlockKind.ParquetData, BlockKind.ChangeData))
  }

  test("our block of the same headers and content has the same length and reads the same") {
    GoldenLogs.all.foreach { log =>
      val again = log.blocks.map(b => LogBlockWriter.bytes(b.kind, b.headers, log.content(b)))
      assertEquals(again.map(_.length).sum, log.bytes.length, log.path)
      val bytes = again.flatten.toArray
      val copy = log.copy(bytes = bytes)
      assertEquals(copy.blocks, log.blocks)
      log.blocks.foreach(b => assertEquals(copy.content(b).toSeq, log.content(b).toSeq))
    }
  }

  test("headers name the instant, the schema and, from version 8 on, the positions") {
    GoldenLogs.ofTables.foreach { log =>
      val name = FileNames.parseLogFile(log.path.substring(log.path.lastIndexOf('/') + 1)).get
      log.blocks.foreach { block =>
        assert(block.isMergeable)
        assert(!block.isPartial || log.path.contains("/partial-updates-"))
        assert(block.schemaJson.contains("_hoodie_record_key"))
        if (log.version >= 8) assertEquals(block.instant, name.time)
        else assertEquals(block.headers.keySet, Set(HeaderKey.InstantTime, HeaderKey.Schema))
      }
    }
  }

  test("positions are as many as records, and belong to one base file only") {
    val placed = for {
      log <- GoldenLogs.ofTables
      block <- log.blocks if block.positionsBase.isDefined && block.kind != BlockKind.ParquetData
    } yield {
      val count =
        if (block.kind == BlockKind.Delete) DeleteBlock.decode(log.content(block), log.path).size
        else records(log, block).size
      val positions = block.positions(block.positionsBase.get, count)
      assertEquals(positions.map(_.length), Some(count), log.path)
      assertEquals(positions.get.toSeq, positions.get.toSeq.sorted)
      assertEquals(block.positions("20200101000000000", count).map(_.length), None)
      assertEquals(block.positions(block.positionsBase.get, count + 1).map(_.length), None)
      assertEquals(RecordPositions.decode(RecordPositions.encode(positions.get), count).toSeq, positions.get.toSeq)
    }
    assert(placed.size > 50, placed.size.toString)
  }

  test("delete blocks come out of our encoder byte for byte") {
    val deletes = GoldenLogs.all.flatMap(log =>
      log.blocks.filter(_.kind == BlockKind.Delete).map { block =>
        val content = log.content(block)
        val decoded = DeleteBlock.decode(content, log.path)
        assertEquals(DeleteBlock.encode(decoded, log.version).toSeq, content.toSeq, log.path)
        decoded
      })
    assert(deletes.flatten.size > 50, deletes.flatten.size.toString)
    assert(deletes.flatten.map(_.ordering).toSet.contains(OrderingValue.CommitTime))
  }

  test("avro and change data blocks hold records in their schema") {
    GoldenLogs.all.filterNot(_.isMetadata).foreach { log =>
      log.blocks.filter(b => b.kind == BlockKind.AvroData || b.kind == BlockKind.ChangeData).foreach { block =>
        val found = records(log, block)
        assert(found.nonEmpty, log.path)
        if (block.kind == BlockKind.AvroData)
          assertEquals(found.map(_.get("_hoodie_commit_time").toString).distinct, Seq(block.instant), log.path)
      }
    }
  }

  test("parquet blocks are whole parquet files") {
    val magic = "PAR1".getBytes.toSeq
    GoldenLogs.ofTables.foreach(log =>
      log.blocks.filter(_.kind == BlockKind.ParquetData).foreach { block =>
        val content = log.content(block)
        assertEquals((content.take(4).toSeq, content.takeRight(4).toSeq), (magic, magic), log.path)
      })
  }

  test("HFile blocks hold records in the order of their keys, which the records leave out") {
    val found = GoldenLogs.all.filter(_.isMetadata).flatMap(log =>
      log.blocks.filter(_.kind == BlockKind.HFileData).map { block =>
        val entries = cells(log, block)
        assertEquals(entries.map(_._1), entries.map(_._1).sorted, log.path)
        assertEquals(entries.map(_._2.get("key").toString).toSet, Set(""), log.path)
        entries
      })
    assert(found.size > 70, found.size.toString)
    assert(found.exists(_.map(_._1).contains("__all_partitions__")))
    assert(found.exists(_.map(_._1).contains("2026-01-01")))
  }

  test("each block has as many records as the commit counted") {
    val storage = new HadoopStorage(new Configuration())
    GoldenLogs.ofTables.groupBy(_.table).filter(_._1.matches(".*-v[89]")).foreach { case (table, logs) =>
      val base = GoldenFolder.table(table)
      val store = new TimelineStore(storage, base, TableProperties.read(storage, base))
      val commits = store.readCommits(store.load().writes).map(_._2)
      val stats = commits.flatMap(_.stats.values.flatten).map(s => s.path -> s).toMap
      logs.foreach { log =>
        val stat = stats(Paths.get(base).relativize(Paths.get(log.path)).toString)
        val blocks = log.blocks.filter(_.kind != BlockKind.ParquetData)
        val (deletes, data) = blocks.partition(_.kind == BlockKind.Delete)
        val deleted = deletes.map(b => DeleteBlock.decode(log.content(b), log.path).size.toLong).sum
        assertEquals(stat.numDeletes, deleted, log.path)
        if (data.nonEmpty) assertEquals(stat.numWrites, data.map(records(log, _).size.toLong).sum, log.path)
      }
    }
  }
}
