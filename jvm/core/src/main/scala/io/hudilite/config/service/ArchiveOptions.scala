package io.hudilite.config.service

import io.hudilite.config.key.ConfigKey

/** Options of archiving: how long the active timeline grows. */
object ArchiveOptions {

  val Automatic: ConfigKey[Boolean] = ConfigKey.flag("hoodie.archive.automatic", default = true,
    "After a write, move the oldest instants from the active timeline to the archived one, once there are more than " +
      "hoodie.keep.max.commits. The write is committed before; an archiving that fails is logged, and taken up by the " +
      "next one.")

  val MinCommits: ConfigKey[Int] = ConfigKey.int("hoodie.keep.min.commits", 20,
    "Commits that archiving leaves in the active timeline. They must be more than cleaning leaves whole.", 1, "commits")

  val MaxCommits: ConfigKey[Int] = ConfigKey.int("hoodie.keep.max.commits", 30,
    "Commits in the active timeline after which archiving is due.", 2, "commits")

  val BeyondSavepoint: ConfigKey[Boolean] = ConfigKey.flag("hoodie.archive.beyond.savepoint", default = false,
    "Archive commits that are newer than the first savepoint, too. Those that are saved stay, and cannot be restored then.")

  val MergedFiles: ConfigKey[Int] = ConfigKey.int("hoodie.timeline.compaction.batch.size", 10,
    "Files of one layer of the archived timeline that are merged into one of the next layer; table versions 8 and 9.",
    2,
    "files")

  val all: Seq[ConfigKey[_]] = Seq(Automatic, MinCommits, MaxCommits, BeyondSavepoint, MergedFiles)
}
