package io.hudilite.storage

/** Result of a look at a file that was perhaps read before. */
sealed trait Found

object Found {

  /** There is no such file. */
  case object Nothing extends Found

  /** The content that is known already. */
  case object Known extends Found

  /** @param tag
    *   tells this content from any other that the file may have, where the storage does so
    */
  final case class Content(bytes: Array[Byte], tag: Option[String]) extends Found
}
