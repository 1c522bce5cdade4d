package io.hudilite.spark.service

import io.hudilite.table.Table

/** The table after a write, opened when a service first needs it and anew behind each that may have changed its files.
  *
  * @param before
  *   the table as the write found it
  */
private[service] final class LatestTable(val before: Table) {

  private var known: Option[Table] = None

  def table: Table = known.getOrElse {
    val opened = before.refresh()
    known = Some(opened)
    opened
  }

  def changing(service: Table => Any): Unit =
    try {
      service(table)
      ()
    } finally known = None
}
