package io.hudilite.storage

import java.nio.file.{Files, Path => LocalPath}

import munit.FunSuite
import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.{FileAlreadyExistsException, Path}

/** The counters that other suites go by. */
class CountingSuite extends FunSuite {

  private val folder = FunFixture[LocalPath](_ => Files.createTempDirectory("hudilite-counted"), _ => ())

  private val conf = new Configuration()
  CountingFileSystem.configure(conf)
  private val storage = new HadoopStorage(conf)

  private def counted(body: => Any): Map[String, Int] = CountingFileSystem.during(body)._2.counts

  folder.test("a file system counts one request for each thing that an object store is asked") { root =>
    val file = CountingFileSystem.path(s"$root/a/file")
    assertEquals(counted(storage.createNew(file, new Array[Byte](300000))), Map("head" -> 1, "put" -> 1))
    assertEquals(counted(assert(!storage.createNew(file, Array[Byte](1)))), Map("head" -> 1))
    assertEquals(counted(storage.replace(s"$file-2", Array[Byte](1))), Map("put" -> 1))
    assertEquals(counted(storage.exists(file)), Map("head" -> 1))
    assertEquals(counted(storage.exists(file + "x")), Map("head" -> 1, "list" -> 1))
    assertEquals(counted(storage.list(CountingFileSystem.path(s"$root/a"))), Map("list" -> 1))
    assertEquals(counted(storage.read(file)), Map("head" -> 1, "get" -> 1))
    assertEquals(counted(storage.delete(file)), Map("delete" -> 1))
  }

  folder.test("a file that changes rarely is looked at, and read when its tag is another") { root =>
    val file = CountingFileSystem.path(s"$root/a/file")
    def look(tag: Option[String]): (Found, Map[String, Int]) = {
      val (found, calls) = CountingFileSystem.during(storage.readUnlessKnown(file, tag))
      (found, calls.counts)
    }
    def contentOf(found: Found): (Seq[Byte], Option[String]) = found match {
      case Found.Content(bytes, tag) => (bytes.toSeq, tag)
      case other => fail(s"no content: $other")
    }
    assertEquals(look(None)._1, Found.Nothing: Found)
    storage.replace(file, Array[Byte](1, 2))
    val (first, read) = look(None)
    assertEquals((contentOf(first)._1, read), (Seq[Byte](1, 2), Map("head" -> 1, "get" -> 1)))
    assertEquals(look(contentOf(first)._2), (Found.Known: Found, Map("head" -> 1)))
    storage.replace(file, Array[Byte](1, 3)) // as long, and written in the same moment
    val (second, again) = look(contentOf(first)._2)
    assertEquals((contentOf(second)._1, again), (Seq[Byte](1, 3), Map("head" -> 1, "get" -> 1)))
    // A local file has no tag.
    storage.replace(s"$root/a/file", Array[Byte](1, 4))
    val local = contentOf(storage.readUnlessKnown(s"$root/a/file", Some("1")))
    assertEquals(local, (Seq[Byte](1, 4), None))
  }

  folder.test("files at any depth are told by one question, or folder by folder") { root =>
    for (name <- Seq("a/b%20c/1", "a/b%20c/d/2", "a/3", "ab/4"))
      storage.replace(CountingFileSystem.path(s"$root/$name"), Array[Byte](1))
    def below(folder: String): Seq[String] =
      storage.listBelow(folder).map(f => s"${f.path.stripPrefix(folder)} ${f.length}").sorted
    val top = CountingFileSystem.path(s"$root/a")
    val (found, calls) = CountingFileSystem.during(below(top))
    assertEquals((found, calls.counts), (Seq("/3 1", "/b%20c/1 1", "/b%20c/d/2 1"), Map("list" -> 1)))
    assertEquals(below(s"$root/a"), found)
    assertEquals(below(s"${top}c"), Nil)
    assertEquals(below(s"$root/c"), Nil)
  }

  folder.test("reads that go forward are one request, and a leap is another") { root =>
    val file = CountingFileSystem.path(s"$root/file")
    storage.createNew(file, Array.tabulate[Byte](300000)(i => (i % 100).toByte))
    def read(ranges: (Int, Int)*): Map[String, Int] = counted {
      val opened = storage.open(file)
      try ranges.foreach { case (at, length) =>
          val bytes = new Array[Byte](length)
          opened.readFully(at.toLong, bytes)
          assertEquals(bytes.toSeq, Seq.tabulate(length)(i => ((at + i) % 100).toByte))
        }
      finally opened.close()
    }
    assertEquals(read(0 -> 10, 10 -> 10, 60000 -> 10), Map("head" -> 1, "get" -> 1))
    assertEquals(read(0 -> 10, 200000 -> 10), Map("head" -> 1, "get" -> 2))
    assertEquals(read(100 -> 10, 0 -> 10), Map("head" -> 1, "get" -> 2))
  }

  folder.test("a file that is opened with its status is not asked for it again") { root =>
    val file = new Path(CountingFileSystem.path(s"$root/file"))
    storage.createNew(file.toString, Array[Byte](1))
    val files = file.getFileSystem(conf)
    val status = files.getFileStatus(file)
    assertEquals(counted(files.openFile(file).withFileStatus(status).build().get.close()), Map.empty[String, Int])
    assertEquals(counted(files.openFile(file).build().get.close()), Map("head" -> 1))
  }

  folder.test("a file appears when it is closed, for one of two writers, and never after it was aborted") { root =>
    val files = new Path(CountingFileSystem.path(root.toString)).getFileSystem(conf)
    val name = new Path(CountingFileSystem.path(s"$root/file"))
    val outs = Seq.fill(2)(files.create(name, false))
    outs.foreach(_.write(1))
    assert(!files.exists(name))
    outs.head.close()
    assert(files.exists(name))
    intercept[FileAlreadyExistsException](outs.last.close())
    val second = new Path(CountingFileSystem.path(s"$root/second"))
    val aborted = files.create(second, false)
    aborted.write(1)
    aborted.abort()
    aborted.close()
    assert(!files.exists(second))
  }

  test("a storage names its calls, and what is done before one may fail it") {
    val storage = new CountingStorage(new MemoryStorage(), call => if (call.path.endsWith("bad")) sys.error(call.kind))
    val (found, calls) = storage.during {
      storage.createNew("/t/a", Array[Byte](1, 2))
      storage.readAll(Seq("/t/a", "/t/b")).size
    }
    assertEquals(found, 1)
    assertEquals(calls.summary, "3 = 2 get, 1 put")
    assertEquals(calls.paths("get"), Seq("/t/a", "/t/b"))
    assertEquals(intercept[RuntimeException](storage.delete("/t/bad")).getMessage, "delete")
    assertEquals(storage.calls.all.last, StorageCall("delete", "/t/bad"))
  }

  test("details put files of one sort together") {
    val log = new StorageCalls.Log
    for (i <- 1 to 3) log.add("get", s"/t/p$i/0f8fad5b-d9cb-469f-a165-70867728950e-0_$i-1-1_2024.parquet")
    assertEquals(log.taken.details, "     3 get    pN/ID-N_N-N-N_N.parquet")
  }
}
