package io.hudilite.filegroup

import io.hudilite.error.Listed
import io.hudilite.storage.FileInfo

import java.util.concurrent.ConcurrentHashMap

import org.slf4j.LoggerFactory

/** Files in the folders of a table whose names no write gives. Readers pass over them, whatever they hold. */
object OtherFiles {

  private val log = LoggerFactory.getLogger("io.hudilite.filegroup.OtherFiles")

  // Tables whose files this process has told of; a bound for one that sees very many.
  private val told = ConcurrentHashMap.newKeySet[String]()
  private val MostTold = 10000

  private val Named = 5

  /** Hidden files are those of file systems and engines, such as checksums and marks of success. Log files are hidden, too.
    */
  def isHidden(name: String): Boolean = name.startsWith(".") || name.startsWith("_")

  /** True for a file that neither is hidden nor has a name like that of a base file, an instant before its ending. */
  def isOther(file: FileInfo): Boolean = !file.isDirectory && !isHidden(file.name) && !isLikeBase(file.name)

  private val InstantDigits = 14 // in names of old writes; others have more

  // Is asked for each listed file, and far cheaper than to read the name.
  private def isLikeBase(name: String): Boolean = {
    val (last, dot) = (name.lastIndexOf('_'), name.indexOf('.', name.lastIndexOf('_') + 1))
    last > 0 && dot > last + InstantDigits && name.indexOf('_') < last && (last + 1 until dot).forall(i =>
      name.charAt(i).isDigit)
  }

  /** Warns of such files when they are listed for the first time. */
  def tell(basePath: String, listing: Map[String, Seq[FileInfo]]): Unit = if (!told.contains(basePath)) {
    val found = listing.iterator.flatMap { case (partition, files) =>
      files.iterator.filter(isOther).map(file => if (partition.isEmpty) file.name else s"$partition/${file.name}")
    }.take(Named + 1).toSeq
    if (found.nonEmpty) {
      if (told.size >= MostTold) told.clear()
      if (told.add(basePath)) log.warn(
        s"The table at $basePath holds files that no write has named, and that no read shows: " +
          s"${Listed.of(found.sorted, Named)}.")
    }
  }
}
