package io.hudilite.storage

import java.util.UUID

import org.apache.hadoop.fs.{FSDataOutputStream, FileAlreadyExistsException, FileSystem, Path, StreamCapabilities}
import org.slf4j.LoggerFactory

import scala.util.control.NonFatal

/** Creates one file that no reader sees in part, and that one of many writers gets. */
private[storage] final class NewFile(fs: FileSystem, target: Path, content: Array[Byte]) {

  import NewFile._

  /** As `Storage.createNew`. */
  def create(): Boolean =
    if (!usesTemporary(fs)) published(NotPublished.unless(target.toString)(begun()))
    else if (NotPublished.unless(target.toString)(fs.exists(target))) false
    else byTemporary(new Path(target.getParent, Temporaries.nameFor(target.getName)))

  private def byTemporary(temporary: Path): Boolean =
    try {
      NotPublished.unless(target.toString)(writeWhole(fs, temporary, content))
      // LocalFileSystem renames over an existing file, so the winner is decided by a hard link where there are any.
      if (fs.getScheme == "file") LocalFiles.linkNew(temporary, target) else fs.rename(temporary, target)
    } finally quietly(s"The temporary file $temporary stays")(fs.delete(temporary, false))

  // Tells this creation from any other, of the same content too.
  private val nonce = UUID.randomUUID().toString

  private lazy val isConditional = HadoopFiles.isConditional(fs, target)

  /** The stream of a file that nobody had created. */
  private def begun(): Option[FSDataOutputStream] =
    try Some(HadoopFiles.createNew(fs, target, nonce))
    catch { case _: FileAlreadyExistsException => None }

  private def published(stream: Option[FSDataOutputStream]): Boolean = stream.fold(false) { out =>
    try out.write(content)
    catch {
      case e: Throwable =>
        // Closing it now would put the part that was written into its place.
        val undone = aborted(out)
        if (!isConditional) quietly(s"Part of $target may stay")(removePart())
        throw if (undone) new NotPublished(target.toString, e) else e
    }
    try {
      out.close()
      true
    } catch {
      case e: Throwable if isConditional => settled(e)
      // Some stores look for the name only now.
      case _: FileAlreadyExistsException => false
      case e: Throwable =>
        quietly(s"Part of $target may stay")(removePart())
        throw e
    }
  }

  /** After a failure of a store that lets one win: clients repeat a request whose answer was lost, and the second one finds
    * the file of the first. Once there is a file, no request of ours that is still under way can replace it.
    */
  private def settled(failure: Throwable): Boolean = {
    val ours = Interrupts.after(failure)(quietly(s"It stays unknown whose $target is", Option.empty[Boolean]) {
      HadoopFiles.bears(fs, target, nonce).orElse(if (content.isEmpty) None else contentIsOurs)
    })
    ours.getOrElse(if (HadoopFiles.isTaken(failure)) false else throw failure)
  }

  // Content that names its writer tells whose it is; of a file that is empty nobody is wronged by giving way.
  private def contentIsOurs: Option[Boolean] = {
    val in = fs.open(target)
    try Some(in.readAllBytes().sameElements(content))
    finally in.close()
  }

  // The name was free when the stream was opened, so a file that begins as ours does and ends early is ours.
  private def removePart(): Unit = if (fs.exists(target)) {
    val in = fs.open(target)
    val found = try in.readAllBytes()
    finally in.close()
    if (found.length < content.length && content.startsWith(found)) fs.delete(target, false)
  }
}

private[storage] object NewFile {

  private val log = LoggerFactory.getLogger("io.hudilite.storage.NewFile")

  private val RenameSchemes = Set("file", "hdfs", "viewfs")

  /** Other stores show a file when it is closed. */
  def usesTemporary(fs: FileSystem): Boolean = RenameSchemes(fs.getScheme)

  /** Creates or replaces the file. */
  def writeWhole(fs: FileSystem, target: Path, content: Array[Byte]): Unit = {
    val out =
      HadoopFiles.create(if (content.isEmpty) HadoopFiles.withoutChecksums(fs) else fs, target, overwrite = true)
    try {
      out.write(content)
      out.close()
    } catch {
      case e: Throwable =>
        if (!aborted(out) && usesTemporary(fs)) quietly(s"$target stays open")(out.close())
        throw e
    }
  }

  /** Gives up a stream so that nothing of its file will appear; `false` where the store cannot promise that. */
  def aborted(out: FSDataOutputStream): Boolean =
    try out.hasCapability(StreamCapabilities.ABORTABLE_STREAM) && {
        val result = out.abort()
        !result.alreadyClosed && result.anyCleanupException == null
      }
    catch { case NonFatal(_) => false }

  private def quietly(consequence: String)(action: => Any): Unit =
    quietly(consequence, ()) { action; () }

  private def quietly[T](consequence: String, otherwise: T)(action: => T): T =
    try action
    catch {
      case NonFatal(e) =>
        log.warn(s"$consequence: ${e.getMessage}")
        otherwise
    }
}
