package io.hudilite.storage

import java.nio.file.{FileAlreadyExistsException, Files, Paths}

import org.apache.hadoop.fs.Path

/** What the local file system can do and Hadoop's interface to it does not offer. */
private[storage] object LocalFiles {

  /** Gives `temporary`'s content the name `target` unless that is taken; exactly one caller gets `true`. */
  def linkNew(temporary: Path, target: Path): Boolean =
    try {
      Files.createLink(Paths.get(target.toUri.getPath), Paths.get(temporary.toUri.getPath))
      // Hadoop's checksum sibling follows the name, or a later read through a stale one would fail.
      val crc = Paths.get(temporary.getParent.toUri.getPath, s".${temporary.getName}.crc")
      if (Files.exists(crc))
        Files.move(crc, Paths.get(target.getParent.toUri.getPath, s".${target.getName}.crc"),
          java.nio.file.StandardCopyOption.REPLACE_EXISTING)
      true
    } catch { case _: FileAlreadyExistsException => false }
}
