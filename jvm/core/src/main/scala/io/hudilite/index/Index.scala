package io.hudilite.index

import io.hudilite.config.{BucketRule, IndexConf, TableConfig, TableType, WriteOptions}
import io.hudilite.error.InvalidInput
import io.hudilite.filegroup.{BaseFile, FileSlice}
import io.hudilite.record.RecordKeys

/** A kind of index that a write can ask for. */
sealed trait Index extends KeyIndex

object Index {

  /** Keys of base files are read, since any slice can hold any key. */
  final case class Simple(scope: Scope) extends Index {
    override def locate(keys: RecordKeys, within: SearchedSlices): Locations =
      Locations(within.slices.map(_ -> KeyVerdict.MayHold(keys)))
  }

  /** The key range and the bloom filter of a base file are asked before its keys are read. Log files may hold any key. */
  final case class Bloom(scope: Scope) extends Index {

    override def asksBlooms: Boolean = true

    override def locate(keys: RecordKeys, within: SearchedSlices): Locations = {
      val alone = within.slices.flatMap(baseAlone).distinct
      val told = within.each(alone, keys)(KeyVerdict.of(_, keys))
      Locations(within.slices.map(slice =>
          slice -> baseAlone(slice).fold(KeyVerdict.MayHold(keys): KeyVerdict)(told)))
    }

    private def baseAlone(slice: FileSlice): Option[BaseFile] = slice.base.filter(_ => slice.logs.isEmpty)
  }

  /** The metadata table has the place of each key. Where it cannot be gone by, files are asked as [[Bloom]] asks them. */
  final case class Record(scope: Scope) extends Index {

    override def asksBlooms: Boolean = true

    override def locate(keys: RecordKeys, within: SearchedSlices): Locations = Bloom(scope).locate(keys, within)
  }

  /** The key itself determines its file group in each partition, so that nothing is looked up. */
  final case class Bucket(by: BucketIndex) extends Index {

    override def scope: Scope = Scope.Partition

    override def buckets: Option[BucketIndex] = Some(by)

    override def locate(keys: RecordKeys, within: SearchedSlices): Locations = {
      val dealt = within.slices.map(slice => by.in(slice.partition)).distinct
        .map(index => index -> keys.sorted.groupBy(index.bucketOf)).toMap
      Locations(within.slices.map { slice =>
        val index = by.in(slice.partition)
        slice ->
          (index.bucketOfFile(slice.fileId).filter(_ < index.count) match {
            case None => KeyVerdict.MayHold(keys) // the file group belongs to no bucket of the table
            case Some(bucket) => dealt(index).get(bucket).fold(KeyVerdict.OtherBucket: KeyVerdict)(own =>
                KeyVerdict.MayHold(RecordKeys(own)))
          })
      })
    }
  }

  private val BySimple = "SIMPLE"

  /** The index that the options of a write ask for; raises `InvalidInput` when the table cannot have it. */
  def of(config: TableConfig, asked: IndexConf): Index = {
    val index = kind(config, asked)
    if (config.generatesKeys && index.isGlobal) throw ofGeneratedKeys(asked)
    if (!config.populateMetaFields) asked.kind.filter(_ != BySimple).foreach(kind =>
      throw InvalidInput.option(WriteOptions.IndexType.name, kind,
        s"files of a table without meta columns do not tell keys; choose $BySimple, which reads the key columns"))
    index
  }

  private def kind(config: TableConfig, asked: IndexConf): Index =
    asked.kind.orElse(WriteOptions.IndexType.default).get match {
      case BySimple => Simple(Scope.Partition)
      case "GLOBAL_SIMPLE" => Simple(Scope.Table(asked.simpleMoves))
      case "BLOOM" => Bloom(Scope.Partition)
      case "GLOBAL_BLOOM" => Bloom(Scope.Table(asked.bloomMoves))
      case kind if WriteOptions.ByRecords.contains(kind) => Record(Scope.Table(asked.recordMoves))
      case WriteOptions.ByRecordsInPartitions => Record(Scope.Partition)
      case WriteOptions.ByBuckets if config.generatesKeys => throw ofGeneratedKeys(asked)
      case WriteOptions.ByBuckets =>
        val rings = if (asked.isConsistent) Some(HashRings.Unread) else None
        val count = asked.buckets.orElse(WriteOptions.Buckets.default).get
        if (rings.isDefined) refuseRings(config, asked, count)
        Bucket(BucketIndex(count, hashFields(config, asked),
            asked.rule.getOrElse(BucketRule.None), rings))
      case other => throw new IllegalStateException(s"the index $other is none of the option's choices")
    }

  // Hudi refuses such tables, too.
  private def refuseRings(config: TableConfig, asked: IndexConf, count: Int): Unit = {
    def refuse(reason: String): Nothing =
      throw InvalidInput.option(WriteOptions.BucketEngine.name, WriteOptions.ConsistentHashing, reason)
    if (config.tableType != TableType.MergeOnRead) refuse("only a merge-on-read table has hash rings")
    if (asked.rule.exists(!_.isEmpty)) refuse("partitions with numbers of buckets of their own have no hash rings")
    HashRing.initial("", count).fault.foreach(fault => refuse(s"with $count buckets $fault"))
  }

  // Hudi would look up keys that no incoming row can have.
  private def ofGeneratedKeys(asked: IndexConf): InvalidInput = InvalidInput.option(WriteOptions.IndexType.name,
    asked.kind.getOrElse(""),
    "such an index goes by record key fields, and the table has none; " +
      "a new table gets them by TBLPROPERTIES (primaryKey = '<columns>')")

  /** The fields of the record key that deal keys to buckets. */
  def hashFields(config: TableConfig, asked: IndexConf): Seq[String] =
    hashed(asked.hashFields.getOrElse(config.recordKeyFields), config.recordKeyFields)

  private def hashed(fields: Seq[String], keyFields: Seq[String]): Seq[String] =
    if (fields.nonEmpty && fields.forall(keyFields.contains)) fields
    else throw InvalidInput("INVALID_OPTION_VALUE", "option" -> WriteOptions.BucketHashFields.name,
      "value" -> fields.mkString(","), "reason" -> s"the record key has the fields ${keyFields.mkString(", ")}")
}
