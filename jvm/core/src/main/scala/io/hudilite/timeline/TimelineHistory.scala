package io.hudilite.timeline

import io.hudilite.error.CorruptTable
import io.hudilite.storage.{Storage, TablePath}

import java.io.ByteArrayInputStream
import java.nio.charset.StandardCharsets.UTF_8

import com.fasterxml.jackson.databind.ObjectMapper
import org.apache.hadoop.conf.Configuration
import org.apache.parquet.example.data.Group
import org.apache.parquet.hadoop.ParquetReader
import org.apache.parquet.hadoop.api.ReadSupport
import org.apache.parquet.hadoop.example.GroupReadSupport
import org.apache.parquet.io.{DelegatingSeekableInputStream, InputFile, SeekableInputStream}

import scala.collection.JavaConverters._

/** The archived timeline of layout 2 (docs/format.md, history): `_version_` names the newest `manifest_N`, which lists
  * parquet files with one row a completed instant.
  */
private[timeline] object TimelineHistory {

  private val ManifestName = "manifest_(\\d+)".r
  private val mapper = new ObjectMapper()

  private val Columns = "message instants { optional binary instantTime (UTF8); " +
    "optional binary completionTime (UTF8); optional binary action (UTF8); }"

  def read(storage: Storage, folder: String): Seq[Instant] = {
    val paths = manifest(storage, folder).toList.flatMap { case (path, bytes) =>
      CorruptTable.guard(path)(files(bytes)).map(name => s"$folder/$name")
    }
    val contents = storage.readAll(paths)
    paths.flatMap { path =>
      val bytes = contents.getOrElse(path,
        throw CorruptTable("CORRUPT_FILE", "path" -> path,
          "reason" -> "the manifest lists it and it does not exist"))
      CorruptTable.guard(path)(rows(bytes))
    }.distinct.sortBy(i => (i.time, i.action))
  }

  /** Path and content of the newest manifest; a writer replaces `_version_` by deleting it first. */
  private def manifest(storage: Storage, folder: String): Option[(String, Array[Byte])] = {
    val version = storage.read(s"$folder/_version_").map(new String(_, UTF_8).trim).filter(_.nonEmpty)
    version.filterNot(isNumber).foreach(v =>
      throw CorruptTable("CORRUPT_FILE", "path" -> s"$folder/_version_",
        "reason" -> s"'$v' is no number of a manifest"))
    def newest: Option[String] = storage.list(folder).map(_.name)
      .collect { case ManifestName(n) => n }.sortBy(n => (n.length, n)).lastOption
    version.orElse(newest).map(n => s"$folder/manifest_$n").flatMap(path => storage.read(path).map(path -> _))
  }

  private def isNumber(text: String): Boolean = text.forall(c => c >= '0' && c <= '9')

  private def files(manifest: Array[Byte]): Seq[String] =
    mapper.readTree(manifest).path("files").elements.asScala.map(f => TablePath.name(f.path("fileName").asText)).toList

  private def rows(parquet: Array[Byte]): Seq[Instant] = {
    val conf = new Configuration(false)
    conf.set(ReadSupport.PARQUET_READ_SCHEMA, Columns)
    val reader = new GroupReaderBuilder(new ArrayInputFile(parquet)).withConf(conf).build()
    try Iterator.continually(reader.read()).takeWhile(_ != null).flatMap(instant).toList
    finally reader.close()
  }

  private def instant(row: Group): Option[Instant] = {
    def text(field: String): Option[String] =
      if (row.getFieldRepetitionCount(field) == 0) None else Some(row.getString(field, 0))
    for (time <- text("instantTime"); action <- text("action")) yield {
      val completion = text("completionTime")
      val name = Action.completed(action)
      Instant(time, name, State.Completed, completion, s"${time}_${completion.getOrElse(time)}.$name")
    }
  }
}

private final class GroupReaderBuilder(file: InputFile) extends ParquetReader.Builder[Group](file) {
  override protected def getReadSupport: ReadSupport[Group] = new GroupReadSupport()
}

/** A small parquet file that is wholly in memory. */
private final class ArrayInputFile(bytes: Array[Byte]) extends InputFile {

  override def getLength: Long = bytes.length.toLong

  override def newStream(): SeekableInputStream = {
    val in = new SeekableBytes(bytes)
    new DelegatingSeekableInputStream(in) {
      override def getPos: Long = in.position
      override def seek(to: Long): Unit = in.moveTo(to)
    }
  }
}

private final class SeekableBytes(bytes: Array[Byte]) extends ByteArrayInputStream(bytes) {
  def position: Long = pos.toLong
  def moveTo(to: Long): Unit = pos = Math.toIntExact(to)
}
