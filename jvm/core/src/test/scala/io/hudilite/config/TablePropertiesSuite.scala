package io.hudilite.config

import io.hudilite.Damage
import io.hudilite.error.{CommitConflict, CorruptTable, InvalidInput}
import io.hudilite.storage.{
  CountingFileSystem,
  CountingStorage,
  ForwardingStorage,
  HadoopStorage,
  MemoryStorage,
  Storage,
  StorageCall
}

import java.nio.charset.StandardCharsets.{ISO_8859_1, UTF_8}
import java.nio.file.{Files, Paths}
import java.time.Instant

import munit.FunSuite
import org.apache.hadoop.conf.Configuration

import scala.collection.mutable.ArrayBuffer

class TablePropertiesSuite extends FunSuite {

  test("a file with anything wrong in it is whole or it is not, in little memory") {
    val whole =
      PropertiesFile.render(TableConfig.create(TableDefinition("tabelle-\u00fc", Seq("id"))).properties, Instant.EPOCH)
    for (round <- 0 until 3000) {
      val random = new java.util.Random(round.toLong)
      val bytes = (0 to random.nextInt(3)).foldLeft(whole)((b, _) => if (b.isEmpty) b else Damage.of(b, random))
      Damage.tried(s"round $round", 4L << 20)(PropertiesFile.parse(bytes))
    }
  }

  private val File = "/t/.hoodie/hoodie.properties"
  private val Backup = "/t/.hoodie/hoodie.properties.backup"
  private val table = TableConfig.create(TableDefinition("cow", Seq("id"), Seq("dt"), Seq("ts")))

  private def made(): MemoryStorage = {
    val storage = new MemoryStorage()
    TableProperties.create(storage, "/t", table)
    storage
  }

  private def text(storage: Storage, path: String): String = new String(storage.read(path).get, ISO_8859_1)

  private def replace(storage: Storage, path: String, text: String): Unit =
    storage.replace(path, text.getBytes(ISO_8859_1))

  /** Reads, and notes the pauses instead of making them. */
  private def readNoting(storage: Storage, onPause: () => Unit = () => ()): (TableConfig, Int) = {
    val pauses = ArrayBuffer.empty[Long]
    val config = TableProperties.read(storage, "/t",
      ms => {
        pauses += ms
        onPause()
      })
    (config, pauses.size)
  }

  test("of an object store they are read again when they have changed, though not in length or time") {
    val conf = new Configuration()
    CountingFileSystem.configure(conf)
    val storage = new HadoopStorage(conf)
    val base = CountingFileSystem.path(Files.createTempDirectory("hudilite-properties").toString)
    TableProperties.create(storage, base, table)
    def read(): (TableConfig, Map[String, Int]) = {
      val (config, calls) = CountingFileSystem.during(TableProperties.read(storage, base))
      (config, calls.counts)
    }
    assertEquals(read(), (table, Map("head" -> 1, "get" -> 1)))
    assertEquals(read(), (table, Map("head" -> 1)))
    val file = Paths.get(s"${base.stripPrefix("counted:")}/.hoodie/hoodie.properties")
    val time = Files.getLastModifiedTime(file)
    val version = table.properties("hoodie.table.version").toInt
    replace(storage, s"$base/.hoodie/hoodie.properties",
      text(storage, s"$base/.hoodie/hoodie.properties")
        .replace(s"hoodie.table.version=$version", s"hoodie.table.version=${version - 1}"))
    Files.setLastModifiedTime(file, time)
    val (upgraded, calls) = read()
    assertEquals((upgraded.version, calls), (version - 1, Map("head" -> 1, "get" -> 1)))
    storage.delete(s"$base/.hoodie/hoodie.properties")
    intercept[InvalidInput](read())
  }

  test("the checksum is that of Hudi") {
    assertEquals(PropertiesFile.checksum("", "cow"), "121430431")
    assertEquals(PropertiesFile.checksum("", "mor"), "2110273562")
    assertEquals(PropertiesFile.checksum("", "bkt"), "4221247254")
    assertEquals(PropertiesFile.checksum("", "mor_metadata"), "1180450464")
  }

  test("what is created is read back, and written as Java properties with a comment, sorted") {
    val storage = made()
    assertEquals(TableProperties.read(storage, "/t"), table)
    val lines = text(storage, File).split('\n').toSeq
    assert(lines.head.startsWith("#Properties saved on "))
    assertEquals(lines.tail, lines.tail.sorted)
    assert(lines.contains("hoodie.table.checksum=121430431"))
    assert(storage.exists("/t/.hoodie/timeline"))
  }

  test("the backup of a whole file is not asked for") {
    val storage = new CountingStorage(made())
    assertEquals(storage.during(TableProperties.read(storage, "/t"))._2.all, Seq(StorageCall("get", File)))
    assertEquals(TableProperties.find(storage, "/t"), Some(table))
    assertEquals(TableProperties.find(storage, "/elsewhere"), None)
  }

  test("escapes and letters outside latin-1 survive") {
    val storage = new MemoryStorage()
    val odd =
      TableConfig(table.properties ++ Map("hoodie.table.name" -> "größe-鍵", "x" -> "a:b=c#d\\e\nf", "y y" -> " z"))
    TableProperties.create(storage, "/t", TableConfig(odd.properties - "hoodie.table.checksum"))
    assertEquals(TableProperties.read(storage, "/t").properties - "hoodie.table.checksum",
      odd.properties - "hoodie.table.checksum")
  }

  test("a plain folder is no table, said at once") {
    val storage = new MemoryStorage()
    storage.makeDirectory("/t")
    assert(!TableProperties.exists(storage, "/t"))
    assertEquals(intercept[InvalidInput](TableProperties.read(storage, "/t", _ => fail("it paused"))).condition,
      "TABLE_NOT_FOUND")
  }

  test("a table is not created over another one, nor over one that is being updated") {
    val storage = made()
    assertEquals(intercept[InvalidInput](TableProperties.create(storage, "/t", table)).condition,
      "TABLE_ALREADY_EXISTS")
    storage.replace(Backup, storage.read(File).get)
    storage.delete(File)
    assertEquals(intercept[InvalidInput](TableProperties.create(storage, "/t", table)).condition,
      "TABLE_ALREADY_EXISTS")
  }

  test("between the steps of an update the backup stands in, without a pause") {
    val storage = made()
    storage.replace(Backup, storage.read(File).get)
    storage.delete(File)
    assert(TableProperties.exists(storage, "/t"))
    assertEquals(readNoting(storage), (table, 0))
    replace(storage, File, text(storage, Backup).take(100))
    assertEquals(readNoting(storage), (table, 0))
  }

  test("a file that is just being written is waited for") {
    val storage = made()
    val whole = text(storage, File)
    replace(storage, File, whole.take(60))
    assertEquals(readNoting(storage, () => replace(storage, File, whole)), (table, 1))
  }

  private val damaged = Seq(
    "an empty file" -> "",
    "a file cut short before its checksum" -> "#x\nhoodie.table.name=cow\n",
    "a file with another table's checksum" ->
      "hoodie.table.name=cow\nhoodie.table.version=9\nhoodie.table.checksum=1\n",
    "a file without a name" -> "hoodie.table.version=9\n",
    "a file with a broken escape" -> "hoodie.table.name=\\u00zz\n")

  damaged.foreach { case (what, content) =>
    test(s"$what is reported as damage after a few looks") {
      val storage = made()
      replace(storage, File, content)
      val pauses = ArrayBuffer.empty[Long]
      val error = intercept[CorruptTable](TableProperties.read(storage, "/t", ms => pauses += ms))
      assertEquals(error.condition, "CORRUPT_TABLE_PROPERTIES")
      assertEquals(error.parameters("path"), File)
      assertEquals(pauses.size, 4)
      assert(pauses.sum <= 1000)
    }
  }

  test("a file without a checksum is accepted, as by Hudi") {
    val storage = made()
    replace(storage, File, "hoodie.table.name=cow\nhoodie.table.version=9\n")
    assertEquals(TableProperties.read(storage, "/t").version, 9)
  }

  test("an update leaves the new properties, a checksum and no backup") {
    val storage = made()
    val after = TableProperties.update(storage, "/t")(
      _ + ("hoodie.table.metadata.partitions" -> "files") - "hoodie.table.checksum")
    assertEquals(after.metadataPartitions, Seq("files"))
    assertEquals(TableProperties.read(storage, "/t"),
      TableConfig(table.properties + ("hoodie.table.metadata.partitions" -> "files")))
    assertEquals(storage.paths, Seq(File))
  }

  test("an update that changes nothing touches nothing") {
    val storage = made()
    val before = text(storage, File)
    TableProperties.update(storage, "/t")(identity)
    assertEquals(text(storage, File), before)
  }

  test("an update of properties that another program changes meanwhile conflicts, and loses nothing") {
    val storage = made()
    val error = intercept[CommitConflict](TableProperties.update(storage, "/t") { before =>
      TableProperties.update(storage, "/t")(_ + ("x" -> "theirs"))
      before + ("y" -> "ours")
    })
    assertEquals((error.condition, error.parameters("path")), ("CONCURRENT_TABLE_UPDATE", File))
    assertEquals(TableProperties.read(storage, "/t").properties, table.properties + ("x" -> "theirs"))
    assertEquals(storage.paths, Seq(File))
  }

  test("an update first repairs what a dead one left") {
    val whole = text(made(), File)
    // (file, backup) as a process may leave them when it dies; None = missing
    val leftovers = Seq((Some(whole), Some(whole)), (None, Some(whole)), (Some(whole.take(80)), Some(whole)),
      (Some(whole), Some(whole.take(80))), (Some(whole), Some("")))
    leftovers.foreach { case (file, backup) =>
      val storage = new MemoryStorage()
      file.foreach(replace(storage, File, _))
      backup.foreach(replace(storage, Backup, _))
      TableProperties.update(storage, "/t")(_ + ("x" -> "1"))
      assertEquals(TableProperties.read(storage, "/t").properties, table.properties + ("x" -> "1"))
      assertEquals(storage.paths, Seq(File))
    }
  }

  test("at every step of an update a reader finds the old or the new properties") {
    val storage = made()
    val seen = ArrayBuffer.empty[String]
    TableProperties.update(new WatchedStorage(storage,
        () => seen += readNoting(storage)._1.properties.getOrElse("x", "old")),
      "/t")(_ + ("x" -> "new"))
    assertEquals(seen.toSet, Set("old", "new"))
    assertEquals(seen.toSeq, seen.sorted.reverse.toSeq)
  }

  test("a repaired file that cannot be repaired is not lost: the backup stays") {
    val storage = new MemoryStorage()
    replace(storage, File, "")
    replace(storage, Backup, "half")
    intercept[CorruptTable](TableProperties.update(storage, "/t")(_ + ("x" -> "1")))
    assertEquals(storage.paths, Seq(File, Backup))
    assertEquals(new String(storage.read(Backup).get, UTF_8), "half")
  }
}

/** Runs `after` behind every change. */
private final class WatchedStorage(storage: Storage, after: () => Unit) extends ForwardingStorage(storage) {
  private def watched[T](result: T): T = {
    after()
    result
  }
  override def createNew(path: String, content: Array[Byte]): Boolean = watched(storage.createNew(path, content))
  override def replace(path: String, content: Array[Byte]): Unit = watched(storage.replace(path, content))
  override def delete(path: String): Boolean = watched(storage.delete(path))
}
