package io.hudilite.error

/** Lists in the texts of errors; an empty one reads `none`. */
object Listed {

  /** @param most
    *   greatest number of items in the text
    */
  def of(items: Seq[String], most: Int = Int.MaxValue): String =
    if (items.isEmpty) "none" else items.take(most).mkString(", ") + (if (items.size > most) ", ..." else "")
}
