package io.hudilite.spark.logfile.encode

import io.hudilite.spark.row.{Nullability, SchemaConversion}
import io.hudilite.spark.write.WriteFixture

import org.apache.avro.Schema
import org.apache.avro.generic.{GenericData, GenericDatumReader, GenericDatumWriter, GenericRecord}
import org.apache.avro.io.{DecoderFactory, EncoderFactory}
import org.apache.spark.sql.catalyst.InternalRow

/** Rows as Avro binary, against Avro's own reader and writer. */
class AvroEncodingSuite extends WriteFixture {

  test("rows of every type are what Avro's own writer makes of the values that its reader finds") {
    val frame = session.sql(everyType)
    val schema = Nullability.relaxed(frame.schema)
    val avro = new Schema.Parser().parse(SchemaConversion.toAvro(schema, "t", withMeta = false))
    val encoder = AvroEncoder.record(schema)
    val reader = new GenericDatumReader[GenericRecord](avro)
    val writer = new GenericDatumWriter[GenericRecord](avro)
    val buffer = new AvroBuffer(16)
    frame.queryExecution.executedPlan.executeCollect().foreach { row: InternalRow =>
      buffer.clear()
      encoder.put(row, buffer)
      val bytes = java.util.Arrays.copyOf(buffer.array, buffer.length)
      val decoder = DecoderFactory.get().binaryDecoder(bytes, null)
      val record = reader.read(null, decoder)
      assert(decoder.isEnd)
      assertEquals(record.get("id").toString, row.getUTF8String(0).toString)
      assert(GenericData.get().validate(avro, record))
      val again = new java.io.ByteArrayOutputStream
      val out = EncoderFactory.get().binaryEncoder(again, null)
      writer.write(record, out)
      out.flush()
      // Avro's maps keep no order, but each has its entries once.
      assertEquals(again.size, bytes.length)
      if (record.get("dict") == null) assertEquals(again.toByteArray.toSeq, bytes.toSeq)
    }
  }
}
