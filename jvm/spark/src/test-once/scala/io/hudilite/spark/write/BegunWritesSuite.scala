package io.hudilite.spark.write

import io.hudilite.storage.HadoopStorage
import io.hudilite.table.Table
import io.hudilite.timeline.WriteFolders

import java.io.{File, IOException}
import java.net.URI
import java.util.concurrent.atomic.AtomicInteger

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.{FSDataInputStream, FileStatus, Path, RawLocalFileSystem}

/** Writes that fail on the driver after they have begun, and before Spark has anything to take back. */
class BegunWritesSuite extends WriteFixture {

  private val options = Map(
    "hoodie.table.name" -> "begun",
    "hoodie.datasource.write.recordkey.field" -> "id",
    "hudilite.services" -> "false",
    "hoodie.metadata.enable" -> "true",
    "hoodie.metadata.index.column.stats.enable" -> "true")

  private def upsert(path: String, id: Int): Unit =
    session.sql(s"SELECT '$id' AS id, $id AS n").write.format("hudilite").options(options).mode("append").save(path)

  folder.test("a write that fails wherever it reads the definitions of indexes leaves nothing that has begun") { base =>
    session.conf.set("fs.deaf.impl", classOf[DeafFileSystem].getName)
    val (local, deaf) = (s"$base/table", s"deaf:$base/table")
    upsert(local, 1)
    val storage = new HadoopStorage(new Configuration())
    def left: Seq[String] = Table.open(storage, local).timeline.pending.map(_.toString) ++
      (storage.list(WriteFolders.owners(local)) ++ storage.list(WriteFolders.heartbeats(local))).map(_.path)
    val failed = Iterator.from(1).takeWhile { n =>
      DeafFileSystem.left.set(n)
      val fails = try { upsert(deaf, n); false }
      catch { case _: Exception => true }
      assertEquals(left, Nil, s"read $n")
      fails && n < 100
    }.size
    assert(failed >= 2 && failed < 99, failed)
    assertEquals(session.read.format("hudilite").load(deaf).count(), 2L)
  }
}

/** A local folder in which one read of the definitions of indexes fails. */
final class DeafFileSystem extends RawLocalFileSystem {

  override def getScheme: String = "deaf"
  override def getUri: URI = URI.create("deaf:///")
  override def pathToFile(path: Path): File = new File(path.toUri.getPath)

  // Those of a local file ask for permissions by its scheme.
  override def listStatus(path: Path): Array[FileStatus] = super.listStatus(path).map(s =>
    new FileStatus(s.getLen, s.isDirectory, 1, s.getBlockSize, s.getModificationTime, s.getPath))

  override def open(path: Path, bufferSize: Int): FSDataInputStream = {
    if (path.getName == "index.json" && DeafFileSystem.left.decrementAndGet() == 0) throw new IOException("no answer")
    super.open(path, bufferSize)
  }
}

object DeafFileSystem {

  /** Reads until the one that fails. */
  val left = new AtomicInteger(0)
}
