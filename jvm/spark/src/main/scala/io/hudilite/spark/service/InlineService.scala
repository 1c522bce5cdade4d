package io.hudilite.spark.service

import io.hudilite.config.WriteConf
import io.hudilite.config.service.ServiceConf
import io.hudilite.spark.write.table.WriteTarget
import io.hudilite.table.Table

import org.apache.spark.sql.SparkSession

/** A service that a table may do for itself after a write.
  *
  * @param name
  *   in one or two words, as users read it
  */
private[service] abstract class InlineService(val name: String) {

  /** Raises `InvalidInput`, before the write, when its options ask for a service that the table cannot have, that they
    * forbid, or that makes no sense.
    */
  def check(session: SparkSession, target: WriteTarget): Unit = ()

  /** Says whether it is worth a look after a write, by the options and the timeline as the write found it: most writes ask
    * storage for nothing.
    */
  def mayBeDue(before: Table, conf: ServiceConf): Boolean

  /** Does what is due. */
  def run(session: SparkSession, now: LatestTable, conf: WriteConf): Unit

  /** How it stands with it; `None` for a table that has no use for it. */
  def state(table: Table, conf: ServiceConf): Option[ServiceState]
}
