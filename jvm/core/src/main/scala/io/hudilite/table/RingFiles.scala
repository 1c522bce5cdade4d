package io.hudilite.table

import io.hudilite.config.WriteOptions
import io.hudilite.error.{CorruptTable, UnsupportedTable}
import io.hudilite.filegroup.{FileGroupId, Partitions}
import io.hudilite.index.{HashNode, HashRing, HashRings}
import io.hudilite.storage.{FileInfo, Storage}

import com.fasterxml.jackson.databind.{JsonNode, ObjectMapper}

import java.nio.charset.StandardCharsets.UTF_8

import scala.collection.JavaConverters._

/** A hash ring as a partition has it.
  *
  * @param count
  *   number of nodes that the partition began with
  */
private[hudilite] final case class StoredRing(count: Int, ring: HashRing)

/** The hash rings of a table's partitions (docs/format.md#hash-rings): files beside the table, one for the beginning of
  * each partition and one for each time that its buckets were split or merged.
  */
private[hudilite] final class RingFiles(table: Table) {

  import RingFiles._

  private lazy val archived: Set[String] = table.store.archivedCompleted().map(_.time).toSet

  private def pathOf(partition: String): String = RingFiles.folder(table.basePath, partition)

  /** The newest rings that count, by partition; partitions without one are absent. No row lies by the rings of a table
    * without commits: a write that died has left them. Raises `CorruptTable` or `UnsupportedTable` for one by which nobody
    * can deal keys.
    */
  def of(partitions: Seq[String]): Map[String, StoredRing] =
    if (table.timeline.writes.isEmpty) Map.empty else written(partitions)

  /** As [[of]], of a table to which another program may be writing its first rows. */
  def written(partitions: Seq[String]): Map[String, StoredRing] = {
    val listed = table.storage.list(partitions.map(pathOf))
    val newest = partitions.flatMap(p => listed.get(pathOf(p)).flatMap(newestIn).map(p -> _)).toMap
    val contents = table.storage.readAll(newest.values.map(_.path).toSeq)
    newest.map { case (partition, file) =>
      partition -> read(partition, file, contents.getOrElse(file.path, throw corrupt(file.path, "it is gone")))
    }
  }

  /** The rings by which rows of these partitions are dealt. Raises the errors of [[of]], and `UnsupportedTable` where
    * rows would not be seen.
    *
    * @param count
    *   number of nodes that new partitions begin with
    */
  def toDeal(partitions: Seq[String], count: Int): HashRings = {
    val stored = of(partitions)
    val rings = partitions.map(p => p -> stored.get(p).fold(HashRing.initial(p, count))(_.ring)).toMap
    rings.foreach { case (partition, ring) => checkLive(partition, ring) }
    HashRings(rings, othersAreNew = false)
  }

  // Readers do not see the files of a group that has been taken out.
  private def checkLive(partition: String, ring: HashRing): Unit =
    ring.nodes.indices.map(ring.fileId).find(id => table.replacedAt.contains(FileGroupId(partition, id))).foreach(id =>
      throw unsupported(table.basePath,
        s"the file group $id of the hash ring of '$partition' has been taken out of the " +
          "table, so that rows in it would not be seen"))

  // A ring counts as long as its action is completed. The mark beside it stays where a restore takes the action back, and
  // tells of actions alone that an archive would have which is gone.
  private def newestIn(files: Seq[FileInfo]): Option[FileInfo] = {
    def isMarked(time: String): Boolean = files.exists(_.name == s"$time$Mark")
    def counts(time: String): Boolean = time == First || table.timeline.isCompleted(time) ||
      (!table.timeline.pending.exists(_.time == time) &&
        (archived(time) || (archived.isEmpty && table.timeline.beforeStart(time) && isMarked(time))))
    files.filter(f => !f.isDirectory && f.name.endsWith(Suffix)).sortBy(_.name).reverseIterator
      .find(f => counts(f.name.stripSuffix(Suffix)))
  }

  private def read(partition: String, file: FileInfo, content: Array[Byte]): StoredRing = {
    val json = CorruptTable.guard(file.path)(mapper.readTree(content))
    if (!json.isObject) throw corrupt(file.path, "it is no JSON object")
    def text(name: String): String = Option(json.get(name)).fold("")(_.asText)
    if (text("version") != Version)
      throw unsupported(table.basePath, s"${file.path} has the version '${text("version")}'")
    val instant = file.name.stripSuffix(Suffix)
    if (text("instant") != instant || text("partitionPath") != partition)
      throw corrupt(file.path, s"it is of '${text("partitionPath")}' at ${text("instant")}")
    val (count, nodes) = CorruptTable.guard(file.path)(
      (text("numBuckets").toInt, json.get("nodes").elements().asScala.toList.map(node(file.path, _))))
    val ring = HashRing.of(nodes)
    ring.fault.foreach(fault => throw corrupt(file.path, fault))
    if (count < 1 || ring.size > WriteOptions.MostBuckets) throw corrupt(file.path, s"it has ${ring.size} nodes")
    StoredRing(count, ring)
  }

  private def node(path: String, json: JsonNode): HashNode = {
    val tag = json.get("tag").asText
    if (tag != Normal) throw unsupported(table.basePath, s"a node in $path is tagged $tag")
    require(json.get("value").isInt, s"a node has the value ${json.get("value")}")
    HashNode(json.get("value").intValue, json.get("fileIdPrefix").asText)
  }

  private def corrupt(path: String, reason: String): CorruptTable =
    CorruptTable("CORRUPT_FILE", "path" -> path, "reason" -> reason)
}

private[hudilite] object RingFiles {

  /** Folder below `.hoodie/.bucket_index`. */
  val Folder = "consistent_hashing_metadata"

  private val Suffix = ".hashing_meta"
  private val Mark = ".commit"
  private val First = "00000000000000"
  private val Version = "0"
  private val Normal = "NORMAL"

  private val mapper = new ObjectMapper()

  def apply(table: Table): RingFiles = new RingFiles(table)

  private def folder(basePath: String): String = s"${Buckets.folder(basePath)}/$Folder"

  private def folder(basePath: String, partition: String): String =
    Partitions.directory(folder(basePath), partition)

  /** Some partition has a ring. */
  def areIn(storage: Storage, basePath: String): Boolean = storage.list(folder(basePath)).nonEmpty

  /** Removes rings and marks of these instants, which are taken back. Apache Hudi would go on by them.
    *
    * @param partitions
    *   those of their files; `None` of a write that may have left rings where it has no file yet, which looks in all
    */
  def remove(storage: Storage, basePath: String, instants: Set[String], partitions: Option[Seq[String]]): Unit = {
    // Most tables have no rings, however many partitions a write has.
    def areThere: Boolean = storage.list(Buckets.folder(basePath)).exists(_.name == Folder)
    val listed = partitions match {
      case None => storage.listBelow(folder(basePath))
      case Some(some) if some.nonEmpty && areThere =>
        storage.list(some.distinct.map(folder(basePath, _))).values.flatten.toSeq
      case _ => Nil
    }
    val of = listed.filter(file => !file.isDirectory && instants(file.name.stripSuffix(Suffix).stripSuffix(Mark)))
    of.sortBy(_.name.endsWith(Suffix)).map(_.path).foreach(storage.delete)
  }

  /** Removes the rings that writes have left which died before a table's first one, but for those that are as the first one
    * deals its rows. Rings of a writer that has begun since stay.
    *
    * @param isFirst
    *   asked of the table once the rings are listed, since a living writer's instant is there before its rings
    */
  def removeLeft(storage: Storage, basePath: String, dealt: Map[String, HashRing])(isFirst: => Boolean): Unit = {
    val kept = dealt.map { case (partition, ring) => firstPath(basePath, partition) -> json(partition, ring) }
    val listed = storage.listBelow(folder(basePath)).map(_.path)
    if (listed.nonEmpty && isFirst) {
      val left = listed.filterNot(path =>
        kept.get(path).exists(ring => storage.read(path).exists(new String(_, UTF_8) == ring)))
      left.foreach(storage.delete)
      storage.deleteEmpty(left.map(Storage.folderOf), top = Buckets.folder(basePath))
    }
  }

  /** Removes all rings, of a table that is not there any more or has no rows, and the folders that they leave empty. */
  def remove(storage: Storage, basePath: String): Unit = {
    val files = storage.listBelow(folder(basePath)).map(_.path)
    files.foreach(storage.delete)
    storage.deleteEmpty(files.map(Storage.folderOf), top = Buckets.folder(basePath))
  }

  /** Writes the ring down with which a partition begins; false where it has one by now. */
  def begin(storage: Storage, basePath: String, partition: String, ring: HashRing): Boolean = {
    storage.createNew(firstPath(basePath, partition), json(partition, ring).getBytes(UTF_8))
  }

  private def firstPath(basePath: String, partition: String): String = s"${folder(basePath, partition)}/$First$Suffix"

  private def json(partition: String, ring: HashRing): String = {
    val root = mapper.createObjectNode().put("version", 0).put("partitionPath", partition).put("instant", First)
      .put("numBuckets", ring.size).put("seqNo", 0)
    val nodes = root.putArray("nodes")
    ring.nodes.foreach(n =>
      nodes.addObject().put("value", n.value).put("fileIdPrefix", n.fileIdPrefix).put("tag", Normal))
    mapper.writerWithDefaultPrettyPrinter().writeValueAsString(root)
  }

  def unsupported(basePath: String, reason: String, way: String = UnsupportedTable.WrittenByHudi): UnsupportedTable =
    UnsupportedTable("UNSUPPORTED_TABLE_FEATURE", "path" -> basePath,
      "feature" -> "a bucket index with consistent hashing", "reason" -> reason, "way" -> way)
}
