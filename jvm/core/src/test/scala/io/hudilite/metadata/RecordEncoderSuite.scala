package io.hudilite.metadata

import io.hudilite.codec.avro.{AvroCodecValues, AvroFields, AvroInput}
import io.hudilite.codec.hfile.{GoldenHFiles, HFile}
import io.hudilite.log.{BlockKind, GoldenLogs}

import java.nio.charset.StandardCharsets.UTF_8
import java.nio.file.Files

import munit.FunSuite
import org.apache.avro.{Schema, SchemaCompatibility}

class RecordEncoderSuite extends FunSuite {

  /** Each record of Apache Hudi's with the schema that it was written with. */
  private lazy val golden: Seq[(String, String, Array[Byte])] = {
    val logs = for (log <- GoldenLogs.all if log.isMetadata; block <- log.blocks if block.kind == BlockKind.HFileData)
      yield block.schemaJson -> HFile.of(log.content(block), log.path)
    val bases = GoldenHFiles.all.map(path => HFile.of(Files.readAllBytes(path), path.toString))
      .filter(_.entries > 0).map(file => new String(file.info("schema").get, UTF_8) -> file)
    for ((schema, file) <- logs ++ bases; (key, value) <- file.scan.iterator)
      yield (schema, new String(key, UTF_8), value)
  }

  private def names(schema: String, value: Array[Byte]): Int = {
    val fields: AvroFields =
      AvroCodecValues.record(new Schema.Parser().parse(schema), new AvroInput(value, 0, value.length))
    fields.childMap("filesystemMetadata").size
  }

  test("records of Hudi's metadata tables are encoded byte for byte as Hudi does, but for the order of names") {
    assert(golden.size > 500, golden.size)
    val kinds = golden.map { case (schema, key, value) =>
      val record = RecordCodec.of(schema).decode(key, value, 0, value.length)
      val encoded = RecordEncoder.encode(record)
      assertEquals(RecordCodec.of(RecordSchema.ofFiles).decode(key, encoded, 0, encoded.length), record)
      assertEquals(encoded.length, value.length, record)
      if (names(schema, value) < 2) assertEquals(encoded.toSeq, value.toSeq, record)
      record.payload.getClass
    }.toSet
    assertEquals(kinds.size, 5)
  }

  test("records in our schema are read in those of Hudi") {
    val ours = new Schema.Parser().parse(RecordSchema.ofFiles)
    golden.map(_._1).distinct.foreach { json =>
      val theirs = new Schema.Parser().parse(json)
      for ((reader, writer) <- Seq(theirs -> ours)) {
        val found = SchemaCompatibility.checkReaderWriterCompatibility(reader, writer)
        assertEquals(found.getType, SchemaCompatibility.SchemaCompatibilityType.COMPATIBLE, found.getDescription)
      }
    }
  }
}
