package io.hudilite.codec.avro

import java.nio.charset.StandardCharsets.ISO_8859_1
import java.util.{LinkedHashMap, List => JList}

import com.fasterxml.jackson.databind.ObjectMapper

import scala.collection.JavaConverters._

/** Records as JSON texts for people: fields in the order of the schema, bytes as a text of one character each. */
private[hudilite] object AvroText {

  private val json = new ObjectMapper().writerWithDefaultPrettyPrinter

  def of(record: AvroFields): String = json.writeValueAsString(plain(record))

  private def plain(value: Any): Any = value match {
    case record: AvroFields =>
      val fields = new LinkedHashMap[String, Any]
      record.names.foreach(name => fields.put(name, plain(record.value(name).orNull)))
      fields
    case entries: Map[_, _] =>
      val sorted = new LinkedHashMap[String, Any]
      entries.toSeq.map { case (key, inner) => key.toString -> (inner: Any) }.sortBy(_._1)
        .foreach { case (key, inner) => sorted.put(key, plain(inner)) }
      sorted
    case items: Seq[_] => items.map(plain).asJava: JList[Any]
    case bytes: Array[Byte] => new String(bytes, ISO_8859_1)
    case other => other
  }
}
