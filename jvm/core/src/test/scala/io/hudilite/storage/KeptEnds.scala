package io.hudilite.storage

import java.nio.file.{Files, Path}

/** Ends of files that this process keeps. */
object KeptEnds {

  /** Lets whoever reads a local file from now on ask the file for all of its bytes, for a test that changed them. */
  def forget(file: Path): Unit = {
    val length = Files.size(file)
    Seq(file.toString, s"file:$file", s"file://$file").foreach(FileTail.keep(_, length, new FileTail(length, Array())))
  }
}
