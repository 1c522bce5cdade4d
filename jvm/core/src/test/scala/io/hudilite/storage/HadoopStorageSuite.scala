package io.hudilite.storage

import java.nio.charset.StandardCharsets.UTF_8
import java.nio.file.{Files, NotDirectoryException, Path, Paths}
import java.util.concurrent.{Callable, CountDownLatch, Executors}

import munit.FunSuite
import org.apache.hadoop.conf.Configuration

import scala.collection.JavaConverters._

class HadoopStorageSuite extends FunSuite {

  private val storage = new HadoopStorage(new Configuration())

  private val folder = FunFixture[Path](_ => Files.createTempDirectory("hudilite-storage"),
    dir => storage.deleteOwn(dir.toString))

  private def bytes(text: String): Array[Byte] = text.getBytes(UTF_8)

  private def read(path: String): Option[String] = storage.read(path).map(new String(_, UTF_8))

  folder.test("of many writers of one name exactly one wins, and readers see its whole content or nothing") { dir =>
    val path = s"$dir/20260101000000000.commit"
    val writers = 16
    val start = new CountDownLatch(1)
    val pool = Executors.newFixedThreadPool(writers + 1)
    try {
      val reader = pool.submit(new Callable[Boolean] {
        override def call(): Boolean = {
          start.await()
          (1 to 200).forall(_ => read(path).forall(t => t.length == 10000 && t.distinct.length == 1))
        }
      })
      val results = (0 until writers).map { n =>
        pool.submit(new Callable[(Char, Boolean)] {
          override def call(): (Char, Boolean) = {
            val mark = ('a' + n).toChar
            start.await()
            mark -> storage.createNew(path, bytes(mark.toString * 10000))
          }
        })
      }
      start.countDown()
      val winners = results.map(_.get()).filter(_._2)
      assertEquals(winners.size, 1)
      assert(reader.get(), "a reader saw part of a file")
      assertEquals(read(path), Some(winners.head._1.toString * 10000))
    } finally pool.shutdown()
  }

  folder.test("a lost race leaves no temporary file behind") { dir =>
    assert(storage.createNew(s"$dir/a", bytes("first")))
    assert(!storage.createNew(s"$dir/a", bytes("second")))
    assertEquals(storage.list(dir.toString).map(_.name), Seq("a"))
    assertEquals(read(s"$dir/a"), Some("first"))
  }

  folder.test("a file created anew after its deletion can be read through the checksum") { dir =>
    assert(storage.createNew(s"$dir/a", bytes("first")))
    assert(storage.delete(s"$dir/a"))
    assert(storage.createNew(s"$dir/a", bytes("second, longer")))
    assertEquals(read(s"$dir/a"), Some("second, longer"))
  }

  folder.test("a missing directory lists as empty and a missing file reads as none") { dir =>
    assertEquals(storage.list(s"$dir/none"), Nil)
    assertEquals(storage.list(Seq(s"$dir/none", s"$dir/neither")),
      Map[String, Seq[FileInfo]](
        s"$dir/none" -> Nil, s"$dir/neither" -> Nil))
    assertEquals(read(s"$dir/none"), None)
    assertEquals(storage.readAll(Seq(s"$dir/none", s"$dir/neither")).size, 0)
    assert(!storage.delete(s"$dir/none"))
    assert(!storage.exists(s"$dir/none"))
  }

  folder.test("listing tells files from directories, with lengths, and keeps the path as it was asked for") { dir =>
    storage.makeDirectory(s"$dir/sub")
    storage.replace(s"$dir/file", bytes("12345"))
    val found = storage.list(dir.toString).map(f => (f.path, f.length, f.isDirectory)).toSet
    assertEquals(found.map(f => (f._1, f._3)), Set((s"$dir/sub", true), (s"$dir/file", false)))
    assertEquals(found.find(!_._3).map(_._2), Some(5L))
  }

  folder.test("where a file lies no folder is made, nor below it") { dir =>
    storage.replace(s"$dir/file", bytes("text"))
    Seq(s"$dir/file", s"$dir/file/sub", s"$dir/file/sub/sub").foreach(path =>
      assertEquals(intercept[NotDirectoryException](storage.makeDirectory(path)).getMessage, path))
    assertEquals(read(s"$dir/file"), Some("text"))
  }

  folder.test("many directories are listed in one call") { dir =>
    val parts = (0 until 40).map(n => s"$dir/p=$n")
    parts.zipWithIndex.foreach { case (p, n) => (0 to n % 3).foreach(i => storage.createNew(s"$p/f$i", bytes("x"))) }
    val listing = storage.list(parts)
    assertEquals(listing.map { case (p, files) => p -> files.size },
      parts.zipWithIndex.map { case (p, n) => p -> (n % 3 + 1) }.toMap)
  }

  folder.test("without hard links too exactly one of many writers wins a name") { dir =>
    val target = dir.resolve("a")
    val pool = Executors.newFixedThreadPool(8)
    try {
      val results = (0 until 8).map(n =>
        pool.submit(new Callable[Boolean] {
          override def call(): Boolean =
            LocalFiles.moveNew(Files.write(dir.resolve(s"temporary$n"), bytes(s"content $n")), target)
        })).map(_.get())
      assertEquals(results.count(identity), 1)
      assertEquals(read(target.toString), Some(s"content ${results.indexOf(true)}"))
    } finally pool.shutdown()
  }

  folder.test("a range of bytes is read, and a replaced file shows its new content") { dir =>
    storage.replace(s"$dir/a", bytes("0123456789"))
    assertEquals(new String(storage.readRange(s"$dir/a", 3, 4), UTF_8), "3456")
    storage.replace(s"$dir/a", bytes("abc"))
    assertEquals(read(s"$dir/a"), Some("abc"))
  }

  folder.test("a directory that holds something stays, unless it is said to be the caller's own") { dir =>
    storage.createNew(s"$dir/sub/deep/file", bytes("x"))
    for (held <- Seq(s"$dir/sub", s"$dir/sub/deep")) {
      intercept[java.io.IOException](storage.delete(held))
      storage.deleteIfEmpty(held)
    }
    assertEquals(read(s"$dir/sub/deep/file"), Some("x"))
    storage.deleteOwn(s"$dir/sub")
    assertEquals(Files.list(Paths.get(dir.toString)).iterator.asScala.toList, Nil)
    storage.makeDirectory(s"$dir/empty")
    assert(storage.delete(s"$dir/empty") && !storage.exists(s"$dir/empty"))
  }

  folder.test("a folder with nothing but a checksum that nobody is shown stays where only empty ones go") { dir =>
    storage.makeDirectory(s"$dir/sub")
    Files.createFile(dir.resolve("sub/.x.crc"))
    storage.deleteIfEmpty(s"$dir/sub")
    assert(storage.exists(s"$dir/sub"))
  }
}
