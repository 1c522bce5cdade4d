package io.hudilite.storage

/** One entry of a directory listing. `path` is absolute and ends in `name`; `modifiedMs` is epoch milliseconds. */
final case class FileInfo(path: String, length: Long, modifiedMs: Long, isDirectory: Boolean) {
  def name: String = path.substring(path.lastIndexOf('/') + 1)
}

/** What the format needs from a file system. Paths are strings with `/`, absolute or with a scheme.
  *
  * Contract: `createNew` lets exactly one caller win a name and never shows partial content; a listing sees every file
  * whose creation finished before it began. Missing directories list as empty, missing files delete as `false`.
  */
trait Storage {

  /** Direct children of each directory, in no order; the directories are listed in parallel where that pays. */
  def list(directories: Seq[String]): Map[String, Seq[FileInfo]]

  final def list(directory: String): Seq[FileInfo] = list(Seq(directory)).getOrElse(directory, Nil)

  /** Whole content, or `None` when the file does not exist. */
  def read(path: String): Option[Array[Byte]]

  /** Whole contents of many small files, read in parallel; missing files are absent from the result. */
  def readAll(paths: Seq[String]): Map[String, Array[Byte]]

  /** Whole contents of listed files that never change, in parallel; by path, missing ones are absent. */
  def readListed(files: Seq[FileInfo]): Map[String, Array[Byte]] = readAll(files.map(_.path))

  /** Bytes `[offset, offset + length)` of a file. */
  def readRange(path: String, offset: Long, length: Int): Array[Byte]

  /** Opens a file for reads at many places; the caller closes it. */
  def open(path: String): OpenFile = OpenFile.byRanges(this, path)

  /** The same for a file whose length is known. */
  def open(path: String, length: Long): OpenFile = open(path)

  /** Creates the file with this content; `false` when a file of that name exists. */
  def createNew(path: String, content: Array[Byte]): Boolean

  /** Creates or replaces the file. */
  def replace(path: String, content: Array[Byte]): Unit

  /** Deletes a file, or a directory with all it holds; `false` when there was none. */
  def delete(path: String): Boolean

  def exists(path: String): Boolean

  def makeDirectory(path: String): Unit

  /** Caches of immutable files are keyed by path within this scope: storages that share it see the same files. */
  def cacheScope: AnyRef = this
}
