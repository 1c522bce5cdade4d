package io.hudilite.spark.bootstrap.task

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Path

/** The folder of all sources of a bootstrap. The folders below it are the partitions of the table.
  *
  * @param path
  *   absolute, with its file system
  */
private[bootstrap] final case class SourceRoot(path: Path) {

  private def top: String = path.toUri.getPath.stripSuffix("/")

  /** Path of the partition of a file. */
  def partitionOf(file: Path): String = file.getParent.toUri.getPath.stripPrefix(top).stripPrefix("/")

  override def toString: String = path.toString
}

private[bootstrap] object SourceRoot {

  /** @param source
    *   the folder as options name it
    */
  def of(source: String, conf: Configuration): SourceRoot = {
    val path = new Path(source)
    SourceRoot(path.getFileSystem(conf).makeQualified(path))
  }
}
