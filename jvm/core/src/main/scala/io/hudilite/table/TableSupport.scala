package io.hudilite.table

import io.hudilite.config.{MergeMode, TableConfig, TableKeys}
import io.hudilite.error.UnsupportedTable

/** One feature of tables that hudilite cannot do right, and why. */
private final case class Refusal(feature: String, reason: String)

/** Decides from a table's properties whether hudilite reads and writes it right. */
object TableSupport {

  /** Raises `UnsupportedTable` by the name of the first feature that makes reads of this table wrong. */
  def checkReadable(config: TableConfig, path: String): Unit = {
    checkVersion(config, path)
    refuse(path, readRefusals(config))
  }

  /** Raises `UnsupportedTable` by the name of the first feature that makes writes to this table wrong. */
  def checkWritable(config: TableConfig, path: String): Unit = {
    checkReadable(config, path)
    refuse(path, writeRefusals(config))
  }

  private def checkVersion(config: TableConfig, path: String): Unit = {
    val version = config.version
    if (!TableConfig.Versions.contains(version)) throw UnsupportedTable("UNSUPPORTED_TABLE_VERSION", "path" -> path,
      "version" -> (if (version == 0) "0 (none is set)" else version.toString))
  }

  private def refuse(path: String, found: Seq[Refusal]): Unit = found.headOption.foreach { r =>
    throw UnsupportedTable("UNSUPPORTED_TABLE_FEATURE", "path" -> path, "feature" -> r.feature, "reason" -> r.reason)
  }

  private def readRefusals(config: TableConfig): Seq[Refusal] = {
    val format = config.text(TableKeys.BaseFileFormat).getOrElse("PARQUET")
    val tableFormat = config.text(TableKeys.TableFormat).getOrElse("native")
    val layout = if (config.version >= 8) 2 else 1
    Seq(
      when(config.layout != layout)(s"timeline layout ${config.layout}",
        s"a table of version ${config.version} has layout $layout"),
      when(config.text(TableKeys.BootstrapBasePath).nonEmpty)("bootstrapped files",
        "rows are spread over files inside and outside the table"),
      when(!format.equalsIgnoreCase("PARQUET"))(s"$format base files", "only Parquet base files are read and written"),
      when(config.flag(TableKeys.MultipleBaseFileFormats, default = false))("several base file formats",
        "only Parquet base files are read and written"),
      when(!tableFormat.equalsIgnoreCase("native"))(s"the table format '$tableFormat'", "only Hudi's own is read"),
      when(config.flag(TableKeys.DropPartitionColumns, default = false))("dropped partition columns",
        "the values of these columns are not in the files")).flatten
  }

  private def writeRefusals(config: TableConfig): Seq[Refusal] = Seq(
    when(!config.populateMetaFields)("rows without meta columns", "the record keys of its rows are not stored"),
    when(config.recordKeyFields.isEmpty)("generated record keys", "its rows have no key to be found by"),
    when(config.knownKeyGenerator.isEmpty)(s"the key generator ${config.keyGeneratorName.getOrElse("")}",
      "its record keys and partition paths cannot be made"),
    when(config.knownMergeMode.isEmpty)(config.customMergeName, "its rule for records with the same key is not known"),
    contradiction(config),
    when(config.version >= 9 && config.text(TableKeys.PartialUpdateMode).nonEmpty)("partial updates",
      "columns of an update that hold a default or a marker would have to keep their old value"),
    config.unknownMergeProperty.map(key =>
      Refusal(s"the merge property $key", "it may change what a merge of records comes to")),
    when(config.cdcEnabled)("change data capture", "writes would have to store the change records"),
    when(config.flag(TableKeys.SlashSeparatedDates, default = false))("slash-separated date partitions",
      "partition paths would be spelled differently")).flatten

  // Hudi's writers refuse a table whose merge mode and payload class disagree; so do we, rather than choose one.
  private def contradiction(config: TableConfig): Option[Refusal] = for {
    mode <- config.text(TableKeys.MergeMode).flatMap(MergeMode.of)
    payload <- config.text(TableKeys.PayloadClass)
    if !MergeMode.ofPayload(payload).contains(mode)
  } yield Refusal(s"the merge mode ${mode.name} with the payload class $payload", "they contradict each other")

  private def when(found: Boolean)(feature: => String, reason: => String): Option[Refusal] =
    if (found) Some(Refusal(feature, reason)) else None
}
