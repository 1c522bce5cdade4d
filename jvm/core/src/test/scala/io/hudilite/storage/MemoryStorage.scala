package io.hudilite.storage

import java.io.FileNotFoundException
import java.nio.file.DirectoryNotEmptyException
import java.util.concurrent.ConcurrentSkipListMap
import java.util.concurrent.atomic.AtomicInteger

import scala.collection.JavaConverters._

/** `Storage` in memory, for tests; counts what planning should do rarely.
  *
  * @param clock
  *   epoch milliseconds that new files get
  */
final class MemoryStorage(clock: () => Long = () => 0L) extends Storage {

  override val caches: Caches = new Caches

  private final class Entry(val content: Array[Byte], val modifiedMs: Long)

  private val files = new ConcurrentSkipListMap[String, Entry]()
  private val directories = new ConcurrentSkipListMap[String, String]()

  private val listed = new AtomicInteger()
  private val opened = new AtomicInteger()

  /** Directories listed so far. */
  def listings: Int = listed.get

  /** Files opened for reading so far. */
  def reads: Int = opened.get

  /** Every file, sorted by path. */
  def paths: Seq[String] = files.keySet.asScala.toList

  /** Takes over every file and directory of another one; no content is ever changed, so both have it. */
  def takeAll(other: MemoryStorage): Unit = {
    other.files.forEach((path, entry) => { files.put(path, new Entry(entry.content, entry.modifiedMs)); () })
    directories.putAll(other.directories)
  }

  override def list(directories: Seq[String]): Map[String, Seq[FileInfo]] = directories.map(d => d -> listOne(d)).toMap

  private def listOne(directory: String): Seq[FileInfo] = {
    listed.incrementAndGet()
    val prefix = directory.stripSuffix("/") + "/"
    val below = Seq(files, directories)
      .flatMap(_.tailMap(prefix).keySet.asScala.iterator.takeWhile(_.startsWith(prefix)))
      .map(_.substring(prefix.length).takeWhile(_ != '/')).toSet
    below.toSeq.filter(_.nonEmpty).sorted.map { name =>
      Option(files.get(prefix + name)) match {
        case Some(e) => FileInfo(prefix + name, e.content.length.toLong, e.modifiedMs, isDirectory = false)
        case None => FileInfo(prefix + name, 0L, 0L, isDirectory = true)
      }
    }
  }

  override def read(path: String): Option[Array[Byte]] = {
    opened.incrementAndGet()
    Option(files.get(path)).map(_.content.clone())
  }

  override def readAll(paths: Seq[String]): Map[String, Array[Byte]] = paths.flatMap(p => read(p).map(p -> _)).toMap

  override def readRange(path: String, offset: Long, length: Int): Array[Byte] =
    read(path).getOrElse(throw new FileNotFoundException(path)).slice(offset.toInt, offset.toInt + length)

  override def open(path: String): OpenFile = {
    opened.incrementAndGet()
    OpenFile.of(path, Option(files.get(path)).getOrElse(throw new FileNotFoundException(path)).content)
  }

  override def createNew(path: String, content: Array[Byte]): Boolean =
    files.putIfAbsent(path, new Entry(content.clone(), clock())) == null

  override def replace(path: String, content: Array[Byte]): Unit = {
    files.put(path, new Entry(content.clone(), clock()))
    ()
  }

  override def delete(path: String): Boolean = {
    if (below(path).nonEmpty) throw new DirectoryNotEmptyException(path)
    val gone = files.remove(path) != null
    directories.remove(path) != null || gone
  }

  override def deleteOwn(directory: String): Unit = {
    below(directory).foreach(p => { files.remove(p); directories.remove(p) })
    delete(directory)
    ()
  }

  private def below(directory: String): Seq[String] = Seq(files, directories).flatMap(_.tailMap(s"$directory/").keySet
      .asScala.takeWhile(_.startsWith(s"$directory/")).toList)

  override def exists(path: String): Boolean =
    files.containsKey(path) || directories.containsKey(path) ||
      Option(files.ceilingKey(path + "/")).exists(_.startsWith(path + "/"))

  override def makeDirectory(path: String): Unit = {
    directories.put(path, path)
    ()
  }
}
