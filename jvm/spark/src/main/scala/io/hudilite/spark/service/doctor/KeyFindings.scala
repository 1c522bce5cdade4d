package io.hudilite.spark.service.doctor

import io.hudilite.config.{QueryType, ReadOptions, WriteConf}
import io.hudilite.error.{HudiliteException, UnsupportedTable}
import io.hudilite.filegroup.FileSlice
import io.hudilite.index.{BucketIndex, ShownBuckets}
import io.hudilite.record.{MetaFields, RowPlace}
import io.hudilite.service.doctor.{Finding, FindingKind}
import io.hudilite.spark.bucket.SampledKeys
import io.hudilite.storage.Storage
import io.hudilite.table.{Buckets, Table}

import org.apache.spark.sql.{Row, SparkSession}
import org.apache.spark.sql.functions.{col, count, countDistinct, lit, min, struct, substring, sum, udf}

import scala.util.control.NonFatal

/** Faults of the keys of a table as a query sees them. All of them are read and brought together by Spark, which
  * spills what does not fit into memory; the driver gets a row for each partition with a finding.
  */
private[spark] object KeyFindings {

  def of(session: SparkSession, table: Table): Seq[Finding] = {
    if (!table.config.populateMetaFields) throw UnsupportedTable("UNSUPPORTED_TABLE_FEATURE",
      "path" -> table.basePath, "feature" -> "rows without meta columns",
      "reason" -> "its rows have no stored record keys to look at")
    repeated(session, table.basePath)
  }

  private def repeated(session: SparkSession, basePath: String): Seq[Finding] = {
    val (key, partition) = (col(MetaFields.RecordKey), col(MetaFields.PartitionPath))
    val several = session.read.format("hudilite").option(ReadOptions.MetaColumns.name, "true")
      .option(ReadOptions.QueryType.name, QueryType.Snapshot.name).load(basePath)
      .groupBy(partition, key).agg(count(lit(1)).as("rows")).where(col("rows") > 1)
    several.groupBy(partition).agg(count(lit(1)), sum("rows"), min(key)).orderBy(partition).collect().toSeq.map(told)
  }

  private def told(found: Row): Finding = {
    val (keys, rows) = (found.getLong(1), found.getLong(2))
    val (have, such) = if (keys == 1) ("1 key has", "") else (s"$keys keys have", "such as ")
    Finding(FindingKind.RepeatedKeys, found.getString(0),
      s"In the partition '${found.getString(0)}' $have $rows rows: $such${found.getString(3)}. An upsert or delete of such a " +
        "key changes all of its rows.",
      "Inserts look no keys up and may have been meant so. Else read the rows of these keys, delete the keys, and upsert " +
        "the rows that are to stay.")
  }
}

/** Findings of record keys that lie in other buckets than they belong to: writers that take a table for one of
  * another number of buckets leave them, and an upsert of such a key makes two rows of it.
  */
private[spark] object MisplacedKeys {

  private val Advice = "Move the table to another number of buckets, which deals every row by its key, or overwrite it " +
    "as a whole with one row of each key. Keys that are in the table twice stay so with a move: an upsert then changes " +
    "both rows, and a delete of one row needs a condition that tells it from the other."

  /** Nothing for a table without buckets, or for one that is too damaged to be opened, of which other findings tell. Reads
    * the record keys of all rows, where the number of buckets is known.
    */
  def findings(session: SparkSession, storage: Storage, basePath: String, conf: WriteConf): Seq[Finding] =
    inBuckets(storage, basePath).toSeq.flatMap { case (table, slices) =>
      try examined(session, table, slices, conf)
      catch {
        case NonFatal(e) =>
          val reason = HudiliteException.in(e).getOrElse(e).getMessage
          Seq(Finding(FindingKind.MisplacedKeys, ".",
              s"The record keys cannot be held against their buckets: ${String.valueOf(reason).takeWhile(_ != '\n')}",
              "See the message."))
      }
    }

  private def inBuckets(storage: Storage, basePath: String): Option[(Table, Array[FileSlice])] =
    try {
      val table = Table.open(storage, basePath)
      val newest = table.lastInstant.toSeq.flatMap(table.store.readCommit(_).allStats.map(_.fileId))
      if (!newest.forall(isOfBucket) || Buckets(table).areConsistent) None
      else Some(table.allSlices().values.flatten.toArray).filter(s => s.nonEmpty && s.forall(x => isOfBucket(x.fileId)))
        .map(table -> _)
    } catch { case _: HudiliteException => None }

  private def isOfBucket(fileId: String): Boolean = BucketIndex.bucketOfFile(fileId).isDefined

  private def examined(session: SparkSession, table: Table, slices: Array[FileSlice], conf: WriteConf): Seq[Finding] =
    table.statedBuckets match {
      case Some(stated) => misplaced(session, table, stated)
      case None => ofUnstated(session, table, slices,
          conf.index.hashFields.orElse(Some(table.config.recordKeyFields).filter(_.size == 1)))
    }

  /** @param hashFields
    *   `None` where it is not known which of the key's fields decide
    */
  private def ofUnstated(session: SparkSession, table: Table, slices: Array[FileSlice],
      hashFields: Option[Seq[String]]): Seq[Finding] = hashFields.toSeq.flatMap { fields =>
    val shown = ShownBuckets.ofRows(slices.toSeq, SampledKeys(table, session))
    shown.evidence(fields).count match {
      case Some(count) => misplaced(session, table, BucketIndex(count, fields))
      // Partitions may have numbers of their own.
      case None => shown.byPartition.collect {
          case (partition, own) if own.evidence(fields).counts.isEmpty =>
            Finding(FindingKind.MisplacedKeys, partition,
              s"The record keys of the partition '$partition' lie in buckets as with no number of them.", Advice)
        }
    }
  }

  private def misplaced(session: SparkSession, table: Table, index: BucketIndex): Seq[Finding] = {
    val isMisplaced = udf((in: String, key: String, bucket: Int) => index.in(in).bucketOf(key) != bucket)
    val (key, partition, file) = (col(MetaFields.RecordKey), col(MetaFields.PartitionPath), col(RowPlace.FileId))
    val bucket = substring(file, 1, BucketIndex.prefix(0).length).cast("int")
    val found = session.read.format("hudilite").option("hoodie.datasource.query.type", "snapshot")
      .load(table.basePath).where(isMisplaced(partition, key, bucket))
      .agg(count(lit(1)), countDistinct(partition, file), min(struct(partition, file, key))).head()
    if (found.getLong(0) == 0) Nil
    else {
      val first = found.getStruct(2)
      val (in, id, example) = (first.getString(0), first.getString(1), first.getString(2))
      Seq(Finding(FindingKind.MisplacedKeys, if (in.isEmpty) id else s"$in/$id",
          s"${found.getLong(0)} row(s) in ${found.getLong(1)} file group(s) have record keys that belong to another of " +
            s"the table's ${index.in(in).count} buckets, such as $example of the file group $id in '$in', which belongs to " +
            s"bucket ${index.in(in).bucketOf(example)}: an upsert does not find them.", Advice))
    }
  }
}
