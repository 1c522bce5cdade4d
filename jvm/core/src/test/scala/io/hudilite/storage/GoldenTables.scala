package io.hudilite.storage

import java.io.{BufferedInputStream, DataInputStream, FileInputStream, InputStream}
import java.nio.charset.StandardCharsets.UTF_8
import java.util.zip.GZIPInputStream

/** Tables written by Apache Hudi (tests/golden), in memory: table `cow-basic-v9` has the base path
  * `/cow-basic-v9/table`. Data files are left out; tests of them read from disk.
  */
object GoldenTables {

  private val Archive = "tests/golden/golden.tar.gz"
  private val BlockBytes = 512

  /** Only `.hoodie` folders, without the metadata tables. */
  lazy val storage: MemoryStorage = {
    val storage = new MemoryStorage()
    foreachFile { (name, content) =>
      if (name.contains("/table/.hoodie/") && !name.contains("/.hoodie/metadata/")) storage.replace(s"/$name", content)
    }
    storage
  }

  /** `<scenario>-v<table version>`, sorted. */
  lazy val names: Seq[String] = storage.list("").map(_.name)

  def basePath(name: String): String = s"/$name/table"

  def version(name: String): Int = name.substring(name.lastIndexOf("-v") + 2).toInt

  private def foreachFile(visit: (String, Array[Byte]) => Unit): Unit = {
    val in = new DataInputStream(new GZIPInputStream(new BufferedInputStream(new FileInputStream(Archive)), 1 << 16))
    try {
      var longName: Option[String] = None
      var header = block(in)
      while (header(0) != 0) {
        val content = entry(in, Integer.parseInt(text(header, 124, 12).trim, 8))
        header(156).toChar match {
          case 'L' => longName = Some(text(content, 0, content.length))
          case kind =>
            if (kind == '0') visit(longName.getOrElse(text(header, 0, 100)).stripPrefix("./"), content)
            longName = None
        }
        header = block(in)
      }
    } finally in.close()
  }

  private def block(in: InputStream): Array[Byte] = in.readNBytes(BlockBytes)

  private def entry(in: DataInputStream, length: Int): Array[Byte] = {
    val content = in.readNBytes(length)
    in.readNBytes((BlockBytes - length % BlockBytes) % BlockBytes)
    content
  }

  private def text(bytes: Array[Byte], from: Int, length: Int): String =
    new String(bytes.slice(from, from + length).takeWhile(_ != 0), UTF_8)
}
