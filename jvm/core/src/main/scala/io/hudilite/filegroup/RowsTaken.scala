package io.hudilite.filegroup

import io.hudilite.timeline.{CommitMetadata, Instant, WriteStat}

import com.fasterxml.jackson.databind.ObjectMapper

import java.util.TreeMap

import scala.collection.JavaConverters._

/** Rows that log files take out of the base files below them, as the commits of these log files state it
  * (docs/format.md#rows-that-log-files-delete). A delete in a log file may lose against the row, meet one that is gone, or be
  * undone by a later record: only its writer has looked.
  */
private[hudilite] object RowsTaken {

  /** Rows taken by each log file of a commit that has taken any, as JSON. A commit that has the entry has counted all. */
  private val Entry = "hudilite.log.rows.taken"

  private val mapper = new ObjectMapper()

  /** The entry of a commit; none where it has no log files, or somebody did not count. */
  def entries(metadata: CommitMetadata): Map[String, String] = {
    val logs = metadata.allStats.filter(_.isLog)
    if (logs.isEmpty || logs.exists(_.taken.isEmpty)) Map.empty
    else {
      val taken = new TreeMap[String, java.lang.Long]
      for (stat <- logs; rows <- stat.taken if rows != 0) taken.put(stat.path, rows)
      Map(Entry -> mapper.writeValueAsString(taken))
    }
  }

  /** Rows that log files have taken out of their slices, of those slices of which all log files are of writers that have
    * counted. Such a number is never greater than the true one. A log compaction repeats what others have written.
    *
    * @param commits
    *   all writes that may have made the log files
    */
  def counted(commits: Seq[(Instant, CommitMetadata)], slices: Seq[FileSlice]): Map[FileGroupId, Long] = {
    val stats = for {
      (_, metadata) <- commits
      taken = if (metadata.isLogCompaction) Some(Map.empty[String, Long]) else of(metadata)
      stat <- metadata.allStats if stat.isLog
    } yield stat -> taken.map(_.getOrElse(stat.path, 0L))
    val byGroup = stats.groupBy { case (stat, _) => FileGroupId(stat.partitionPath, stat.fileId) }
    (for {
      slice <- slices if slice.base.isDefined
      rows <- inSlice(slice, byGroup.getOrElse(slice.groupId, Nil)) if rows > 0
    } yield slice.groupId -> rows).toMap
  }

  private def inSlice(slice: FileSlice, stats: Seq[(WriteStat, Option[Long])]): Option[Long] = {
    val names = slice.logs.map(_.name).toSet
    val own = stats.filter { case (stat, _) => names(stat.fileName) }
    val isTold = own.map(_._1.fileName).toSet == names
    if (!isTold || own.exists(_._2.isEmpty)) None else Some(own.flatMap(_._2).sum)
  }

  // An entry that another program has changed counts nothing.
  private def of(metadata: CommitMetadata): Option[Map[String, Long]] = metadata.extra.get(Entry).flatMap(text =>
    scala.util.Try {
      val json = mapper.readTree(text)
      json.fieldNames.asScala.map(name => name -> json.get(name).longValue).toMap
    }.toOption)
}
