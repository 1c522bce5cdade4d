package io.hudilite.config

/** What options are given to. */
sealed trait OptionSide

object OptionSide {

  /** A session, whose settings count for all that runs in it, or what is not known yet. */
  case object Any extends OptionSide

  case object Read extends OptionSide

  /** A write, a statement that writes, or a compaction. */
  case object Write extends OptionSide
}
