package io.hudilite.error

object UnknownName {

  /** The error for a name that is none of those known, with the one that may have been meant. */
  def of(what: String, name: String, known: Seq[String]): InvalidInput = {
    val nearest = EditDistance.nearest(name, known).map("nearest" -> _)
    InvalidInput("UNKNOWN_NAME", Seq("what" -> what, "name" -> name, "known" -> Listed.of(known)) ++ nearest: _*)
  }
}
