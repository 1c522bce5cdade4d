package io.hudilite.config

import io.hudilite.error.InvalidInput

import java.util.Locale

/** A write of an application that numbers its writes, so that one that comes twice is done once.
  *
  * @param application
  *   name of the application, which stays
  * @param number
  *   greater than those of its earlier writes
  */
final case class WriteVersion(application: String, number: Long)

/** Words of a writer in its commit, beside its rows.
  *
  * @param entries
  *   entries of the commit's extra metadata
  * @param version
  *   of a write that is skipped where the table has seen it
  */
final case class CommitNotes(entries: Map[String, String], version: Option[WriteVersion])

object CommitNotes {

  val Empty: CommitNotes = CommitNotes(Map.empty, None)

  private[config] def of(options: Map[String, String]): CommitNotes = {
    val prefix = prefixOf(options)
    CommitNotes(options.filter { case (name, _) => begins(name, prefix) }, versionOf(options))
  }

  /** True for the name of an option that is an entry of the commit.
    *
    * @param options
    *   options that may say how such names begin
    */
  def isEntry(name: String, options: Map[String, String]): Boolean = begins(name, prefixOf(options))

  /** The first letters of the options that are notes. */
  def prefixOf(options: Map[String, String]): String = WriteOptions.NotesPrefix(options)

  // Without a beginning all options would be entries.
  private def begins(name: String, prefix: String): Boolean =
    prefix.nonEmpty && name.toLowerCase(Locale.ROOT).startsWith(prefix.toLowerCase(Locale.ROOT))

  private def versionOf(options: Map[String, String]): Option[WriteVersion] = {
    val (application, number) = (WriteOptions.Application.raw(options), WriteOptions.ApplicationVersion.raw(options))
    (application.isDefined, number.isDefined) match {
      case (true, false) => throw alone(application.get, WriteOptions.ApplicationVersion.name)
      case (false, true) => throw alone(number.get, WriteOptions.Application.name)
      case _ => for {
          name <- WriteOptions.Application.get(options)
          version <- WriteOptions.ApplicationVersion.get(options)
        } yield WriteVersion(name, version)
    }
  }

  private def alone(half: (String, String), other: String): InvalidInput =
    InvalidInput.option(half._1, half._2, s"it goes with $other, and both say which write this is")
}
