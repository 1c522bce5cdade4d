package io.hudilite.storage

import java.nio.file.attribute.PosixFilePermissions
import java.nio.file.{Files, Path => LocalPath}

import jdk.jfr.Recording
import jdk.jfr.consumer.RecordingFile
import munit.FunSuite
import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.{FilterFileSystem, LocalFileSystem, Path}

import scala.collection.JavaConverters._

class HadoopFilesSuite extends FunSuite {

  private val folder = FunFixture[LocalPath](_ => Files.createTempDirectory("hudilite-files"), _ => ())

  private def conf(umask: String): Configuration = {
    val conf = new Configuration()
    conf.set("fs.permissions.umask-mode", umask)
    conf.setBoolean("fs.file.impl.disable.cache", true)
    conf
  }

  private def modes(root: LocalPath): Map[String, String] = {
    val all = Files.walk(root)
    try all.iterator.asScala.filter(_ != root).map(p =>
        root.relativize(p).toString -> PosixFilePermissions.toString(Files.getPosixFilePermissions(p))).toMap
    finally all.close()
  }

  private def write(storage: LocalPath, conf: Configuration): Unit = {
    val path = new Path(s"file:$storage/a/b/file")
    val out = HadoopFiles.fileSystem(path, conf).create(path, true)
    out.write(1)
    out.close()
  }

  private def processesStartedBy(body: => Unit): Seq[String] = {
    val recording = new Recording()
    recording.enable("jdk.ProcessStart").withStackTrace()
    val file = Files.createTempFile("processes", ".jfr")
    try {
      recording.start()
      body
      recording.stop()
      recording.dump(file)
      RecordingFile.readAllEvents(file).asScala.map(_.getString("command")).toList
    } finally {
      recording.close()
      Files.delete(file)
    }
  }

  folder.test("local files and folders get Hadoop's modes, checksum files too") { root =>
    for (umask <- Seq("022", "027", "077")) {
      val ours = Files.createDirectory(root.resolve(s"ours-$umask"))
      val hadoops = Files.createDirectory(root.resolve(s"hadoops-$umask"))
      write(ours, conf(umask))
      val plain = new LocalFileSystem()
      plain.initialize(new java.net.URI("file:///"), conf(umask))
      val out = plain.create(new Path(s"file:$hadoops/a/b/file"), true)
      out.write(1)
      out.close()
      assertEquals(modes(ours), modes(hadoops))
      assert(modes(ours).keySet("a/b/.file.crc"), modes(ours))
    }
  }

  folder.test("a local file without content has Hadoop's mode and no checksum file") { root =>
    for (umask <- Seq("022", "027", "077")) {
      val ours = Files.createDirectory(root.resolve(s"ours-$umask"))
      val hadoops = Files.createDirectory(root.resolve(s"hadoops-$umask"))
      val storage = new HadoopStorage(conf(umask))
      storage.replace(s"file:$ours/a/b/file", Array.emptyByteArray)
      assert(storage.createNew(s"file:$ours/a/b/new", Array.emptyByteArray))
      val plain = new LocalFileSystem()
      plain.initialize(new java.net.URI("file:///"), conf(umask))
      Seq("file", "new").foreach(name => plain.create(new Path(s"file:$hadoops/a/b/$name"), true).close())
      assertEquals(modes(ours), modes(hadoops).filterNot(_._1.endsWith(".crc")))
    }
  }

  folder.test("a local file without content can be read beside the checksum file of one that was there before") {
    root =>
      val storage = new HadoopStorage(conf("022"))
      for (make <- Seq[(String, Array[Byte]) => Any](storage.replace, storage.createNew)) {
        val path = s"file:$root/file"
        storage.replace(path, "content".getBytes("UTF-8"))
        Files.delete(root.resolve("file"))
        assert(Files.exists(root.resolve(".file.crc")))
        make(path, Array.emptyByteArray)
        assertEquals(storage.read(path).map(_.length), Some(0))
        storage.replace(path, "other content".getBytes("UTF-8"))
        assertEquals(storage.read(path).map(new String(_, "UTF-8")), Some("other content"))
      }
  }

  folder.test("no process is started for a local file") { root =>
    write(root, conf("022")) // Hadoop asks for facts of the machine once
    assertEquals(processesStartedBy(write(root.resolve("next"), conf("022"))), Seq.empty[String])
  }

  folder.test("a damaged local file is still found out by its checksum") { root =>
    write(root, conf("022"))
    Files.write(root.resolve("a/b/file"), Array[Byte](2))
    val path = new Path(s"file:$root/a/b/file")
    intercept[org.apache.hadoop.fs.ChecksumException] {
      val in = HadoopFiles.fileSystem(path, conf("022")).open(path)
      try in.read(new Array[Byte](1))
      finally in.close()
    }
  }

  folder.test("a file system of the user's is left alone") { root =>
    val own = conf("022")
    own.setClass("fs.file.impl", classOf[HadoopFilesSuite.Own], classOf[org.apache.hadoop.fs.FileSystem])
    assertEquals(HadoopFiles.fileSystem(new Path(s"file:$root/x"), own).getClass.getName,
      classOf[HadoopFilesSuite.Own].getName)
  }
}

object HadoopFilesSuite {
  final class Own extends FilterFileSystem(new LocalFileSystem()) {
    override def getScheme: String = "file"
  }
}
