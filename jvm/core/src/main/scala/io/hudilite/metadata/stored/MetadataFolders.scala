package io.hudilite.metadata.stored

import io.hudilite.error.{CorruptTable, HudiliteException, Listed}
import io.hudilite.filegroup.{FolderContent, FolderSource, Partitions}
import io.hudilite.storage.{FileInfo, WeightedCache}

import java.io.IOException
import java.util.concurrent.atomic.{AtomicBoolean, AtomicReference}

import org.slf4j.LoggerFactory

/** The partitions of a table with their files as its metadata table names them, without a listing of folders. Where the
  * metadata table cannot be trusted all folders are listed, where only some of its names cannot be, the folders of those
  * partitions, and a warning says why. For threads, as far as the metadata table is.
  *
  * @param listed
  *   the folders themselves
  * @param writes
  *   tell which files there must be
  */
final class MetadataFolders(metadata: MetadataTable, listed: FolderSource, writes: NamedByWrites) extends FolderSource {

  import MetadataFolders._

  // Either stays as it is found: the timeline does not change.
  private val distrusted = new AtomicBoolean
  private val known = new AtomicReference(Option.empty[AllPaths])

  private lazy val written = writes.partitions.toSet

  override def basePath: String = listed.basePath

  private def isUsed: Boolean = !distrusted.get && asAWhole(metadata.isWithinReach).exists { within =>
    if (!within) {
      distrusted.set(true)
      log.info(s"Folders of $basePath are listed: it has a long archive, which is not compared with its metadata table")
    }
    within
  }

  override def partitions: Option[Seq[String]] =
    if (!isUsed) None
    else {
      if (known.get.isEmpty) known.set(asAWhole(allPartitions))
      known.get.map(_.sorted)
    }

  private def allPartitions: AllPaths = {
    val paths = metadata.partitions()
    paths.find(path => path.nonEmpty && !Partitions.mayBe(path)).foreach(path =>
      throw damaged(s"it names the partition '$path'"))
    lacking((written -- paths).map(_ -> Nil).toMap).headOption.foreach(path =>
      throw damaged(s"it does not name the partition '$path', in which writes have made files"))
    AllPaths(paths)
  }

  override def read(paths: Seq[String]): Map[String, FolderContent] = {
    val (possible, others) = paths.distinct.partition(Partitions.mayBe)
    val found =
      if (possible.isEmpty || !isUsed) None else asAWhole(metadata.checkNames()).flatMap(_ => named(possible))
    found.fold(listed.read(paths))(_ ++ others.map(_ -> Nothing))
  }

  private def named(paths: Seq[String]): Option[Map[String, FolderContent]] = inPart(paths)(files(paths)).map { found =>
    val doubtful = lacking(paths.map(path => path -> found.getOrElse(path, Nil)).toMap)
    if (doubtful.nonEmpty) tell(s"${in(doubtful.toSeq)} it lacks files that writes have made", writes.newest)
    val ofNobody = found.filter(_._2.exists(file => metadata.isOfNobody(file.name))).keySet
    if (ofNobody.nonEmpty) tell(s"${in(ofNobody.toSeq)} it names files of writes that nobody knows", OfNobody)
    val instead = doubtful ++ ofNobody
    val folders = if (instead.isEmpty) Map.empty[String, FolderContent] else listed.read(instead.toSeq)
    paths.map(path => path -> folders.getOrElse(path, content(path, found.get(path)))).toMap
  }

  private def content(path: String, found: Option[Seq[FileInfo]]): FolderContent =
    if (found.exists(_.nonEmpty) || known.get.exists(_.paths(path)))
      FolderContent(isPartition = true, found.toSeq.flatten, Nil)
    else Nothing

  /** The files of these partitions. Names are looked up one by one, and together where all are asked for. */
  private def files(paths: Seq[String]): Map[String, Seq[FileInfo]] = {
    val areAll = known.get.exists(_.paths == paths.toSet)
    val names = if (areAll) metadata.named().files else metadata.named(paths.toSet)
    if (areAll) (names.keySet -- paths).find(names(_).nonEmpty).foreach(path =>
      throw damaged(s"it names files of '$path', and not the partition"))
    names.map { case (path, entries) => path -> entries.map { case (name, bytes) => info(path, name, bytes) }.toSeq }
  }

  private def info(partition: String, name: String, bytes: Long): FileInfo = {
    if (name.isEmpty || name.contains('/') || bytes <= 0)
      throw damaged(s"it names the file $name of $bytes bytes in '$partition'")
    FileInfo(s"${Partitions.directory(basePath, partition)}/$name", bytes, UnknownTime, isDirectory = false)
  }

  /** Of these partitions, those in which writes have made files that are not among these. */
  private def lacking(files: Map[String, Seq[FileInfo]]): Set[String] = {
    val asked = files.filter { case (path, _) => written(path) }
    if (asked.isEmpty || writes.areAmong(asked)) Set.empty
    else {
      val found = asked.keySet.filterNot(path => writes.areAmong(Map(path -> asked(path))))
      if (found.isEmpty) asked.keySet else found
    }
  }

  /** The answer of the metadata table; `None` where that cannot be trusted, and nothing else of it then. */
  private def asAWhole[T](asked: => T): Option[T] =
    try Some(asked)
    catch {
      // Also a file that was compacted and cleaned away since its folder was listed, or a storage that does not answer. A
      // search through folders must not meet names half way.
      case e @ (_: HudiliteException | _: IOException) =>
        distrusted.set(true)
        tell(e.getMessage)
        None
    }

  private def inPart[T](paths: Seq[String])(asked: => T): Option[T] =
    try Some(asked)
    catch {
      case e @ (_: HudiliteException | _: IOException) =>
        tell(s"${in(paths)} ${e.getMessage}", e.getMessage)
        None
    }

  private def in(paths: Seq[String]): String = s"in ${Listed.of(paths.sorted.map(path => s"'$path'"))}:"

  /** Warns once of each cause. */
  private def tell(reason: String): Unit = tell(reason, reason)

  private def tell(reason: String, cause: String): Unit = {
    if (told.get((basePath, cause)).isEmpty)
      log.warn(s"Folders of $basePath are listed, for its metadata table cannot be trusted: $reason")
    told.put((basePath, cause), true)
  }

  private def damaged(reason: String): CorruptTable =
    CorruptTable("CORRUPT_FILE", "path" -> s"${basePath.stripSuffix("/")}/.hoodie/metadata", "reason" -> reason)
}

object MetadataFolders {

  private final case class AllPaths(paths: Set[String]) {
    val sorted: Seq[String] = paths.toSeq.sorted
  }

  private val log = LoggerFactory.getLogger("io.hudilite.metadata.stored.MetadataFolders")
  private val Nothing = FolderContent(isPartition = false, Nil, Nil)

  // Readers of folders do not ask it of data files.
  private val UnknownTime = 0L

  private val OfNobody = "files of nobody"
  private val MostTold = 1000L
  private val told = new WeightedCache[(String, String), Boolean](MostTold)
}

/** Files that the newest writes of a table have made, by their commits. */
trait NamedByWrites {

  /** Partitions that they lie in. */
  def partitions: Iterable[String]

  /** True when each of them that these partitions must have is among these files. */
  def areAmong(files: Map[String, Seq[FileInfo]]): Boolean

  /** Instant of the newest write. */
  def newest: String
}
