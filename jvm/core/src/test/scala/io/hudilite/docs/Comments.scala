package io.hudilite.docs

import java.nio.charset.StandardCharsets.UTF_8
import java.nio.file.{Files, Paths}

import scala.util.matching.Regex

/** Sentences in the comments of a Scala source. */
object Comments {

  /** First words that no sentence has, from the house rules, which `tests/sentences.py` reads, too. */
  lazy val words: Seq[String] = {
    val rules = new String(Files.readAllBytes(Paths.get("CONTRIBUTING.md")), UTF_8)
    "None begins with (.*?):".r.findFirstMatchIn(rules).toSeq.flatMap(_.group(1).split(", | or "))
  }

  private lazy val refusedBeginning: Regex = words.mkString("^(?:", "|", ")\\b").r

  /** Sentences that begin with one of the words and are no questions. */
  def refused(lines: Seq[String]): Seq[String] = sentences(lines).filter(sentence =>
    refusedBeginning.findFirstIn(sentence).isDefined && !sentence.endsWith("?"))

  private[docs] def sentences(lines: Seq[String]): Seq[String] = {
    val inside = lines.scanLeft(false)((before, line) =>
      (before || line.trim.startsWith("/*")) && !line.contains("*/"))
    val texts = lines.zip(inside).map { case (line, within) => text(line.trim, within) }
    texts.mkString("\n").split("\n\\s*\n").toSeq.flatMap { paragraph =>
      val flat = paragraph.replaceAll("`[^`]*`", "code").trim.split("\\s+").mkString(" ")
      (if (flat.startsWith(Tag)) flat.stripPrefix(Tag).capitalize else flat)
        .split("(?<=[.:?!;)*]) (?=[*_(\\[]*[A-Z])").map(_.replaceAll("^[*_(\\[]+", ""))
    }
  }

  // Behind an even number of quotes; a comment at the end of a line of code is a paragraph by itself.
  private val atTheEnd = """^(?:[^"]*"[^"]*")*[^"]*\s// (.*)$""".r

  // Texts of tags begin in lower case.
  private val Tag = "@ "

  /** The comment in a line, empty for code. A tag of scaladoc begins a paragraph. */
  private def text(line: String, inside: Boolean): String =
    if (inside) tagged(line.stripSuffix("*/").stripPrefix("*"))
    else if (line.startsWith("/*")) "\n" + tagged(line.stripSuffix("*/").replaceFirst("^/\\*+", ""))
    else if (line.startsWith("//")) line.dropWhile(_ == '/')
    else atTheEnd.findFirstMatchIn(line).fold("")(found => s"\n${found.group(1)}\n")

  private def tagged(text: String): String =
    if (text.trim.startsWith("@")) s"\n$Tag" + text.trim.replaceFirst("^@(?:(?:param|tparam|throws) \\S+|\\w+)", "")
    else text
}
