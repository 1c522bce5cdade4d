package io.hudilite.spark.scan.plan

import io.hudilite.config.{GivenOption, ReadOptions}
import io.hudilite.error.InvalidInput
import io.hudilite.filegroup.FileSlice

import org.apache.hadoop.fs.GlobPattern

import scala.util.control.NonFatal

/** The slices whose files a pattern names. As in Hudi it is one for the end of their paths, in which `*` stands for
  * slashes, too.
  */
private[plan] final class GlobbedSlices(basePath: String, glob: String) {

  private val pattern = GlobbedSlices.pattern(glob)

  def of(slices: Map[String, Seq[FileSlice]]): Map[String, Seq[FileSlice]] =
    slices.map { case (partition, some) => partition -> some.filter(isNamed) }.filter(_._2.nonEmpty)

  // Half a slice is no state of its rows.
  private def isNamed(slice: FileSlice): Boolean = {
    val (named, others) = (slice.base.map(_.relativePath).toSeq ++ slice.logs.map(_.relativePath))
      .partition(path => pattern.matches(s"$basePath/$path"))
    if (named.nonEmpty && others.nonEmpty) throw GlobbedSlices.invalid(glob,
      s"it names ${named.head}, but not ${others.head}, which are of one file slice; name their folder")
    named.nonEmpty
  }
}

private[plan] object GlobbedSlices {

  private def pattern(glob: String): GlobPattern = new GlobPattern(s"*$glob")

  /** Raises `InvalidInput` for what is no pattern. */
  def check(asked: GivenOption): Unit =
    try {
      pattern(asked.text)
      ()
    } catch {
      // Of the library that Hadoop has for its patterns.
      case NonFatal(e) => throw invalid(asked.text, Option(e.getMessage).getOrElse("it is no pattern"))
    }

  private def invalid(glob: String, reason: String): InvalidInput =
    InvalidInput.option(ReadOptions.PathGlob.name, glob, reason)
}
