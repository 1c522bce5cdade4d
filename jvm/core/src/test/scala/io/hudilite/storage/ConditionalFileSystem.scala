package io.hudilite.storage

import java.io.{ByteArrayOutputStream, IOException, OutputStream}
import java.net.URI
import java.nio.charset.StandardCharsets.UTF_8
import java.nio.file.{FileAlreadyExistsException => Taken, Files, Path => LocalPath, Paths, StandardOpenOption}

import org.apache.hadoop.fs._
import org.apache.hadoop.fs.s3a.RemoteFileChangedException

/** A local folder as an object store that puts a file where there is none, if it is asked for that, when the file is closed:
  * as S3A has it since Hadoop 3.4.2. `conditional.mode` says what becomes of the request.
  */
final class ConditionalFileSystem extends RawLocalFileSystem {

  override def getUri: URI = URI.create("conditional:///")
  override def getScheme: String = "conditional"
  override def pathToFile(path: Path): java.io.File = new java.io.File(path.toUri.getPath)

  private def mode: String = getConf.get("conditional.mode", "")

  override def hasPathCapability(path: Path, capability: String): Boolean = capability match {
    case "fs.option.create.conditional.overwrite" | "fs.s3a.create.performance" => true
    case "fs.s3a.create.header" => !getConf.getBoolean("conditional.bare", false)
    case other => super.hasPathCapability(path, other)
  }

  override def getXAttr(path: Path, name: String): Array[Byte] = {
    val file = pathToFile(path).toPath
    if (!Files.exists(file)) throw new java.io.FileNotFoundException(path.toString)
    val attribute = ConditionalFileSystem.header(file)
    if (name == "header.hudilite-creation" && Files.exists(attribute)) Files.readAllBytes(attribute) else null
  }

  override def createFile(path: Path): FSDataOutputStreamBuilder[_ <: FSDataOutputStream, _] = new Creation(path)

  private final class Creation(path: Path) extends FSDataOutputStreamBuilder[FSDataOutputStream, Creation](this, path) {
    override def getThisBuilder: Creation = this
    override def build(): FSDataOutputStream = {
      // As S3A: it is the default where nothing is to be overwritten.
      val isNew = getOptions.getBoolean("fs.option.create.conditional.overwrite", false) ||
        !getFlags.contains(CreateFlag.OVERWRITE)
      val nonce = Option(getOptions.get("fs.s3a.create.header.hudilite-creation"))
      new FSDataOutputStream(new ConditionalUpload(mode, Paths.get(path.toUri.getPath), isNew, nonce), null)
    }
  }
}

object ConditionalFileSystem {

  /** Where the metadata of an object lies. */
  def header(file: LocalPath): LocalPath = file.resolveSibling(s".header-${file.getFileName}")
}

private final class ConditionalUpload(mode: String, target: LocalPath, isNew: Boolean, nonce: Option[String])
    extends OutputStream {

  private val content = new ByteArrayOutputStream()
  private var open = true

  override def write(byte: Int): Unit = content.write(byte)

  override def close(): Unit = if (open) {
    open = false
    mode match {
      case "the answer is lost, and the request repeated" => put(); put()
      case "the answer is lost" =>
        put()
        throw new IOException("connection reset")
      case "another file comes first" =>
        Files.write(target, Array[Byte]('t'))
        put()
      case "another file of this content comes first" =>
        Files.write(target, content.toByteArray)
        put()
      case "another file comes first, and the answer is lost" =>
        Files.write(target, Array[Byte]('t'))
        throw new IOException("connection reset")
      case "the request is lost" => throw new IOException("connection refused")
      case _ => put()
    }
  }

  private def put(): Unit =
    try {
      if (isNew) Files.write(target, content.toByteArray, StandardOpenOption.CREATE_NEW)
      else Files.write(target, content.toByteArray)
      nonce.foreach(n => Files.write(ConditionalFileSystem.header(target), n.getBytes(UTF_8)))
    } catch {
      case _: Taken => throw new RemoteFileChangedException(target.toString, "PUT", "412 Precondition Failed")
    }
}
