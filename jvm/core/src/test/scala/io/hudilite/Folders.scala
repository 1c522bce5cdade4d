package io.hudilite

import java.nio.file.{CopyOption, Files, Path}

import scala.collection.JavaConverters._

/** Folders as tests need them. */
object Folders {

  /** Copies a folder with all that is below it; returns the copy. */
  def copy(from: Path, to: Path, options: CopyOption*): Path = {
    val all = Files.walk(from)
    try all.iterator.asScala.foreach { path =>
        val target = to.resolve(from.relativize(path).toString)
        if (Files.isDirectory(path)) Files.createDirectories(target) else Files.copy(path, target, options: _*)
      }
    finally all.close()
    to
  }
}
