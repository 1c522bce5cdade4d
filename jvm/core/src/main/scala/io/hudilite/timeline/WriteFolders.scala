package io.hudilite.timeline

/** Folders with a running write's traces, each under the name of its instant. They go when the write has ended. */
object WriteFolders {

  /** Markers: a folder for each instant (docs/format.md#markers). */
  def markers(basePath: String): String = s"${hoodie(basePath)}/.temp"

  /** Hudi's heartbeats. */
  def heartbeats(basePath: String): String = s"${hoodie(basePath)}/.heartbeat"

  /** hudilite's own files about its running writes (docs/format.md#failed-writes). */
  def owners(basePath: String): String = s"${hoodie(basePath)}/.hudilite"

  def all(basePath: String): Seq[String] = Seq(markers(basePath), heartbeats(basePath), owners(basePath))

  private def hoodie(basePath: String): String = s"${basePath.stripSuffix("/")}/.hoodie"
}
