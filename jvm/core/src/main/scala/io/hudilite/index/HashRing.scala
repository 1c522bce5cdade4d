package io.hudilite.index

import java.nio.ByteBuffer
import java.nio.charset.StandardCharsets.UTF_8
import java.util.{Arrays, UUID}

import org.apache.commons.codec.digest.XXHash32

/** A node of a hash ring: the file group of all keys whose hashes lie above the value of the node before, up to its own.
  *
  * @param fileIdPrefix
  *   the id of its file group without the number at its end
  */
final case class HashNode(value: Int, fileIdPrefix: String)

/** The hash ring of one partition (docs/format.md#hash-rings). Its nodes are its buckets, in the order of their values;
  * keys beyond the last one belong to the first.
  */
final case class HashRing(nodes: IndexedSeq[HashNode]) {

  def size: Int = nodes.size

  @transient private lazy val values: Array[Int] = nodes.map(_.value).toArray
  @transient private lazy val buckets: Map[String, Int] = nodes.indices.map(i => fileId(i) -> i).toMap

  // hot path
  /** The bucket of a key by the hash of its values. */
  def bucketOf(hash: Int): Int = {
    val found = Arrays.binarySearch(values, hash & Int.MaxValue)
    val at = if (found >= 0) found else -1 - found
    if (at < values.length) at else 0
  }

  /** Id of the file group of a bucket. */
  def fileId(bucket: Int): String = nodes(bucket).fileIdPrefix + HashRing.FileNumber

  /** Bucket of a file group; `None` when it is of no node. */
  def bucketOfFile(fileId: String): Option[Int] = buckets.get(fileId)

  /** Reason why no keys can be dealt by these nodes. */
  def fault: Option[String] =
    if (nodes.isEmpty) Some("it has no nodes")
    else if (nodes.exists(n => n.value < 0 || n.fileIdPrefix.isEmpty)) Some("a node lacks its value or file group")
    else if (nodes.map(_.fileIdPrefix).distinct.size != size) Some("two nodes have one file group")
    else if (nodes.sliding(2).exists(two => two.size == 2 && two(0).value >= two(1).value))
      Some("two nodes have one value")
    else None
}

object HashRing {

  /** The end of the ids of its file groups. */
  private val FileNumber = "-0"

  def of(nodes: Seq[HashNode]): HashRing = HashRing(nodes.sortBy(_.value).toIndexedSeq)

  /** The ring with which a partition begins: nodes at equal distances, with ids that follow from their places, so that all
    * writers make the same.
    */
  def initial(partition: String, count: Int): HashRing = {
    val step = (Int.MaxValue.toLong + count - 1) / count
    def end(node: Int): Long = (step * node).min(Int.MaxValue.toLong)
    HashRing((1 to count).map(node => HashNode(end(node).toInt, prefix(partition, end(node - 1), end(node)))))
  }

  private def prefix(partition: String, from: Long, to: Long): String = {
    val path = partition.getBytes(UTF_8)
    val named = ByteBuffer.allocate(2 * java.lang.Long.BYTES + path.length).putLong(from).putLong(to).put(path)
    UUID.nameUUIDFromBytes(named.array).toString
  }

  /** Hash of the values of a key, of which a missing one is spelled out. */
  def hashOf(values: Seq[String]): Int = {
    val bytes = values.mkString.getBytes(UTF_8)
    hashOf(bytes, 0, bytes.length)
  }

  // hot path: called for each row of a write
  /** Hash of the values of a key, as the UTF-8 bytes of all. */
  def hashOf(bytes: Array[Byte], offset: Int, length: Int): Int = {
    val hash = new XXHash32
    hash.update(bytes, offset, length)
    hash.getValue.toInt
  }
}

/** The hash rings of a table.
  *
  * @param known
  *   by partition
  * @param othersAreNew
  *   all other partitions have none yet, and begin with that of the table's number of buckets
  */
final case class HashRings(known: Map[String, HashRing], othersAreNew: Boolean) {

  /** The ring of a partition, whose first one has so many nodes. */
  def in(partition: String, count: Int): HashRing = known.getOrElse(partition,
    if (othersAreNew) HashRing.initial(partition, count)
    else throw new IllegalStateException(s"nobody has looked at the hash ring of '$partition'"))
}

object HashRings {

  /** Of a table whose partitions have yet to be looked at. */
  val Unread: HashRings = HashRings(Map.empty, othersAreNew = false)

  /** Of a table that has none yet. */
  val New: HashRings = HashRings(Map.empty, othersAreNew = true)
}
