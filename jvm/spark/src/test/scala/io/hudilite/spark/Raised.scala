package io.hudilite.spark

import io.hudilite.error.HudiliteException

import munit.Assertions.{fail, intercept}

/** The error of hudilite's that a query or a write ends in, whatever Spark puts around it. */
object Raised {

  def by(body: => Any): HudiliteException = {
    @annotation.tailrec
    def find(e: Throwable): Option[HudiliteException] = e match {
      case h: HudiliteException => Some(h)
      case null => None
      case other => find(other.getCause)
    }
    val error = intercept[Throwable](body)
    find(error).getOrElse(fail(s"no error of hudilite's: $error", error))
  }
}
