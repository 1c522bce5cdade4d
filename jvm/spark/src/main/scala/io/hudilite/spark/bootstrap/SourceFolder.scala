package io.hudilite.spark.bootstrap

import io.hudilite.spark.bootstrap.task.SourceRoot
import io.hudilite.spark.row.SessionConf

import java.net.URI

import org.apache.hadoop.fs.Path
import org.apache.spark.sql.SparkSession

/** A folder of a source with files.
  *
  * @param partition
  *   its path below the source
  * @param files
  *   paths of the files in it, sorted
  */
private[spark] final case class SourceFolder(partition: String, path: String, files: Seq[String])

private[spark] object SourceFolder {

  /** The folders of these files, sorted.
    *
    * @param source
    *   folder of all of them, as options name it
    * @param files
    *   as Spark lists them
    */
  def all(session: SparkSession, source: String, files: Seq[String]): Seq[SourceFolder] = {
    val root = SourceRoot.of(source, SessionConf.hadoop(session, Map.empty))
    files.map(file => new Path(new URI(file))).groupBy(_.getParent).toSeq.map { case (folder, own) =>
      SourceFolder(root.partitionOf(own.head), folder.toString, own.map(_.toString).sorted)
    }.sortBy(_.partition)
  }
}
