package io.hudilite.spark.plan.layout

import io.hudilite.config.PackingConf
import io.hudilite.spark.write.table.WriteTarget
import io.hudilite.table.Table
import io.hudilite.timeline.CommitMetadata

import org.apache.spark.sql.catalyst.plans.logical.Statistics
import org.apache.spark.sql.internal.SQLConf

/** Bytes that a row takes in a base file, for writes whose number of rows is known beforehand. */
object RecordSize {

  /** Commits looked at, newest first. */
  private val Commits = 20

  /** From the newest commit that wrote enough to tell, else the configured estimate. */
  def of(existing: Option[Table], asked: PackingConf): Long = {
    val newest = existing.toSeq.flatMap { table =>
      val commits = table.timeline.writes.sortBy(_.time)(Ordering[String].reverse).take(Commits)
      table.store.readCommits(commits).sortBy(_._1.time)(Ordering[String].reverse).map(_._2)
    }
    ofCommits(newest, asked)
  }

  /** Bytes that rows with these statistics will take in base files; none when nothing is known about them. */
  def estimate(rows: Statistics, target: WriteTarget): Option[BigInt] = rows.rowCount match {
    case Some(count) => Some(count * of(target.existing, target.conf.packing))
    case None => Some(rows.sizeInBytes).filter(_ < BigInt(SQLConf.get.defaultSizeInBytes))
  }

  /** @param newest commits, newest first */
  private[spark] def ofCommits(newest: Seq[CommitMetadata], asked: PackingConf): Long = {
    val enough = (asked.recordShare * asked.smallFileBytes).toLong
    newest.map(_.allStats.filterNot(_.isLog)).map(s => (s.map(_.totalWriteBytes).sum, s.map(_.numWrites).sum))
      .collectFirst { case (bytes, rows) if rows > 0 && bytes > enough => (bytes + rows - 1) / rows }
      .getOrElse(asked.recordBytes.toLong)
  }
}

/** How much a write brings to a table, in bytes.
  *
  * @param all
  *   all rows, when that is known
  * @param byPartition
  *   those of each partition, where they were counted; of others nothing is known but that they are some of all
  */
final case class IncomingSize(all: Option[BigInt], byPartition: Map[String, BigInt] = Map.empty) {

  /** Bytes that come to one partition, at most. */
  def of(partition: String): Option[BigInt] = byPartition.get(partition).orElse(all)

  /** Bytes that come to any one partition, at most. */
  def most: Option[BigInt] = if (byPartition.isEmpty) all else Some(byPartition.values.max)
}

object IncomingSize {

  /** Of rows that a stage has written and counted.
    *
    * @param keysIn
    *   partition path to its number of rows, where that is known
    */
  def counted(rows: Statistics, target: WriteTarget, keysIn: Map[String, Long] = Map.empty): IncomingSize = {
    val count = rows.rowCount.getOrElse(BigInt(0)).max(1)
    // As large as they are in a shuffle, few rows are small for every file; of many it is worth a look into commits how
    // large they will be in one.
    val bytes =
      if (rows.sizeInBytes <= FewBytes) rows.sizeInBytes
      else count * RecordSize.of(target.existing, target.conf.packing)
    IncomingSize(Some(bytes), keysIn.map { case (partition, keys) => partition -> (bytes * keys / count).max(1) })
  }

  /** How many rows there are at most, by an estimate from above; `None` where nothing is known. */
  def atMost(rows: Statistics): Option[BigInt] = rows.rowCount.orElse(
    Some(rows.sizeInBytes).filter(_ < BigInt(SQLConf.get.defaultSizeInBytes)).map(_ / LeastRowBytes))

  private val FewBytes = BigInt(1L << 20)

  // Bytes of a row without columns in Spark's estimates.
  private val LeastRowBytes = 8
}
