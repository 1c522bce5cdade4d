package io.hudilite.config

/** The receiver of options. */
sealed trait OptionSide

object OptionSide {

  /** A session, whose settings hold for all that runs in it, or a receiver that is not known yet. */
  case object Any extends OptionSide

  case object Read extends OptionSide

  /** A write, a statement that writes, or a compaction. */
  case object Write extends OptionSide
}
