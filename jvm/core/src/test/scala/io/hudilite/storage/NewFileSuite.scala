package io.hudilite.storage

import java.io.{IOException, OutputStream}
import java.net.URI
import java.nio.file.{Files, Path => LocalPath, Paths}

import munit.FunSuite
import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.{
  Abortable,
  FSDataOutputStream,
  FileAlreadyExistsException,
  Path,
  RawLocalFileSystem,
  StreamCapabilities
}
import org.apache.hadoop.fs.permission.FsPermission
import org.apache.hadoop.util.Progressable

import scala.collection.JavaConverters._

/** Files that cannot be created, or only in part. */
class NewFileSuite extends FunSuite {

  private val content = "a completed instant".getBytes("US-ASCII")

  private def storage(mode: String): HadoopStorage = {
    val conf = new Configuration()
    conf.set("fs.closing.impl", classOf[ClosingFileSystem].getName)
    conf.set("fs.closing.impl.disable.cache", "true")
    conf.set("closing.mode", mode)
    new HadoopStorage(conf)
  }

  private def folder(): LocalPath = Files.createTempDirectory("hudilite-new")

  private def files(folder: LocalPath): Seq[String] = {
    val all = Files.list(folder)
    try all.iterator.asScala.map(_.getFileName.toString).toList
    finally all.close()
  }

  test("a store that publishes at close: a file is whole, and somebody else's is left alone") {
    val place = folder()
    val s = storage("whole")
    assert(!s.usesTemporaries(s"closing:$place/x"))
    assert(s.createNew(s"closing:$place/x", content))
    assert(!s.createNew(s"closing:$place/x", Array[Byte](1)))
    assertEquals(s.read(s"closing:$place/x").map(_.toSeq), Some(content.toSeq))
  }

  test("a store that publishes at close: who finds the name taken when it closes has not created the file") {
    val place = folder()
    Files.write(place.resolve("x"), Array[Byte]('a'))
    assertEquals(storage("taken at close").createNew(s"closing:$place/x", content), false)
    assertEquals(Files.size(place.resolve("x")), 1L)
  }

  for ((mode, certain) <- Seq("create fails" -> true, "write fails, abortable" -> true, "write fails" -> false,
      "close fails" -> false, "close fails halfway" -> false))
    test(
      s"a store that publishes at close: when $mode nothing stays${if (certain) ", and nothing will appear" else ""}") {
      val place = folder()
      val error = intercept[IOException](storage(mode).createNew(s"closing:$place/x", content))
      assertEquals(error.isInstanceOf[NotPublished], certain)
      assertEquals(files(place), Nil)
    }

  test("a store that publishes at close: a file that landed although its close failed stays") {
    val place = folder()
    val error = intercept[IOException](storage("close fails behind").createNew(s"closing:$place/x", content))
    assert(!error.isInstanceOf[NotPublished])
    assertEquals(Files.readAllBytes(place.resolve("x")).toSeq, content.toSeq)
  }

  private def conditional(mode: String, bare: Boolean = false): HadoopStorage = {
    val conf = new Configuration()
    conf.set("fs.conditional.impl", classOf[ConditionalFileSystem].getName)
    conf.set("fs.conditional.impl.disable.cache", "true")
    conf.set("conditional.mode", mode)
    conf.setBoolean("conditional.bare", bare)
    new HadoopStorage(conf)
  }

  test("a store that lets one win at close: the second one has lost, and nobody was asked before") {
    val place = folder()
    assert(conditional("").createNew(s"conditional:$place/x", content))
    assert(!conditional("").createNew(s"conditional:$place/x", Array[Byte](1)))
    assertEquals(Files.readAllBytes(place.resolve("x")).toSeq, content.toSeq)
  }

  for (bare <- Seq(false, true); (name, bytes) <- Seq("a file" -> content, "an empty file" -> Array.emptyByteArray)) {
    def created(mode: String): (Either[Throwable, Boolean], LocalPath) = {
      val place = folder()
      (try Right(conditional(mode, bare).createNew(s"conditional:$place/x", bytes))
        catch { case e: IOException => Left(e) }, place)
    }
    val kind = s"a store that lets one win at close${if (bare) " and tells no more" else ""}, $name"

    test(s"$kind: whoever finds another file there has lost") {
      assertEquals(created("another file comes first")._1, Right(false))
      // Of a store that tells no more, an equal content is taken for one's own.
      assertEquals(created("another file of this content comes first")._1, Right(bare && bytes.nonEmpty))
    }

    test(s"$kind: a request that finds what itself had put there has won") {
      // An empty file cannot be told from another's where the store does not: then it is nobody's.
      for (mode <- Seq("the answer is lost, and the request repeated", "the answer is lost")) {
        val (outcome, place) = created(mode)
        assertEquals(Files.size(place.resolve("x")), bytes.length.toLong, mode)
        if (!bare || bytes.nonEmpty) assertEquals(outcome, Right(true), mode)
        else if (mode == "the answer is lost") assert(outcome.isLeft, mode)
        else assertEquals(outcome, Right(false), mode)
      }
    }

    test(s"$kind: a request that is lost is an error, and leaves nothing and what others put there") {
      assert(created("the request is lost")._1.left.exists(!_.isInstanceOf[NotPublished]))
      val (outcome, place) = created("another file comes first, and the answer is lost")
      assertEquals(Files.readAllBytes(place.resolve("x")).toSeq, Seq('t'.toByte))
      if (!bare || bytes.nonEmpty) assertEquals(outcome, Right(false)) else assert(outcome.isLeft)
    }
  }

  test("a file that is the caller's own is put there once more when its answer was lost") {
    val place = folder()
    conditional("the answer is lost, and the request repeated").replace(s"conditional:$place/x", content)
    assertEquals(Files.readAllBytes(place.resolve("x")).toSeq, content.toSeq)
    val files = new ConditionalFileSystem
    val conf = new Configuration()
    conf.set("conditional.mode", "the answer is lost, and the request repeated")
    files.initialize(files.getUri, conf)
    // As a data file, which must not be there before.
    HadoopFiles.create(files, new Path(s"conditional:$place/data"), overwrite = false).close()
    assert(Files.exists(place.resolve("data")))
  }

  test("on the local file system a temporary file that cannot be created is a failure, and nothing is there") {
    val place = folder()
    val blocked = Files.createFile(place.resolve("file"))
    val error = intercept[NotPublished](new HadoopStorage(new Configuration()).createNew(s"$blocked/x", content))
    assert(error.getMessage.contains("/x"), error.getMessage)
    assertEquals(files(place), Seq("file"))
  }

  test("temporary names are told from all others") {
    assert(Temporaries.isTemporary(Temporaries.nameFor("20260101000000000.commit")))
    for (name <- Seq(".hudilite.lock", "hoodie.properties", ".20260101000000000.commit.crc", ".temp",
        ".hoodie_partition_metadata",
        ".1977df6e-567a-4a88-b82c-e12f6eee42d7-0_20260101000000000.log.1_0-0-0"))
      assert(!Temporaries.isTemporary(name), name)
  }
}

/** A local folder as a store that shows what was written when the file is closed; `closing.mode` says what fails. */
final class ClosingFileSystem extends RawLocalFileSystem {
  override def getUri: URI = URI.create("closing:///")
  override def getScheme: String = "closing"
  override def pathToFile(path: Path): java.io.File = new java.io.File(path.toUri.getPath)

  override def create(path: Path, permission: FsPermission, overwrite: Boolean, bufferSize: Int, replication: Short,
      blockSize: Long, progress: Progressable): FSDataOutputStream =
    create(path, overwrite, bufferSize, replication, blockSize, progress)

  override def create(path: Path, overwrite: Boolean, bufferSize: Int, replication: Short, blockSize: Long,
      progress: Progressable): FSDataOutputStream = {
    val (mode, target) = (getConf.get("closing.mode"), Paths.get(path.toUri.getPath))
    if (mode == "create fails") throw new IOException("no connection")
    if (mode != "taken at close" && Files.exists(target)) throw new FileAlreadyExistsException(path.toString)
    new FSDataOutputStream(new ClosingStream(mode, target), null)
  }
}

private final class ClosingStream(mode: String, target: LocalPath) extends OutputStream with Abortable
    with StreamCapabilities {

  private val bytes = new java.io.ByteArrayOutputStream()
  private var ended = false

  override def write(byte: Int): Unit = write(Array(byte.toByte), 0, 1)

  override def write(from: Array[Byte], offset: Int, length: Int): Unit = {
    if (mode.startsWith("write fails")) {
      bytes.write(from, offset, length / 2)
      throw new IOException("connection lost")
    }
    bytes.write(from, offset, length)
  }

  override def close(): Unit = if (!ended) {
    ended = true
    mode match {
      case "close fails" => throw new IOException("connection lost")
      case "taken at close" => throw new FileAlreadyExistsException(target.toString)
      case "close fails halfway" =>
        Files.write(target, bytes.toByteArray.take(5))
        throw new IOException("connection lost")
      case "close fails behind" =>
        Files.write(target, bytes.toByteArray)
        throw new IOException("connection lost")
      case _ => Files.write(target, bytes.toByteArray)
    }
    ()
  }

  override def hasCapability(name: String): Boolean =
    mode.endsWith("abortable") && name == StreamCapabilities.ABORTABLE_STREAM

  override def abort(): Abortable.AbortableResult = {
    val already = ended
    ended = true
    new Abortable.AbortableResult {
      override def alreadyClosed(): Boolean = already
      override def anyCleanupException(): IOException = null
    }
  }
}
