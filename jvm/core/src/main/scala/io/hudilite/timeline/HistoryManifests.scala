package io.hudilite.timeline

import io.hudilite.error.{CommitConflict, CorruptTable}
import io.hudilite.storage.{Storage, TablePath}

import java.nio.charset.StandardCharsets.UTF_8

import com.fasterxml.jackson.databind.ObjectMapper

import scala.collection.JavaConverters._

/** A file of the archived timeline of layout 2, `<first instant>_<last instant>_<layer>.parquet`. Its name says which
  * instants it may hold, so a batch of instants makes a file of one name whenever it is written.
  */
private[timeline] final case class HistoryFile(name: String, bytes: Long) {

  /** 0 for a batch of instants; for merged files one more than theirs. No reader takes more digits. */
  def layer: Option[Int] = name match {
    case HistoryFile.Name(_, _, digit) => Some(digit.toInt)
    case _ => None
  }

  /** True when some instant between these, inclusive, may be in it. */
  def mayHold(first: String, last: String): Boolean = name match {
    case HistoryFile.Name(min, max, _) => min <= last && max >= first
    case _ => true
  }
}

private[timeline] object HistoryFile {

  val Name = "(\\d+)_(\\d+)_(\\d)\\.parquet".r
  val LastLayer = 9

  def name(first: String, last: String, layer: Int): String = s"${first}_${last}_$layer.parquet"
}

/** Files of the archived timeline at one moment.
  *
  * @param version
  *   number of the manifest, 0 while there is none
  */
private[timeline] final case class HistoryManifest(version: BigInt, files: Seq[HistoryFile])

/** The manifests of the archived timeline of layout 2: `_version_` holds the number of the newest `manifest_N`, which
  * lists the files that count (docs/format.md#history).
  */
private[timeline] final class HistoryManifests(storage: Storage, folder: String) {

  import HistoryManifests._

  private val pointer = s"$folder/_version_"

  private def path(version: BigInt): String = s"$folder/manifest_$version"

  /** A writer may replace `_version_` by deleting it first; then the manifest with the greatest number counts. */
  def current(): HistoryManifest = pointed.orElse(numbers.lastOption) match {
    case None => HistoryManifest(0, Nil)
    case Some(version) => HistoryManifest(version,
        read(path(version), storage.read(path(version)).getOrElse(throw missing(path(version), "_version_ names it"))))
  }

  private def pointed: Option[BigInt] = {
    val text = storage.read(pointer).map(new String(_, UTF_8).trim).filter(_.nonEmpty)
    text.filterNot(_.matches("[0-9]+")).foreach(t =>
      throw CorruptTable("CORRUPT_FILE", "path" -> pointer, "reason" -> s"'$t' is not the number of a manifest"))
    text.map(BigInt(_))
  }

  private def numbers: Seq[BigInt] =
    storage.list(folder).map(_.name).collect { case ManifestName(n) => BigInt(n) }.sorted

  private def read(path: String, bytes: Array[Byte]): Seq[HistoryFile] = CorruptTable.guard(path)(
    mapper.readTree(bytes).path("files").elements.asScala
      .map(f => HistoryFile(TablePath.name(f.path("fileName").asText), f.path("fileLen").asLong)).toList)

  private def missing(path: String, why: String): CorruptTable =
    CorruptTable("CORRUPT_FILE", "path" -> path, "reason" -> s"$why, but it does not exist")

  /** Makes these the files of the archived timeline. An interrupted writer may have left a manifest of this number that
    * `_version_` never named. Raises `CONCURRENT_TABLE_UPDATE` where another program has published one meanwhile: these
    * files may then be in no manifest.
    */
  def publish(after: HistoryManifest, files: Seq[HistoryFile]): HistoryManifest = {
    val next = HistoryManifest(after.version + 1, files.sortBy(_.name))
    val root = mapper.createObjectNode()
    val entries = root.putArray("files")
    next.files.foreach(f => entries.addObject().put("fileName", f.name).put("fileLen", f.bytes))
    storage.replace(path(next.version), mapper.writerWithDefaultPrettyPrinter().writeValueAsBytes(root))
    storage.replace(pointer, next.version.toString.getBytes(UTF_8))
    if (current() != next) throw CommitConflict("CONCURRENT_TABLE_UPDATE", "path" -> pointer)
    next
  }

  /** Removes all but the newest `kept` manifests, and then the files that none of those lists.
    *
    * @param files
    *   true to remove files as well; they may be those that another program is about to publish
    */
  def prune(kept: Int, files: Boolean): Unit = {
    val listed = storage.list(folder)
    val manifests = listed.collect { case f if isManifest(f.name) => number(f.name) -> f.path }.sortBy(_._1)
    val (old, recent) = manifests.splitAt(manifests.size - kept)
    old.foreach { case (_, path) => storage.delete(path) }
    if (files) {
      val paths = recent.map(_._2)
      val contents = storage.readAll(paths)
      val needed = paths.flatMap(p =>
        read(p, contents.getOrElse(p, throw missing(p, "it was listed")))).map(_.name).toSet
      listed.filter(f => HistoryFile.Name.pattern.matcher(f.name).matches() && !needed(f.name))
        .foreach(f => storage.delete(f.path))
    }
  }
}

private object HistoryManifests {

  private val ManifestName = "manifest_([0-9]+)".r
  private val mapper = new ObjectMapper()

  private def isManifest(name: String): Boolean = ManifestName.pattern.matcher(name).matches()

  private def number(name: String): BigInt = BigInt(name.stripPrefix("manifest_"))
}
