package io.hudilite.error

/** Lists in the texts of errors, which say so when there is nothing to list. */
object Listed {

  /** @param most
    *   items that are said at most
    */
  def of(items: Seq[String], most: Int = Int.MaxValue): String =
    if (items.isEmpty) "none" else items.take(most).mkString(", ") + (if (items.size > most) ", ..." else "")
}
