package io.hudilite.metadata

import io.hudilite.storage.MemoryStorage

import com.fasterxml.jackson.databind.{JsonNode, ObjectMapper}

import java.nio.file.{Files, Path, Paths}

import scala.collection.JavaConverters._

/** Actions that Apache Hudi took on small tables with a metadata table, step by step (`tests/golden/make_actions.py`).
  *
  * @param archive
  *   name of a file in `tests/golden`
  */
sealed abstract class GoldenSteps(archive: String) {

  import GoldenSteps.Step

  private val Archive = Paths.get("tests", "golden", archive)

  private lazy val folder: Path = {
    val target = Files.createTempDirectory("hudilite-actions")
    val command = Seq("tar", "-xzf", Archive.toAbsolutePath.toString, "-C", target.toString)
    val exit = new ProcessBuilder(command.asJava).inheritIO().start().waitFor()
    if (exit != 0) throw new IllegalStateException(s"${command.mkString(" ")} ended with $exit")
    target
  }

  /** Names such as `cow-v9`. */
  lazy val names: Seq[String] = {
    val stream = Files.list(folder)
    try stream.iterator.asScala.map(_.getFileName.toString).toList.sorted
    finally stream.close()
  }

  def steps(table: String): Seq[Step] = {
    val all = new ObjectMapper().readTree(folder.resolve(table).resolve("steps.json").toFile).elements.asScala.toSeq
    val first = Step("", Map.empty, Map.empty)
    all.scanLeft(first) { (last, node) =>
      Step(node.get("step").asText, last.after, last.after -- gone(node) ++ came(table, node))
    }.tail
  }

  private def gone(step: JsonNode): Seq[String] = step.get("gone").elements.asScala.map(_.asText).toSeq

  private def came(table: String, step: JsonNode): Map[String, Path] = step.get("files").fields.asScala.map { e =>
    e.getKey -> folder.resolve(table).resolve("files").resolve(e.getValue.asText)
  }.toMap

  /** The table with these files, in memory. */
  def inMemory(base: String, files: Map[String, Path]): MemoryStorage = {
    val storage = new MemoryStorage()
    files.foreach { case (path, content) => storage.replace(s"$base/$path", Files.readAllBytes(content)) }
    storage
  }

  /** A folder with the table as it was after a step. */
  def after(table: String, step: String): String = onDisk(steps(table).find(_.name == step).get.after)

  /** A folder with these files. */
  def onDisk(files: Map[String, Path]): String = {
    val target = Files.createTempDirectory("hudilite-actions-files")
    files.foreach { case (path, content) =>
      Files.createDirectories(target.resolve(path).getParent)
      Files.copy(content, target.resolve(path))
    }
    target.toString
  }
}

object GoldenSteps {

  /** The files of a table before and after a step, by paths below the table. */
  final case class Step(name: String, before: Map[String, Path], after: Map[String, Path])
}

/** Each kind of action, with statistics and bloom filters. */
object GoldenActions extends GoldenSteps("actions.tar.gz")

/** Writes by a record index. */
object GoldenKeys extends GoldenSteps("record-index.tar.gz")

/** Writes of tables with indexes of expressions. */
object GoldenExpressions extends GoldenSteps("expressions.tar.gz")
