package io.hudilite.record

import io.hudilite.config.{KeyGeneratorType, TableConfig, TableOptions, TableRequest}
import io.hudilite.error.InvalidInput

import java.util.Locale

/** One partition column; `timed` when its directory name is a formatted time. */
final case class PartitionField(name: String, timed: Boolean)

/** Makes the partition paths of a table from the values of its partition columns. */
final case class PartitionPaths(
    fields: IndexedSeq[PartitionField],
    times: Option[TimestampPartitions],
    hiveStyle: Boolean,
    urlEncode: Boolean) {

  private val names: IndexedSeq[String] = fields.map(_.name)

  /** The path of one row, empty without partition columns. A value is the string that Hudi makes of it; for a timed
    * column it is a value that `TimestampPartitions.format` takes.
    */
  def path(values: Array[Any]): String =
    if (fields.isEmpty) ""
    else KeyEncoding.partitionPath(names, fields.indices.map(i => text(fields(i), values(i))).toArray, hiveStyle,
      urlEncode)

  private def text(field: PartitionField, value: Any): String =
    if (field.timed) times.get.format(value)
    else if (value == null) null
    else value.toString
}

object PartitionPaths {

  /** Paths of an existing table, or of one about to be created.
    *
    * Hudi does not keep the date settings of a custom key generator in the table nor, below version 8, the types of its
    * fields. These come from the write's options; an option that is missing there too is an error.
    */
  def of(config: TableConfig, options: Map[String, String] = Map.empty): PartitionPaths = {
    val fields = items(config, options).map(field(config.keyGenerator, _)).toIndexedSeq
    val times =
      if (fields.exists(_.timed)) Some(TimestampPartitions.of(TableRequest.timeBased(options) ++ config.timeBased))
      else None
    PartitionPaths(fields, times, config.hiveStyle, config.urlEncode)
  }

  private def items(config: TableConfig, options: Map[String, String]): Seq[String] = {
    val stored = config.partitionItems
    val asked = TableOptions.PartitionPathFields.get(options).getOrElse(Nil)
    if (config.keyGenerator == KeyGeneratorType.Custom && !stored.exists(_.contains(':')) && asked.nonEmpty) asked
    else stored
  }

  private def field(generator: KeyGeneratorType, item: String): PartitionField = generator match {
    case KeyGeneratorType.Timestamp => PartitionField(item, timed = true)
    case KeyGeneratorType.Custom => customField(item)
    case _ => PartitionField(item, timed = false)
  }

  // `field:SIMPLE` or `field:TIMESTAMP`, in any case of letters
  private def customField(item: String): PartitionField = item.split(':').map(_.trim) match {
    case Array(name, kind) if kind.toUpperCase(Locale.ROOT) == "SIMPLE" => PartitionField(name, timed = false)
    case Array(name, kind) if kind.toUpperCase(Locale.ROOT) == "TIMESTAMP" => PartitionField(name, timed = true)
    case _ => throw InvalidInput("INVALID_OPTION_VALUE", "option" -> TableOptions.PartitionPathFields.name,
        "value" -> item,
        "reason" -> "the custom key generator needs each field as field:SIMPLE or field:TIMESTAMP")
  }
}
