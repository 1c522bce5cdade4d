package io.hudilite.table

import io.hudilite.config.{BootstrapIndexName, KeyGeneratorType, MergeMode, TableConfig, TableKeys, TableType}
import io.hudilite.error.UnsupportedTable
import io.hudilite.schema.{ColumnType, EvolvedColumns, NextVersion}
import io.hudilite.timeline.TableSchema

import java.util.Locale

/** One feature of tables that hudilite cannot do right, with the reason. */
private final case class MissingFeature(feature: String, reason: String)

/** Purpose of opening a table. */
sealed trait TableAccess

object TableAccess {

  /** A query of the newest rows, or of those as of an instant, by requested time and inclusive. */
  final case class Read(asOf: Option[String] = None) extends TableAccess

  /** A write of rows. */
  case object Write extends TableAccess

  /** A service that writes rows of the table again, at the instant of its plan. */
  final case class Service(instant: String) extends TableAccess
}

/** Facts besides the properties of a table that a query or a write rests on. Asked once, when it is planned, and never
  * by a task.
  *
  * @param schema
  *   columns that are read or written
  * @param columns
  *   names of these columns in files, where Hudi's schema-on-read has changed some
  */
final case class TableSupport(schema: Option[TableSchema], columns: Option[EvolvedColumns]) {

  /** Raises `InvalidInput` when a write with these columns could not record them.
    *
    * @param avroJson
    *   the columns of the table after the write, without meta columns
    */
  def checkGrowth(avroJson: String): Unit = schema.flatMap(_.byId).foreach(NextVersion.of(_, avroJson, "0"))
}

/** Decides whether hudilite reads and writes a table right. */
object TableSupport {

  /** Raises an error by name when the table cannot serve the access right. Storage is asked only where there is a
    * doubt: columns that never changed, read as they are now, cost nothing.
    */
  def of(table: Table, access: TableAccess): TableSupport = access match {
    case TableAccess.Read(asOf) =>
      asOf.foreach(table.checkRetained)
      withColumns(table, asOf.fold(table.schema)(table.schemaAsOf))
    case TableAccess.Write =>
      checkWritable(table)
      SkeletonPartitions.check(table, table.schema, isSpelled = true)
      val support = withColumns(table, table.schema)
      refuse(table.basePath, support.columns.toSeq.flatMap(respelledKeys(table.config, _)), UnsupportedTable.NewTable)
      support
    case TableAccess.Service(instant) =>
      checkWritable(table)
      refuse(table.basePath, keylessLogs(table).toSeq, UnsupportedTable.WrittenByHudi)
      val schema = table.schemaForService(instant)
      SkeletonPartitions.check(table, schema, isSpelled = false)
      withColumns(table, schema)
  }

  private def withColumns(table: Table, schema: Option[TableSchema]): TableSupport = {
    val columns = table.evolved(schema)
    refuse(table.basePath,
      when(columns.isDefined && table.config.droppedColumns.nonEmpty)(
        "dropped partition columns beside columns that schema-on-read changed",
        "these columns have no ids").toSeq, UnsupportedTable.ByHudi)
    refuse(table.basePath, columns.toSeq.flatMap(exchangedFields(table.config, _)),
      "Read a state from before by VERSION AS OF, and write its rows to a new table")
    TableSupport(schema, columns)
  }

  /** Columns that the properties name though another column has got the name, or none. Properties do not follow such
    * changes. Hudi refuses them.
    */
  private def exchangedFields(config: TableConfig, columns: EvolvedColumns): Seq[MissingFeature] = {
    val named = config.recordKeyFields ++ config.partitionFields ++ config.orderingFields ++
      config.deleteMarker.map(_.field)
    named.map(_.takeWhile(_ != '.')).filterNot(columns.isOne).map(name =>
      MissingFeature(s"the column $name, which was dropped or renamed", "its properties still name it"))
  }

  /** A key keeps the spelling that it was written with, so a new one must be spelled alike. */
  private def respelledKeys(config: TableConfig, columns: EvolvedColumns): Seq[MissingFeature] = for {
    field <- config.recordKeyFields.map(_.takeWhile(_ != '.'))
    types = columns.typesOf(field).collect { case ColumnType.Atom(name) => name } if types.size > 1
    if !types.forall(SpelledAlike.contains) && types != Seq("date", "string")
  } yield MissingFeature(s"the key column $field, whose type was changed from ${types.head} to ${types.last}",
    "keys of old rows are spelled differently from those of new ones")

  private val SpelledAlike = Set("int", "long", "string")

  /** Raises `UnsupportedTable` with the name of the first feature that makes reads of this table wrong. */
  def checkReadable(config: TableConfig, path: String): Unit = {
    checkVersion(config, path)
    refuse(path, readRefusals(config), UnsupportedTable.ByHudi)
  }

  def checkWritable(table: Table): Unit = {
    checkWritable(table.config, table.basePath)
    refuse(table.basePath, keylessBuckets(table).toSeq, UnsupportedTable.WrittenByHudi)
  }

  /** Raises `UnsupportedTable` where rows do not tell which instant wrote them. Hudi refuses it, too. */
  def checkIncremental(table: Table): Unit = refuse(table.basePath,
    when(!table.config.populateMetaFields)("an incremental read of rows without meta columns",
      "their commit times are not stored").toSeq, "Read states of the table by VERSION AS OF")

  private def keylessBuckets(table: Table): Option[MissingFeature] =
    if (table.config.populateMetaFields) None
    else when(Buckets(table).haveRows)("a bucket index without meta columns", "the keys of its files are not stored")

  /** A log file that a service could not merge. Writes of new rows go past file groups with log files, and no other ones
    * are written where rows do not store their keys.
    */
  private def keylessLogs(table: Table): Option[MissingFeature] =
    if (table.config.populateMetaFields || table.config.tableType == TableType.CopyOnWrite) None
    else table.files.iterator().flatMap(_._2).flatMap(_.logs).take(1).toList.headOption.map(log =>
      MissingFeature(s"the log file ${log.name} without meta columns", "records without keys cannot be merged"))

  /** Raises `UnsupportedTable` with the name of the first feature that makes writes to this table wrong. */
  def checkWritable(config: TableConfig, path: String): Unit = {
    checkReadable(config, path)
    // Hudi refuses it, too.
    refuse(path, contradiction(config).toSeq, UnsupportedTable.NewTable)
    refuse(path, writeRefusals(config), UnsupportedTable.WrittenByHudi)
  }

  private def checkVersion(config: TableConfig, path: String): Unit = {
    val version = config.version
    if (!TableConfig.Versions.contains(version)) throw UnsupportedTable("UNSUPPORTED_TABLE_VERSION", "path" -> path,
      "version" -> (if (version == 0) "0 (none is set)" else version.toString))
  }

  private def refuse(path: String, found: Seq[MissingFeature], way: String): Unit = found.headOption.foreach { r =>
    throw UnsupportedTable("UNSUPPORTED_TABLE_FEATURE", "path" -> path, "feature" -> r.feature, "reason" -> r.reason,
      "way" -> way)
  }

  private def readRefusals(config: TableConfig): Seq[MissingFeature] = {
    val format = config.text(TableKeys.BaseFileFormat).getOrElse("PARQUET")
    val tableFormat = config.text(TableKeys.TableFormat).getOrElse("native")
    val layout = if (config.version >= 8) 2 else 1
    Seq(
      when(config.layout != layout)(s"timeline layout ${config.layout}",
        s"a table of version ${config.version} has layout $layout"),
      bootstrapIndex(config).filter(_ => config.isBootstrapped).map(index =>
        MissingFeature(s"the bootstrap index $index", "only Hudi's own in HFiles tells where the rows are")),
      when(!format.equalsIgnoreCase("PARQUET"))(s"$format base files", "only Parquet base files are read and written"),
      when(config.flag(TableKeys.MultipleBaseFileFormats, default = false))("several base file formats",
        "only Parquet base files are read and written"),
      when(!tableFormat.equalsIgnoreCase("native"))(s"the table format '$tableFormat'", "only Hudi's format is read"),
      when(config.droppedColumns.nonEmpty && slashed(config))("dropped partition columns of slash-separated dates",
        "the path of a partition is not the value of its column")).flatten
  }

  private def slashed(config: TableConfig): Boolean = config.flag(TableKeys.SlashSeparatedDates, default = false)

  /** The index of a bootstrapped table, if it is none that is read. */
  private def bootstrapIndex(config: TableConfig): Option[String] =
    if (!config.flag(TableKeys.BootstrapIndexEnabled, default = true)) Some("that is switched off")
    else config.text(TableKeys.BootstrapIndexType).filterNot(_.equalsIgnoreCase(BootstrapIndexName.Type))
      .orElse(config.text(TableKeys.BootstrapIndexClass).filterNot(BootstrapIndexName.isClass))

  private def writeRefusals(config: TableConfig): Seq[MissingFeature] = droppedRefusals(config).toSeq ++ Seq(
    when(!config.populateMetaFields && config.generatesKeys)("generated record keys without meta columns",
      "they are stored nowhere"),
    when(!config.populateMetaFields && config.dropsPartitionColumns)("dropped partition columns without meta columns",
      "files would not hold what keys are made of"),
    when(config.knownKeyGenerator.isEmpty)(s"the key generator ${config.keyGeneratorName.getOrElse("")}",
      "its record keys and partition paths cannot be made"),
    when(config.knownMergeMode.isEmpty)(config.customMergeName, "its rule for records with the same key is not known"),
    config.orderingFields.find(_.contains('.')).map(field =>
      MissingFeature(s"the nested ordering field $field", "rows are compared by top-level columns only")),
    contradiction(config),
    config.unknownPartialMode.map(mode =>
      MissingFeature(s"partial updates in the mode $mode", "what the columns of an update say is not known")),
    config.unknownMergeProperty.map(key =>
      MissingFeature(s"the merge property $key", "it may change the result of a merge")),
    when(config.cdcEnabled)("change data capture", "writes would have to store the change records"),
    when(slashed(config))("slash-separated date partitions",
      "partition paths would be spelled differently")).flatten

  private def droppedRefusals(config: TableConfig): Option[MissingFeature] = if (!config.dropsPartitionColumns) None
  else {
    val timed = config.knownKeyGenerator.contains(KeyGeneratorType.Timestamp) ||
      config.partitionItems.exists(_.toUpperCase(Locale.ROOT).endsWith(":TIMESTAMP"))
    config.droppedComparison.map(field =>
      MissingFeature(s"the dropped partition column $field as an ordering or delete field",
        "files do not hold what records are compared by"))
      .orElse(config.partitionFields.find(_.contains('.')).map(field =>
          MissingFeature(s"dropped partition columns with the nested field $field",
            "Apache Hudi cannot read such a table")))
      .orElse(when(timed)("dropped partition columns of a time-based key generator",
          "the path of a partition is not the value of its column"))
  }

  // Hudi's writers refuse a table whose merge mode and payload class disagree. So does hudilite, rather than choose
  // one.
  private def contradiction(config: TableConfig): Option[MissingFeature] = for {
    mode <- config.text(TableKeys.MergeMode).flatMap(MergeMode.of)
    payload <- config.text(TableKeys.PayloadClass)
    if !MergeMode.ofPayload(payload).contains(mode)
  } yield MissingFeature(s"the merge mode ${mode.name} with the payload class $payload", "they contradict each other")

  private def when(found: Boolean)(feature: => String, reason: => String): Option[MissingFeature] =
    if (found) Some(MissingFeature(feature, reason)) else None
}
