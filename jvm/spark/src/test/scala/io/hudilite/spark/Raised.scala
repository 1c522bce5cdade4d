package io.hudilite.spark

import io.hudilite.error.HudiliteException

import munit.Assertions.{fail, intercept}

/** The error of hudilite's that a query or a write ends in, whatever Spark puts around it. */
object Raised {

  def by(body: => Any): HudiliteException = {
    val error = intercept[Throwable](body)
    HudiliteException.in(error).getOrElse(fail(s"no error of hudilite's: $error", error))
  }
}
