package io.hudilite.error

object UnknownName {

  /** The error for an unknown name, with the known one that it may stand for.
    *
    * @param instead
    *   the way to take in place of a name that others know
    */
  def of(what: String, name: String, known: Seq[String], instead: Option[String] = None): InvalidInput = {
    val hint = instead.map("instead" -> _).orElse(EditDistance.nearest(name, known).map("nearest" -> _))
    InvalidInput("UNKNOWN_NAME", Seq("what" -> what, "name" -> name, "known" -> Listed.of(known)) ++ hint: _*)
  }
}
