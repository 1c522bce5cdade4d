package io.hudilite.error

object UnknownName {

  /** The error for an unknown name, with the known one that it may stand for. */
  def of(what: String, name: String, known: Seq[String]): InvalidInput = {
    val nearest = EditDistance.nearest(name, known).map("nearest" -> _)
    InvalidInput("UNKNOWN_NAME", Seq("what" -> what, "name" -> name, "known" -> Listed.of(known)) ++ nearest: _*)
  }
}
