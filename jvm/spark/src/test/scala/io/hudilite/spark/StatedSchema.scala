package io.hudilite.spark

import java.nio.file.{Files, Path, Paths}

import com.fasterxml.jackson.databind.ObjectMapper
import com.fasterxml.jackson.databind.node.ObjectNode
import org.apache.avro.file.{DataFileReader, DataFileWriter}
import org.apache.avro.generic.{GenericDatumReader, GenericDatumWriter, GenericRecord}
import org.apache.avro.util.Utf8

import scala.collection.JavaConverters._

/** Columns as the newest commit of a table states them. Reads them, and states others, as another writer would. */
object StatedSchema {

  private val mapper = new ObjectMapper()

  def of(table: String): String = {
    var found = ""
    changed(newest(table)) { schema =>
      found = schema
      schema
    }
    found
  }

  def change(table: String)(change: String => String): Unit = {
    val file = newest(table)
    Files.write(file, changed(file)(change))
    Files.deleteIfExists(file.resolveSibling(s".${file.getFileName}.crc"))
    SharedSession.spark.sql(s"REFRESH TABLE hudilite.`$table`")
    ()
  }

  private def newest(table: String): Path = {
    val folders = Seq(".hoodie/timeline", ".hoodie").map(Paths.get(table, _)).filter(Files.isDirectory(_))
    val files = Files.list(folders.head)
    try files.iterator.asScala.filter(_.getFileName.toString.matches("\\d.*\\.(delta)?commit")).maxBy(
        _.getFileName.toString)
    finally files.close()
  }

  private def changed(file: Path)(change: String => String): Array[Byte] = {
    val bytes = Files.readAllBytes(file)
    if (bytes.head == '{') json(bytes, change) else avro(file, change)
  }

  private def json(bytes: Array[Byte], change: String => String): Array[Byte] = {
    val root = mapper.readTree(bytes)
    val extra = root.get("extraMetadata").asInstanceOf[ObjectNode]
    extra.put("schema", change(extra.get("schema").asText))
    mapper.writeValueAsBytes(root)
  }

  private def avro(file: Path, change: String => String): Array[Byte] = {
    val reader = new DataFileReader(file.toFile, new GenericDatumReader[GenericRecord]())
    val commit = try reader.next()
    finally reader.close()
    val extra = commit.get("extraMetadata").asInstanceOf[java.util.Map[Any, Any]]
    val key = extra.keySet.asScala.find(_.toString == "schema").get
    extra.put(key, new Utf8(change(extra.get(key).toString)))
    val out = new java.io.ByteArrayOutputStream()
    val writer = new DataFileWriter(new GenericDatumWriter[GenericRecord](commit.getSchema))
    writer.create(commit.getSchema, out)
    writer.append(commit)
    writer.close()
    out.toByteArray
  }
}
