package io.hudilite.spark.read

import io.hudilite.record.MetaFields

import java.nio.file.{Files, Path => LocalPath}

import org.apache.hadoop.fs.Path
import org.apache.parquet.example.data.Group
import org.apache.parquet.example.data.simple.SimpleGroup
import org.apache.parquet.hadoop.example.ExampleParquetWriter
import org.apache.parquet.io.api.Binary
import org.apache.parquet.schema.{MessageType, MessageTypeParser}

/** Base files that parquet-mr writes as it is told, with values stored in whatever way the format has for them. */
object StoredFile {

  private val meta = MetaFields.all.map(name => s"optional binary $name (STRING);").mkString(" ")

  /** The columns of Hudi's, then `columns` in the language of parquet-mr. */
  def schema(columns: String): MessageType = MessageTypeParser.parseMessageType(s"message file { $meta $columns }")

  /** A file of these rows, each with its record key first.
    *
    * @param pageRows
    *   rows of a page, of which about one makes a row group
    */
  def write(schema: MessageType, rows: Seq[(String, Group => Unit)], pageRows: Int = 20000)(
      instant: String, name: String): LocalPath = {
    val file = Files.createTempDirectory("hudilite-stored").resolve("stored.parquet")
    val builder = ExampleParquetWriter.builder(new Path(file.toString)).withType(schema)
    if (pageRows < 20000) builder.withRowGroupSize(1L).withPageRowCountLimit(pageRows)
      .withMinRowCountForPageSizeCheck(pageRows)
    val writer = builder.build()
    try rows.foreach { case (key, fill) =>
        val row = new SimpleGroup(schema)
        MetaFields.all.zip(Seq(instant, s"${instant}_0_0", key, "", name)).foreach { case (field, text) =>
          row.add(field, text)
        }
        fill(row)
        writer.write(row)
      }
    finally writer.close()
    file
  }

  /** Adds a value to a field. */
  def put(row: Group, field: String, value: Any): Unit = value match {
    case n: Int => row.add(field, n)
    case n: Long => row.add(field, n)
    case f: Float => row.add(field, f)
    case d: Double => row.add(field, d)
    case b: Boolean => row.add(field, b)
    case b: Binary => row.add(field, b)
    case other => throw new IllegalArgumentException(s"a value $other")
  }

  /** The number as two's complement, the highest byte first, in as few bytes as hold it or in so many. */
  def unscaled(number: Long, length: Int = 0): Binary = {
    val bytes = BigInt(number).toByteArray
    val sign = if (number < 0) -1.toByte else 0.toByte
    Binary.fromConstantByteArray(Array.fill(length - bytes.length)(sign) ++ bytes)
  }
}
