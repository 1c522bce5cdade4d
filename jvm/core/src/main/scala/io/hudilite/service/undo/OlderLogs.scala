package io.hudilite.service.undo

import io.hudilite.filegroup.FileNames
import io.hudilite.table.Table
import io.hudilite.timeline.Instant

/** Log files of version 6 in a table that Apache Hudi has upgraded since. Other writes may have appended to them, and
  * no command in a log can take back the blocks of one write any more.
  */
private[undo] object OlderLogs {

  /** Reason why this write cannot be taken back. Reads the commit of a completed write. */
  def reason(now: Table, write: Instant): Option[String] =
    if (now.config.layout == 1 || !write.isCompleted) None
    else now.store.readCommit(write).allStats.find(stat =>
      FileNames.parseLogFile(stat.fileName).exists(log => !log.isCdc && log.time != write.time)
    ).map(stat => s"the log file ${stat.path} of ${write.time} is older than the table's version, and stays as it is")
}
