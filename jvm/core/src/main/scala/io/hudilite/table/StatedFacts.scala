package io.hudilite.table

import io.hudilite.config.WriteVersion
import io.hudilite.timeline.{CommitMetadata, Instant, Timeline, TimelineStore}

import com.fasterxml.jackson.databind.ObjectMapper

import java.util.TreeMap

import scala.collection.JavaConverters._

/** Facts that commits state of programs that write to the table, and that later writes of these go by: numbers of writes that are
  * done, and how far a streamer of Apache Hudi's has come (docs/format.md#commit-metadata). Archiving would forget it, so
  * that the commits of hudilite carry it on.
  *
  * @param versions
  *   greatest number of each application's writes
  * @param checkpoints
  *   entries of streamers, as the newest commit that has any says them
  */
final case class StatedFacts(versions: Map[String, Long], checkpoints: Map[String, String]) {

  /** The number by which a write is known to be done; `None` when it is not. */
  def seen(write: WriteVersion): Option[Long] = versions.get(write.application).filter(_ >= write.number)

  /** These facts and those of a write, as entries of its commit. */
  def carriedOn(write: Option[WriteVersion]): Map[String, String] = {
    val all = versions ++ write.map(w => w.application -> w.number)
    checkpoints ++ Map(StatedFacts.Whole -> "true") ++
      (if (all.isEmpty) None else Some(StatedFacts.Versions -> StatedFacts.json(all)))
  }
}

object StatedFacts {

  /** Says that the commit states all that commits with older instants do. */
  private val Whole = "hudilite.carries.on"

  /** Greatest numbers by application, as JSON. */
  private val Versions = "hudilite.txn.versions"

  private val Application = "txnAppId"
  private val Number = "txnVersion"

  /** Entries of Hudi Streamer, old and new, and of its sink of Spark's streams. */
  val Checkpoints: Set[String] = Set("deltastreamer.checkpoint.key", "deltastreamer.checkpoint.reset_key",
    "deltastreamer.checkpoint.ignore_key", "streamer.checkpoint.key.v2", "streamer.checkpoint.reset.key.v2",
    "_hudi_streaming_sink_checkpoint")

  val Nothing: StatedFacts = StatedFacts(Map.empty, Map.empty)

  private val mapper = new ObjectMapper()

  def of(store: TimelineStore, timeline: Timeline): StatedFacts = {
    val commits = newest(store, timeline.writes.reverse)
    StatedFacts(
      commits.flatMap(versionsIn).groupBy(_._1).map { case (name, found) => name -> found.map(_._2).max },
      commits.map(_.extra.filter { case (name, text) => Checkpoints(name) && text != null && text.nonEmpty })
        .find(_.nonEmpty).getOrElse(Map.empty))
  }

  /** Entries of the write's own. */
  def entries(write: WriteVersion): Map[String, String] =
    Map(Application -> write.application, Number -> write.number.toString)

  /** Entries that the writer has given, or that other programs have. */
  def ofPrograms(extra: Map[String, String]): Map[String, String] = extra.filterNot { case (name, text) =>
    text == null || name == CommitMetadata.SchemaKey || name == CommitMetadata.SchemaByIdKey ||
    name.startsWith("hudilite.")
  }

  /** Commits, the newest first, as far back as one that carries on what is older. */
  private def newest(store: TimelineStore, writes: Seq[Instant]): Seq[CommitMetadata] = {
    val last = writes.headOption.toSeq.map(store.readCommit)
    if (last.forall(isWhole)) last
    else {
      val older = store.readCommits(writes.tail).map(_._2)
      last ++ older.take(older.indexWhere(isWhole) match {
        case -1 => older.size
        case at => at + 1
      })
    }
  }

  private def isWhole(commit: CommitMetadata): Boolean = commit.extra.get(Whole).contains("true")

  private def versionsIn(commit: CommitMetadata): Seq[(String, Long)] = {
    val own = for {
      name <- commit.extra.get(Application)
      number <- commit.extra.get(Number).flatMap(text => scala.util.Try(text.toLong).toOption)
    } yield name -> number
    own.toSeq ++ commit.extra.get(Versions).toSeq.flatMap(text => {
      val numbers = mapper.readTree(text)
      numbers.fieldNames.asScala.map(name => name -> numbers.get(name).asLong).toSeq
    })
  }

  private def json(versions: Map[String, Long]): String = {
    val sorted = new TreeMap[String, java.lang.Long]
    versions.foreach { case (name, number) => sorted.put(name, number) }
    mapper.writeValueAsString(sorted)
  }
}
