package io.hudilite.config

/** What options are given to. */
sealed trait Purpose

object Purpose {

  /** A session, whose settings count for all that runs in it, or what is not known yet. */
  case object Any extends Purpose

  case object Read extends Purpose

  /** A write, a statement that writes, or a compaction. */
  case object Write extends Purpose
}
