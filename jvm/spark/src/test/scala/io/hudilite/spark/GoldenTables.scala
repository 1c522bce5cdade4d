package io.hudilite.spark

import java.nio.charset.StandardCharsets
import java.nio.file.{Files, Path, Paths}

import com.fasterxml.jackson.databind.{JsonNode, ObjectMapper}

import scala.collection.JavaConverters._
import scala.sys.process._

/** The golden tables, unpacked once for readers; a test that writes takes a copy. */
object GoldenTables {

  private val mapper = new ObjectMapper()

  lazy val root: Path = {
    val archive = Paths.get("tests/golden/golden.tar.gz").toAbsolutePath
    val target = Files.createTempDirectory("hudilite-golden")
    if (Seq("tar", "xzf", archive.toString, "-C", target.toString).! != 0)
      throw new IllegalStateException(s"$archive could not be unpacked")
    target
  }

  /** Names such as `cow-basic-v9`, sorted. */
  lazy val names: Seq[String] = {
    val entries = Files.list(root)
    try entries.iterator.asScala.map(_.getFileName.toString).toList.sorted
    finally entries.close()
  }

  def table(name: String): String = root.resolve(name).resolve("table").toString

  def facts(name: String): JsonNode = mapper.readTree(expectFile(name, "facts.json").toFile)

  /** The rows of an answer by Hudi, each as its JSON object; `None` when there is no such answer. */
  def rows(name: String, answer: String): Option[Seq[JsonNode]] = {
    val file = expectFile(name, s"$answer.jsonl")
    if (!Files.exists(file)) None
    else
      Some(Files.readAllLines(file, StandardCharsets.UTF_8).asScala.filter(_.nonEmpty).map(mapper.readTree(_)).toList)
  }

  def isMergeOnRead(name: String): Boolean = {
    val properties = new String(Files.readAllBytes(Paths.get(table(name), ".hoodie", "hoodie.properties")), "UTF-8")
    properties.contains("hoodie.table.type=MERGE_ON_READ")
  }

  private def expectFile(name: String, file: String): Path = root.resolve(name).resolve("expect").resolve(file)
}
