package io.hudilite.storage

import java.nio.file.{Files, Path}
import java.util.Locale

/** Where a path lies.
  *
  * @param key
  *   text that all spellings of one place share
  * @param local
  *   the path on this machine's file system, when it is there
  */
final case class Place(key: String, local: Option[Path])

object Place {

  // Schemes under which one store is known by several names.
  private val Aliases = Map("s3" -> "s3a", "s3n" -> "s3a", "abfss" -> "abfs", "wasbs" -> "wasb")

  private val DefaultPorts = Map("hdfs" -> ":8020")

  /** A path on this machine: links on the way to it are followed, as far as it exists. */
  def local(path: Path): Place = Place(s"file:${followed(path.toAbsolutePath)}", Some(path))

  private def followed(path: Path): Path =
    if (Files.exists(path)) path.toRealPath()
    else Option(path.getParent).fold(path)(parent => followed(parent).resolve(path.getFileName).normalize())

  private val Uri = "(?:([a-zA-Z][a-zA-Z0-9+.-]*):)?(?://([^/]*))?(.*)".r

  /** A path on another store, as a URI or without a scheme. */
  def remote(path: String): Place = path match {
    case Uri(scheme, authority, rest) => remote(Option(scheme).getOrElse(""), Option(authority).getOrElse(""), rest)
    case other => remote("", "", other)
  }

  private def remote(scheme: String, authority: String, path: String): Place = {
    val known = scheme.toLowerCase(Locale.ROOT)
    val host = authority.toLowerCase(Locale.ROOT).stripSuffix(DefaultPorts.getOrElse(known, ""))
    val folders = path.split('/').filter(_.nonEmpty).mkString("/", "/", "")
    Place(s"${Aliases.getOrElse(known, known)}://$host$folders", None)
  }
}
