package io.hudilite.table

import io.hudilite.config.{BucketRule, IndexConf, WriteOptions}
import io.hudilite.error.{CorruptTable, InvalidInput, UnsupportedTable}

import com.fasterxml.jackson.databind.{JsonNode, ObjectMapper}

/** The numbers of buckets that Apache Hudi has written down for a table whose partitions have their own
  * (docs/format.md#indexes).
  *
  * @param default
  *   of partitions that the rule is not about
  */
private[table] final case class HashingConfig(default: Int, rule: BucketRule) {

  /** The options, with the numbers of the table where they leave these open; raises `InvalidInput` where they say anything else. */
  def completing(conf: IndexConf): IndexConf = {
    conf.buckets.filter(_ != default).foreach(count =>
      throw InvalidInput.option(WriteOptions.Buckets.name, count.toString, s"the table says $default"))
    conf.rule.filter(_ != rule).foreach(other =>
      throw InvalidInput.option(WriteOptions.BucketsInPartitions.name, other.text, s"the table says ${rule.text}"))
    conf.copy(buckets = Some(default), rule = Some(rule))
  }
}

private[table] object HashingConfig {

  /** Folder below `.hoodie/.bucket_index`. */
  val Folder = "partition_bucket_index_meta"

  private val Suffix = ".hashing_config"
  private val OfCreation = "00000000000000"

  /** The newest one that counts: of the creation of the table, or of a completed action. */
  def of(table: Table): HashingConfig = {
    val files = table.storage.list(s"${Buckets.folder(table.basePath)}/$Folder/configs").map(_.path)
    def instant(path: String): String = path.split('/').last.stripSuffix(Suffix)
    val counting = files.filter(path =>
      path.endsWith(Suffix) &&
        (instant(path) == OfCreation || table.timeline.isCommitted(instant(path))))
    val newest = counting.sortBy(instant).lastOption.getOrElse(throw unsupported(table, "it holds no finished one"))
    val json = table.storage.read(newest).getOrElse(throw unsupported(table, s"$newest is gone"))
    read(table, CorruptTable.guard(newest)(new ObjectMapper().readTree(json)), newest)
  }

  private def read(table: Table, json: JsonNode, path: String): HashingConfig = {
    def text(name: String): String = Option(json.get(name)).fold("")(_.asText.trim)
    if (text("version") != "1") throw unsupported(table, s"its version is ${text("version")}")
    if (!text("rule").equalsIgnoreCase(BucketRule.Regex)) throw unsupported(table, s"its rule is ${text("rule")}")
    CorruptTable.guard(path) {
      val default = text("defaultBucketNumber").toInt
      require(default >= 1 && default <= WriteOptions.MostBuckets, s"$default buckets")
      HashingConfig(default, BucketRule.of(text("expressions")))
    }
  }

  private def unsupported(table: Table, reason: String): UnsupportedTable =
    UnsupportedTable("UNSUPPORTED_TABLE_FEATURE", "path" -> table.basePath,
      "feature" -> s"a hashing config of buckets by partition in $Folder", "reason" -> reason)
}
