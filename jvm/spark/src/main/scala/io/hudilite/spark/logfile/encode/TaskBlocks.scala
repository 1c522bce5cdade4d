package io.hudilite.spark.logfile.encode

import io.hudilite.spark.basefile.encode.{BaseFileLayout, SequenceNumbers}

/** What the log blocks of one task attempt share; it has one open at a time, and one of new keys. */
private[spark] final class TaskBlocks(val layout: BaseFileLayout, val sequence: SequenceNumbers) {

  /** Encoder of the table's columns. */
  lazy val columns: AvroRecord = AvroEncoder.record(layout.dataSchema)

  /** The bytes of the open block. */
  lazy val buffer: AvroBuffer = new AvroBuffer()

  /** Those of the open block whose keys the base file does not have. */
  lazy val absentBuffer: AvroBuffer = new AvroBuffer()
}
