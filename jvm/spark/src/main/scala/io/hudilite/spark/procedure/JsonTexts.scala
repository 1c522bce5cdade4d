package io.hudilite.spark.procedure

import com.fasterxml.jackson.databind.{JsonNode, ObjectMapper}

import scala.collection.JavaConverters._
import scala.util.Try

/** Lists and maps of texts in an argument that is a text: JSON loses nothing, whatever they hold. */
private[procedure] object JsonTexts {

  private val json = new ObjectMapper()

  /** `None` when it is no JSON array of texts. */
  def array(text: String): Option[Seq[String]] =
    read(text, "[").filter(_.isArray).map(_.elements().asScala.toSeq).filter(_.forall(_.isTextual)).map(_.map(_.asText))

  /** `None` when it is no JSON object of texts. */
  def fields(text: String): Option[Map[String, String]] =
    read(text, "{").filter(_.isObject).map(_.fields().asScala.map(f => f.getKey -> f.getValue).toSeq)
      .filter(_.forall(_._2.isTextual)).map(_.map { case (key, value) => key -> value.asText }.toMap)

  private def read(text: String, start: String): Option[JsonNode] =
    if (text.startsWith(start)) Try(json.readTree(text)).toOption.filter(_ != null) else None
}
