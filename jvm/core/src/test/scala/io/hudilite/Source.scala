package io.hudilite

import io.hudilite.docs.Rooms

import java.nio.charset.StandardCharsets.UTF_8
import java.nio.file.{Files, Path, Paths}

import scala.collection.JavaConverters._

/** One source file: its package and what it names of other packages. */
private[hudilite] final case class Source(path: Path, lines: Seq[String]) {

  def packageName: String = lines.find(_.startsWith("package ")).getOrElse("package ").drop(8).trim

  def room: String = Rooms.of(packageName)

  def name: String = path.getFileName.toString.stripSuffix(".scala")

  /** Lines of code: comments and the contents of texts left out. */
  lazy val code: Seq[String] = lines.map(_.trim)
    .filterNot(line => line.startsWith("*") || line.startsWith("/*") || line.startsWith("//"))
    .map(_.replaceAll("\"[^\"]*\"", "\"\""))

  /** Other rooms that it names, in an import or in full. */
  def uses: Set[String] =
    code.filterNot(_.startsWith("package ")).flatMap(line => Source.Named.findAllIn(line)).map(Rooms.of)
      .filter(other => other.nonEmpty && other != room).toSet
}

private[hudilite] object Source {

  private val Named = """io\.hudilite(\.\w+)+|org\.apache\.spark\.sql(\.execution)?\.hudilite(\.\w+)*""".r

  /** The main sources of `core` or `spark`. */
  def of(module: String): Seq[Source] = below(Paths.get("jvm", module, "src", "main"))

  /** All sources of `core` or `spark`, tests included. */
  def withTests(module: String): Seq[Source] = below(Paths.get("jvm", module, "src"))

  private def below(folder: Path): Seq[Source] = {
    val walk = Files.walk(folder)
    try walk.iterator.asScala.filter(_.toString.endsWith(".scala")).toList
        .map(path => Source(path, new String(Files.readAllBytes(path), UTF_8).split('\n').toList))
    finally walk.close()
  }
}
