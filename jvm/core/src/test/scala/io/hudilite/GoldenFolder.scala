package io.hudilite

import java.nio.file.{Files, Path, Paths}

import scala.collection.JavaConverters._

/** The tables of `tests/golden`, written by Apache Hudi, with their data files: unpacked once a test run. */
object GoldenFolder {

  private val Archive = Paths.get("tests", "golden", "golden.tar.gz")

  lazy val folder: Path = {
    val target = Files.createTempDirectory("hudilite-golden")
    val command = Seq("tar", "-xzf", Archive.toAbsolutePath.toString, "-C", target.toString)
    val exit = new ProcessBuilder(command.asJava).inheritIO().start().waitFor()
    if (exit != 0) throw new IllegalStateException(s"${command.mkString(" ")} ended with $exit")
    target
  }

  /** Names such as `cow-basic-v9`. */
  lazy val names: Seq[String] = {
    val stream = Files.list(folder)
    try stream.iterator().asScala.map(_.getFileName.toString).toList.sorted
    finally stream.close()
  }

  def table(name: String): String = folder.resolve(name).resolve("table").toString

  /** The rows that Hudi reads, one JSON object a line. */
  def snapshot(name: String): Seq[String] =
    Files.readAllLines(folder.resolve(name).resolve("expect").resolve("snapshot.jsonl")).asScala.toList
}
