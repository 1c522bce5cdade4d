package io.hudilite.config

import java.io.{ByteArrayInputStream, ByteArrayOutputStream}
import java.nio.charset.StandardCharsets.{ISO_8859_1, UTF_8}
import java.time.Instant
import java.util.Properties
import java.util.zip.CRC32

import scala.collection.JavaConverters._

/** The text of `hoodie.properties`: Java's property format, latin-1 with Unicode escapes. */
private[config] object PropertiesFile {

  /** The properties, or why they cannot be used. */
  type Parsed = Either[String, Map[String, String]]

  /** CRC-32 of `database.name`, the dot always there; it shows that the file was written to its end. */
  def checksum(database: String, name: String): String = {
    val crc = new CRC32
    crc.update(s"$database.$name".getBytes(UTF_8))
    crc.getValue.toString
  }

  /** Without properties when the content is not a whole file. */
  def parse(content: Array[Byte]): Parsed =
    try {
      val properties = new Properties
      properties.load(new ByteArrayInputStream(content))
      val map = properties.asScala.toMap
      flaw(map).toLeft(map)
    } catch { case e: IllegalArgumentException => Left(e.getMessage) }

  private def flaw(properties: Map[String, String]): Option[String] = {
    val name = properties.get(TableKeys.Name).filter(_.nonEmpty)
    lazy val expected = checksum(properties.getOrElse(TableKeys.Database, ""), name.getOrElse(""))
    if (properties.isEmpty) Some("it is empty")
    else if (name.isEmpty) Some(s"it has no ${TableKeys.Name}")
    else properties.get(TableKeys.Checksum) match {
      case Some(found) if found.trim != expected => Some(s"its checksum is $found, not $expected")
      // A file that was cut short may have lost its checksum line, but every writer puts a version in.
      case None if !properties.contains(TableKeys.Version) => Some(s"it has no ${TableKeys.Version}")
      case _ => None
    }
  }

  /** The file's content, keys sorted, with the checksum put in. */
  def render(properties: Map[String, String], at: Instant): Array[Byte] = {
    val whole = properties +
      (TableKeys.Checksum ->
        checksum(properties.getOrElse(TableKeys.Database, ""), properties.getOrElse(TableKeys.Name, "")))
    val java = new Properties
    whole.foreach { case (key, value) => java.setProperty(key, value) }
    val out = new ByteArrayOutputStream
    java.store(out, null)
    val lines = new String(out.toByteArray, ISO_8859_1).split("\\R").filterNot(_.startsWith("#")).sorted
    (s"#Properties saved on $at" +: lines).mkString("", "\n", "\n").getBytes(ISO_8859_1)
  }
}
