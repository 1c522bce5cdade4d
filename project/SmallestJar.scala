import java.io.{BufferedOutputStream, File, FileOutputStream}
import java.nio.file.{Files, StandardCopyOption}
import java.util.zip.{CRC32, Deflater, ZipEntry, ZipFile, ZipOutputStream}

import scala.collection.JavaConverters._

/** Packs the files of a jar anew, in their order and with their times, as tightly as zip can: sbt has no option for it,
  * writes the sizes of each file a second time behind it, and has entries for folders, which no class loader asks for.
  */
object SmallestJar {
  def apply(jar: File): File = {
    val (old, packed) = (new ZipFile(jar), new File(s"${jar.getPath}.packed"))
    try {
      val out = new ZipOutputStream(new BufferedOutputStream(new FileOutputStream(packed)))
      try {
        out.setLevel(Deflater.BEST_COMPRESSION)
        old.entries.asScala.filterNot(_.isDirectory).foreach { entry =>
          val content = old.getInputStream(entry).readAllBytes()
          out.putNextEntry(described(entry, content))
          out.write(content)
          out.closeEntry()
        }
      } finally out.close()
    } finally old.close()
    Files.move(packed.toPath, jar.toPath, StandardCopyOption.REPLACE_EXISTING)
    jar
  }

  /** With all sizes told before, none of them is written behind the content. */
  private def described(entry: ZipEntry, content: Array[Byte]): ZipEntry = {
    val (same, sum) = (new ZipEntry(entry.getName), new CRC32)
    sum.update(content)
    same.setTime(entry.getTime)
    same.setMethod(ZipEntry.DEFLATED)
    same.setCrc(sum.getValue)
    same.setSize(content.length.toLong)
    same.setCompressedSize(deflated(content))
    same
  }

  private def deflated(content: Array[Byte]): Long = {
    val deflater = new Deflater(Deflater.BEST_COMPRESSION, true)
    val buffer = new Array[Byte](8192)
    try {
      deflater.setInput(content)
      deflater.finish()
      while (!deflater.finished) deflater.deflate(buffer)
      deflater.getBytesWritten
    } finally deflater.end()
  }
}
