package io.hudilite.storage

import java.io.{IOException, OutputStream}

import org.apache.hadoop.fs.{FileSystem, Path}
import org.slf4j.LoggerFactory

import scala.util.control.NonFatal

/** Creates one file that no reader sees in part, of content that is made as it is written. */
private[storage] final class StreamedFile(fs: FileSystem, target: Path) {

  import StreamedFile.log

  /** As `Storage.createStreamed`. */
  def create(write: OutputStream => Unit): Boolean =
    if (fs.exists(target)) false
    else if (!NewFile.usesTemporary(fs)) {
      // Such stores show a file when it is closed.
      written(target, write)
      true
    } else {
      val temporary = new Path(target.getParent, Temporaries.nameFor(target.getName))
      try {
        written(temporary, write)
        if (fs.getScheme == "file") LocalFiles.linkNew(temporary, target) else fs.rename(temporary, target)
      } finally delete(temporary)
    }

  private def written(path: Path, write: OutputStream => Unit): Unit = {
    val out = HadoopFiles.create(fs, path, overwrite = true)
    try write(out)
    catch {
      case e: Throwable =>
        // Where it cannot be given up, closing it would show a part of the file.
        if (!NewFile.aborted(out) && NewFile.usesTemporary(fs))
          try out.close()
          catch { case closing: IOException => e.addSuppressed(closing) }
        throw e
    }
    out.close()
  }

  private def delete(temporary: Path): Unit =
    try {
      fs.delete(temporary, false)
      ()
    } catch { case NonFatal(e) => log.warn(s"The temporary file $temporary stays: ${e.getMessage}") }
}

private object StreamedFile {
  val log = LoggerFactory.getLogger("io.hudilite.storage.StreamedFile")
}
