package io.hudilite.spark.logfile.read

import io.hudilite.Folders
import io.hudilite.codec.hfile.HFileImage
import io.hudilite.config.TableProperties
import io.hudilite.filegroup.FileSlice
import io.hudilite.log._
import io.hudilite.spark.{GoldenTables, SharedSession}
import io.hudilite.storage.HadoopStorage
import io.hudilite.table.{Table, TableAccess, TableSupport}
import io.hudilite.timeline.{Action, TimelineStore}

import java.nio.charset.StandardCharsets.UTF_8
import java.nio.file.{Files, Path, Paths}

import munit.FunSuite
import org.apache.avro.Schema
import org.apache.avro.generic.{GenericDatumReader, GenericRecord}
import org.apache.avro.io.DecoderFactory
import org.apache.hadoop.conf.Configuration

import scala.collection.JavaConverters._

/** The logs of golden tables, with their Avro blocks turned into HFile blocks. */
class HFileLogSuite extends FunSuite {

  private val storage = new HadoopStorage(new Configuration())

  /** Each key with its row, or that it is deleted. */
  private def merged(basePath: String): Seq[(String, String)] = {
    val table = Table.load(storage, basePath, TableProperties.read(storage, basePath))
    val slices = table.allSlices().values.flatten.filter(_.logs.nonEmpty).toList.sortBy(_.fileId)
    val job = LogJob.of(table, TableSupport.of(table, TableAccess.Read()), None)
    SharedSession.spark.sparkContext.parallelize(slices, 1).flatMap(HFileLogSuite.merged(job, _)).collect().toList
  }

  private def asHFile(path: Path): Unit = {
    val bytes = Files.readAllBytes(path)
    val length = bytes.length.toLong
    val blocks = LogFileReader.blocks(storage, path.toString, length).map { block =>
      val content = LogFileReader.content(storage, block, length)
      if (block.kind != BlockKind.AvroData) LogBlockWriter.bytes(block.kind, block.headers, content)
      else
        LogBlockWriter.bytes(BlockKind.HFileData, block.headers, HFileImage.of(cells(block, content), gzip = true, 3))
    }
    Files.write(path, blocks.flatten.toArray)
    ()
  }

  private def cells(block: LogBlock, content: Array[Byte]): Seq[(String, Array[Byte])] = {
    val reader = new GenericDatumReader[GenericRecord](new Schema.Parser().parse(block.schemaJson))
    val records = AvroBlock.records(content, block.path)
    Iterator.continually(records.next()).takeWhile(identity).map { _ =>
      val record = reader.read(null, DecoderFactory.get.binaryDecoder(content, records.offset, records.length, null))
      val key = record.get("_hoodie_record_key").toString
      // As Hudi does for its metadata table, the record leaves its key out.
      key -> blanked(content.slice(records.offset, records.offset + records.length), key)
    }.toList
  }

  /** The first text after the two other meta columns is the key; its optional text becomes an empty one. */
  private def blanked(record: Array[Byte], key: String): Array[Byte] = {
    val text = (2.toByte +: (key.getBytes(UTF_8).length * 2).toByte +: key.getBytes(UTF_8)).toSeq
    val at = record.indexOfSlice(text)
    record.take(at) ++ Array[Byte](2, 0) ++ record.drop(at + text.length)
  }

  private def copyOf(name: String): Path =
    Folders.copy(Paths.get(GoldenTables.table(name)), Files.createTempDirectory("hudilite-hfile"))

  /** Lets the writes of a copy say the lengths that its log files have now. They are read from the original: what a
    * commit says is remembered by its path.
    */
  private def tellLengths(original: String, copy: Path): Unit = {
    val table = Table.load(storage, original, TableProperties.read(storage, original))
    val store = new TimelineStore(storage, copy.toString, table.config)
    val folder = copy.resolve(".hoodie/timeline")
    table.timeline.writes.filter(_.action == Action.DeltaCommit).foreach { instant =>
      val metadata = table.store.readCommit(instant)
      val stats = metadata.stats.map { case (partition, of) =>
        partition -> of.map(s => if (s.isLog) s.copy(fileSizeInBytes = Files.size(copy.resolve(s.path))) else s)
      }
      val file = folder.resolve(instant.fileName)
      Files.delete(file)
      Files.deleteIfExists(folder.resolve(s".${instant.fileName}.crc"))
      val anew = store.complete(instant.time, instant.action, metadata.copy(stats = stats))
      Files.move(folder.resolve(anew.fileName), file)
    }
  }

  for (name <- Seq("mor-logs-v6", "mor-logs-v9", "mor-commit-time-v8", "schema-evolved-v9", "mor-compacted-v9"))
    test(s"$name: records in HFile blocks merge as those in Avro blocks") {
      val copy = copyOf(name)
      val walk = Files.walk(copy)
      val logs =
        try walk.iterator.asScala.filter(_.getFileName.toString.matches("\\..*\\.log\\..*")).toList
        finally walk.close()
      logs.foreach(asHFile)
      if (!name.endsWith("-v6")) tellLengths(GoldenTables.table(name), copy)
      val expected = merged(GoldenTables.table(name))
      assert(expected.exists(_._2 != "deleted"))
      assertEquals(merged(copy.toString), expected)
    }
}

object HFileLogSuite {

  private def merged(job: LogJob, slice: FileSlice): Seq[(String, String)] = {
    val log = MergedLog.of(LogRowLayout(job, job.dataSchema), slice, new Configuration())
    try Iterator.continually(log.next()).takeWhile(identity).map { _ =>
        log.key.toString -> (if (log.isDelete) "deleted" else log.row.toSeq(job.dataSchema).mkString("|"))
      }.toList
    finally log.close()
  }
}
