package io.hudilite.table

import io.hudilite.config.{BucketRule, IndexConf, PlannedBuckets, WriteOptions}
import io.hudilite.error.{CorruptTable, InvalidInput, Listed, UnsupportedTable}
import io.hudilite.filegroup.FileSlice
import io.hudilite.index.{BucketIndex, FileKeys, HashRings, Index, KeyIndex, ShownBuckets}

/** The buckets of a table, if it has any: file ids tell that it does, and the commits of hudilite how many there are. Of a
  * table without such commits its files show it (docs/format.md#indexes).
  */
final class Buckets(table: Table) {

  import Buckets._

  /** The rows of the table lie in buckets. */
  lazy val haveRows: Boolean = table.statedBuckets.isDefined || areConsistent ||
    (someGroups.nonEmpty && someGroups.forall(BucketIndex.bucketOfFile(_).isDefined))

  private def areThere: Boolean = haveRows || declared.isDefined

  /** Refuses a write whose options and the table's files do not have the same index. */
  def check(index: KeyIndex): Unit = if (!areConsistent) {
    val strange = someGroups.find(BucketIndex.bucketOfFile(_).isEmpty)
    if (index.buckets.isDefined)
      strange.foreach(group => throw notByBuckets(s"the table's file group $group belongs to no bucket"))
  }

  private lazy val folders: Seq[String] =
    table.storage.list(folder(table.basePath)).map(_.name)

  private lazy val declared: Option[HashingConfig] =
    if (folders.contains(HashingConfig.Folder)) Some(HashingConfig.of(table)) else None

  private[hudilite] def hasRings: Boolean = folders.contains(RingFiles.Folder)

  /** Partitions have hash rings. Such file groups have ids like any other, so that only this folder tells; a first write
    * that failed may have left it.
    */
  lazy val areConsistent: Boolean = hasRings && table.timeline.writes.nonEmpty

  /** Raises `UnsupportedTable` where a write may not take file groups out: such are gone for good, and the nodes of a ring
    * name theirs.
    */
  def checkReplaced(): Unit = if (areConsistent) throw RingFiles.unsupported(table.basePath,
    "its hash rings name the file groups that an overwrite or a drop of partitions would take out",
    "Delete rows by a condition, or write to a new table")

  private def ofRings(conf: IndexConf): IndexConf = {
    val refusal = s"the table has a bucket index with hash rings in ${RingFiles.Folder}"
    conf.kind.filterNot(_ == WriteOptions.ByBuckets).foreach(k =>
      throw refused(WriteOptions.IndexType.name, k, refusal))
    conf.engine.filterNot(_ == WriteOptions.ConsistentHashing).foreach(engine =>
      throw refused(WriteOptions.BucketEngine.name, engine, refusal))
    if (declared.isDefined) throw RingFiles.unsupported(table.basePath, s"it has ${HashingConfig.Folder} as well")
    val rings = conf.copy(kind = Some(WriteOptions.ByBuckets), engine = Some(WriteOptions.ConsistentHashing))
    table.statedBuckets.filter(_.isConsistent) match {
      case Some(stated) => rings.orBuckets(stated.count, stated.hashFields, BucketRule.None)
      case None =>
        // New partitions begin as the others did.
        def begun: Option[Int] = table.files.first(1).map(_._1).toList.headOption
          .flatMap(p => RingFiles(table).of(Seq(p)).get(p))
          .map(_.count)
        rings.copy(buckets = rings.buckets.orElse(begun))
    }
  }

  /** How the options and the table say together that keys are looked up. Of buckets, what the options leave open is as
    * the table states it, or as its files show it. Raises `InvalidInput` where these leave it open, too, and where the
    * options name another kind of index than the table has.
    *
    * @param keys
    *   of files, asked only where no commit states how many buckets there are
    */
  def asked(conf: IndexConf, keys: => FileKeys): IndexConf = {
    if (areConsistent) ofRings(conf)
    else if (conf.kind.isEmpty && !areThere) conf
    else if (conf.kind.isDefined && !conf.byBuckets) {
      groupsShown.filter(_ => areThere).foreach(shown =>
        throw refused(WriteOptions.IndexType.name, conf.kind.get, s"the table has a bucket index, as $shown show"))
      conf
    } else {
      if (conf.engine.contains(WriteOptions.ConsistentHashing)) refuseRings(conf)
      val named = conf.copy(kind = Some(WriteOptions.ByBuckets))
      val told = declared.fold(named)(_.completing(named))
      table.statedBuckets match {
        case Some(stated) => told.orBuckets(stated.count, stated.hashFields, stated.rule)
        case None if told.buckets.isEmpty && haveRows => shown(told, keys)
        case None => told
      }
    }
  }

  private def refuseRings(conf: IndexConf): Unit = if (areThere || someGroups.nonEmpty)
    throw refused(WriteOptions.BucketEngine.name, conf.engine.get,
      "the rows of the table do not lie by hash rings: only SIMPLE buckets, or another index, fit them")

  /** Apache Hudi has written down how many buckets partitions have. */
  def areDeclared: Boolean = declared.isDefined

  private def groupsShown: Option[String] =
    someGroups.headOption.map(group => s"file groups like $group").orElse(declared.map(_ => "its hashing configs"))

  private def shown(named: IndexConf, keys: FileKeys): IndexConf = {
    val fields = Index.hashFields(table.config, named)
    val slices = table.files.first(PartitionsAsked).flatMap(_._2).toList match {
      case Nil => table.files.iterator().map(_._2).find(_.nonEmpty).getOrElse(Nil)
      case some => some
    }
    val rule = named.rule.getOrElse(BucketRule.None)
    val known = ShownBuckets.of(slices.filter(slice => rule.countIn(slice.partition).isEmpty), fields, keys)
    known.evidence(fields).count match {
      case Some(count) => named.orBuckets(count, fields, rule)
      case None if slices.isEmpty => named // all its rows have been taken out
      case None => throw unknown(known, fields)
    }
  }

  private def unknown(known: ShownBuckets, fields: Seq[String]): InvalidInput = {
    val fit = known.evidence(fields).counts.take(CountsNamed + 1).map(_.toString).toList
    val own = known.byPartition.map { case (partition, shown) =>
      s"${shown.evidence(fields).count.fold("none or several")(_.toString)} in '$partition'"
    }
    val reason =
      if (fit.nonEmpty) s"${Listed.of(fit, CountsNamed)} would fit"
      else s"by the hash fields ${fields.mkString(", ")} none puts the record keys of its files where they are; by " +
        s"partition these would: ${Listed.of(own)}"
    InvalidInput("BUCKETS_NOT_NAMED", "path" -> table.basePath, "reason" -> reason)
  }

  /** The buckets that a reader was told of, where no commit states any and the table can have such. */
  def told(buckets: PlannedBuckets): Option[BucketIndex] = {
    val fields = if (buckets.hashFields.isEmpty) table.config.recordKeyFields else buckets.hashFields
    def isPlain: Boolean = !folders.exists(Set(RingFiles.Folder, HashingConfig.Folder))
    if (!fields.forall(table.config.recordKeyFields.contains)) None
    else if (buckets.consistent)
      if (areConsistent && table.statedBuckets.forall(_.hashFields.toSet == fields.toSet))
        Some(BucketIndex(buckets.count, fields, rings = Some(HashRings.Unread)))
      else None
    else if (table.statedBuckets.isDefined || !isPlain) None
    else Some(BucketIndex(buckets.count, fields))
  }

  /** Raises `InvalidInput` where a commit states another index than that of a write. */
  def checkStated(index: BucketIndex): Unit = table.statedBuckets.filterNot(_.isSame(index)).foreach { stated =>
    if (stated.isConsistent != index.isConsistent)
      throw refused(WriteOptions.BucketEngine.name,
        if (index.isConsistent) WriteOptions.ConsistentHashing else "SIMPLE",
        "the keys of the table are dealt to buckets by the other one")
    else if (!index.isConsistent && stated.count != index.count)
      throw refused(WriteOptions.Buckets.name, index.count.toString, s"the table has ${stated.count} buckets")
    else if (!index.isConsistent && stated.rule != index.rule)
      throw refused(WriteOptions.BucketsInPartitions.name, index.rule.text,
        s"the table has ${if (stated.rule.isEmpty) "as many buckets in each partition" else stated.rule.text}")
    else
      throw refused(WriteOptions.BucketHashFields.name, index.hashFields.mkString(","),
        s"the keys of the table are dealt to buckets by ${stated.hashFields.mkString(",")}")
  }

  /** File ids of some groups, which are alike in whether they are of buckets: those that the newest write names, whose
    * commit was read when the table was opened. Where it names none, partitions are looked at up to the first that has
    * any.
    */
  private lazy val someGroups: Seq[String] = {
    val written = table.lastInstant.toSeq.flatMap(table.store.readCommit(_).allStats.map(_.fileId).take(GroupsAsked))
    if (written.nonEmpty) written
    else table.files.iterator().map(_._2).find(_.nonEmpty).getOrElse(Nil).map(_.fileId)
  }

  /** The slices of all buckets there are, by partition and bucket; -1 for a bucket that has no file group yet. Raises an
    * error where they are not as the index says.
    *
    * @param keys
    *   of files: some of those that have come since a commit stated the index are held against it
    */
  def slots(slices: Array[FileSlice], index: BucketIndex, keys: FileKeys): Map[String, Array[Int]] = {
    if (slices.nonEmpty) checkStated(index)
    val slots = slices.indices.groupBy(i => slices(i).partition).map { case (partition, found) =>
      val own = index.in(partition)
      val byBucket = Array.fill(own.count)(-1)
      found.foreach { i =>
        val bucket = bucketOf(slices(i), own)
        if (byBucket(bucket) >= 0)
          throw UnsupportedTable("UNSUPPORTED_TABLE_FEATURE", "path" -> table.basePath,
            "feature" -> s"two file groups of bucket $bucket in '$partition'",
            "reason" -> s"${slices(byBucket(bucket)).fileId} and ${slices(i).fileId}")
        byBucket(bucket) = i
      }
      partition -> byBucket
    }
    table.bucketStatement match {
      case Some(stated) => checkSince(slices.toSeq.filter(_.base.exists(_.instant > stated.instant)), index, keys)
      case None if index.isConsistent => checkSince(slices.toSeq, index, keys)
      case None => checkShown(slices.toSeq, index, keys)
    }
    slots
  }

  private def bucketOf(slice: FileSlice, index: BucketIndex): Int =
    index.bucketOfFile(slice.fileId) match {
      case Some(bucket) if bucket < index.count => bucket
      case None if index.isConsistent =>
        throw RingFiles.unsupported(table.basePath,
          s"the file group ${slice.fileId} in '${slice.partition}' is of no node of its hash ring in ${RingFiles.Folder}")
      case Some(bucket) => throw refused(WriteOptions.Buckets.name, index.count.toString,
          s"the table has the bucket $bucket, of the file group ${slice.fileId}")
      case None => throw notByBuckets(s"the table's file group ${slice.fileId} belongs to no bucket")
    }

  /** Writers that state nothing may not have kept to the number of buckets that was stated before. */
  private def checkSince(slices: Seq[FileSlice], index: BucketIndex, keys: FileKeys): Unit =
    ShownBuckets.ofFooters(slices, keys, index).misplaced(index).foreach { case (in, key) =>
      val own = index.in(in.file.partition)
      throw CorruptTable("KEY_IN_WRONG_BUCKET", "file" -> in.file.relativePath, "bucket" -> in.bucket.toString,
        "key" -> key, "other" -> own.bucketOf(key).toString, "count" -> own.count.toString,
        "fields" -> Listed.of(own.hashFields))
    }

  private def checkShown(slices: Seq[FileSlice], index: BucketIndex, keys: FileKeys): Unit = {
    val shown = ShownBuckets.of(slices, index.hashFields, keys)
    shown.misplaced(index).foreach { case (in, key) =>
      val own = index.in(in.file.partition)
      val like = if (index.rule.isEmpty) Some(shown) else shown.byPartition.toMap.get(in.file.partition)
      throw refused(WriteOptions.Buckets.name, own.count.toString,
        s"with it and the hash fields ${own.hashFields.mkString(", ")} the key $key belongs to bucket " +
          s"${own.bucketOf(key)}, but the table has it in bucket ${in.bucket}" +
          like.flatMap(_.evidence(own.hashFields).count).fold("")(count => s", as with $count buckets"))
    }
  }

  private def notByBuckets(reason: String): InvalidInput =
    refused(WriteOptions.IndexType.name, WriteOptions.ByBuckets, reason)

  private def refused(option: String, value: String, reason: String): InvalidInput =
    InvalidInput("INVALID_OPTION_VALUE", "option" -> option, "value" -> value, "reason" -> reason)
}

object Buckets {

  /** File groups that are asked whether they belong to buckets. */
  private val GroupsAsked = 1000

  /** Partitions whose files show the number of buckets. */
  private val PartitionsAsked = 8

  /** Numbers of buckets that are named where more of them fit. */
  private val CountsNamed = 5

  def apply(table: Table): Buckets = table.buckets

  /** Folder with what Hudi writes down of buckets. */
  private[hudilite] def folder(basePath: String): String = s"${basePath.stripSuffix("/")}/.hoodie/.bucket_index"
}
