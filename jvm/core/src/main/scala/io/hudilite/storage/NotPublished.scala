package io.hudilite.storage

import java.io.IOException

/** A file could not be created, and nobody will ever see it: the failure came before its content got its name. */
final class NotPublished(path: String, cause: Throwable)
    extends IOException(s"$path could not be created: ${Option(cause.getMessage).getOrElse(cause)}", cause)

object NotPublished {

  /** Runs what comes before the moment at which `path` appears: whatever it throws, the file is not there. */
  def unless[T](path: String)(prepared: => T): T =
    try prepared
    catch { case e: Throwable => throw new NotPublished(path, e) }
}
