package io.hudilite.config

import io.hudilite.error.{CorruptTable, UnsupportedTable}
import io.hudilite.storage.TablePath

import java.time.{Clock, ZoneId, ZoneOffset}
import java.util.Locale

/** Facts of one table: the content of its `hoodie.properties`, with typed access.
  *
  * Unknown properties are kept, and written back unchanged by an update.
  */
final case class TableConfig(properties: Map[String, String]) {

  def name: String = text(TableKeys.Name).getOrElse("")
  def database: String = text(TableKeys.Database).getOrElse("")

  def tableType: TableType =
    text(TableKeys.Type).map(t => TableType.of(t).getOrElse(throw invalid(TableKeys.Type, t)))
      .getOrElse(TableType.CopyOnWrite)

  /** Table version; 0 when none is set, which no supported table has. */
  def version: Int = int(TableKeys.Version).getOrElse(0)

  /** Layout of the timeline: 1 up to version 6, 2 from version 8 on. */
  def layout: Int = int(TableKeys.Layout).getOrElse(if (version >= 8) 2 else 1)

  /** Names of the key columns, dotted when nested; empty for a table with generated keys. */
  def recordKeyFields: Seq[String] = list(TableKeys.RecordKeyFields)

  /** No columns make the record keys: writers generate one for each new row, which it keeps. */
  def generatesKeys: Boolean = recordKeyFields.isEmpty

  /** Partition items as configured, with the `:TYPE` suffix of a custom key generator.
    *
    * Below version 8 Hudi keeps no types in the table. Tables made by hudilite have them in a property of their own.
    */
  def partitionItems: Seq[String] = {
    val stored = list(TableKeys.PartitionFields)
    val typed = list(TableKeys.TypedPartitionFields)
    if (typed.map(_.takeWhile(_ != ':')) == stored) typed else stored
  }

  /** The `hoodie.keygen.timebased.*` settings of the table, with old spellings under the present one. */
  def timeBased: Map[String, String] = properties.collect {
    case (key, value) if key.startsWith(TableKeys.OldTimeBasedPrefix) =>
      TableKeys.TimeBasedPrefix + key.stripPrefix(TableKeys.OldTimeBasedPrefix) -> value
  } ++ properties.filter(_._1.startsWith(TableKeys.TimeBasedPrefix))

  /** Names of the partition columns. */
  def partitionFields: Seq[String] = partitionItems.map(_.takeWhile(_ != ':'))

  /** Partition columns that files do not hold: their values are those that the path of the partition says. */
  def droppedColumns: Seq[String] =
    if (dropsPartitionColumns) partitionFields.filterNot(_.contains('.')) else Nil

  /** An ordering or delete field among them: no file holds what records are compared by. */
  def droppedComparison: Option[String] = (orderingFields ++ deleteMarker.map(_.field)).find(droppedColumns.contains(_))

  def dropsPartitionColumns: Boolean = flag(TableKeys.DropPartitionColumns, default = false)

  def orderingFields: Seq[String] =
    Seq(TableKeys.OrderingFields, TableKeys.PrecombineField).map(list).find(_.nonEmpty).getOrElse(Nil)

  /** The key generator. Raises `UnsupportedTable` for one that hudilite does not have. */
  def keyGenerator: KeyGeneratorType = knownKeyGenerator.getOrElse(
    throw UnsupportedTable("UNSUPPORTED_TABLE_FEATURE", "path" -> name,
      "feature" -> s"the key generator ${keyGeneratorName.getOrElse("")}",
      "reason" -> "record keys cannot be made without this key generator", "way" -> UnsupportedTable.ByHudi))

  /** The configured key generator, as written in the table. */
  def keyGeneratorName: Option[String] = text(TableKeys.KeyGeneratorClass).orElse(text(TableKeys.KeyGeneratorType))

  /** The key generator; `None` for one that hudilite does not have. Such a table can be read. */
  def knownKeyGenerator: Option[KeyGeneratorType] = {
    val className = text(TableKeys.KeyGeneratorClass).filterNot(_.endsWith(".SqlKeyGenerator"))
    val typeName = text(TableKeys.KeyGeneratorType).filterNot(_.toUpperCase(Locale.ROOT).startsWith("SPARK_SQL"))
    (className, typeName) match {
      case (Some(c), _) => KeyGeneratorType.ofClass(c)
      case (_, Some(t)) => KeyGeneratorType.ofName(t)
      case _ => Some(KeyGeneratorType.infer(recordKeyFields.size, partitionItems))
    }
  }

  def hiveStyle: Boolean = flag(TableKeys.HiveStyle, default = false)

  /** A partition that a user has named, or the beginning of such a name, in the spelling of the table's paths, as in
    * `town=oslo` for `oslo`.
    *
    * @param exists
    *   true for a name that is a path of the table already
    */
  def spelt(partition: String)(exists: String => Boolean): String =
    PartitionSpelling.inPaths(partition, partitionFields, hiveStyle).filterNot(_ => exists(partition))
      .getOrElse(partition)
  def urlEncode: Boolean = flag(TableKeys.UrlEncode, default = false)

  /** Rows were taken over from files that were there before the table. Some may still lie in these. */
  def isBootstrapped: Boolean = text(TableKeys.BootstrapBasePath).nonEmpty
  def cdcEnabled: Boolean = flag(TableKeys.CdcEnabled, default = false)
  def populateMetaFields: Boolean = flag(TableKeys.PopulateMetaFields, default = true)

  /** True when partition markers are written as `.hoodie_partition_metadata.parquet`. */
  def markerInBaseFormat: Boolean = flag(TableKeys.MarkerInBaseFormat, default = false)

  /** Zone in which a machine with this clock generates instants of the table. */
  def zone(clock: Clock): ZoneId = if (zoneName == "UTC") ZoneOffset.UTC else clock.getZone

  /** Zone in which this machine generates instants of the table. */
  def zone: ZoneId = zone(Clock.systemDefaultZone())

  /** `UTC`, or `LOCAL` for the zone of the process that generates an instant. */
  def zoneName: String = if (text(TableKeys.TimelineZone).exists(_.equalsIgnoreCase("UTC"))) "UTC" else "LOCAL"

  /** The merge mode. Raises `UnsupportedTable` for a merge rule that hudilite does not have. */
  def mergeMode: MergeMode = knownMergeMode.getOrElse(
    throw UnsupportedTable("UNSUPPORTED_TABLE_FEATURE", "path" -> name, "feature" -> customMergeName,
      "reason" -> "this rule for records with equal keys is unknown", "way" -> UnsupportedTable.ByHudi))

  // The mode itself comes first, then the payload class, the strategy, and the ordering field (docs/format.md,
  // merging). The payload outranks the strategy because 0.x writes one strategy id for every payload.
  private[hudilite] def knownMergeMode: Option[MergeMode] = if (ownPayload.isDefined) ownPayload.map(_.mode)
  else text(TableKeys.MergeMode).map(MergeMode.of)
    .orElse(text(TableKeys.PayloadClass).map(MergeMode.ofPayload))
    .orElse(strategyId.map(MergeMode.ofStrategy))
    .getOrElse(Some(if (orderingFields.nonEmpty) MergeMode.EventTime else MergeMode.CommitTime))

  /** The payload class that is the table's merge rule, as before version 9. */
  private def ownPayload: Option[Payload] =
    if (version >= Payload.FirstVersionByProperties) None
    else text(TableKeys.PayloadClass).flatMap(Payload.of).filter(payload =>
      !payload.isNew &&
        text(TableKeys.MergeMode).forall(_.equalsIgnoreCase(TableKeys.CustomMode)))

  /** The payload class by whose rule the table merges records. */
  def payload: Option[Payload] = if (version < Payload.FirstVersionByProperties) ownPayload
  else {
    val fitting = Payload.all.filter(payload =>
      knownMergeMode.contains(payload.mode) &&
        partialUpdates == payload.partial && deleteMarker == payload.deletes)
    fitting.find(payload => text(TableKeys.LegacyPayloadClass).contains(payload.className))
      .orElse(fitting.find(_.partial.isDefined))
  }

  /** Columns of a record that leave the decision to the one that it meets. */
  def partialUpdates: Option[PartialUpdates] = partialMode.flatMap(_.fold(_ => None, Some(_)))

  /** A mode of partial updates that hudilite does not have. */
  private[hudilite] def unknownPartialMode: Option[String] = partialMode.flatMap(_.fold(Some(_), _ => None))

  private def partialMode: Option[Either[String, PartialUpdates]] =
    if (version < Payload.FirstVersionByProperties) ownPayload.flatMap(_.partial).map(Right(_))
    else text(TableKeys.PartialUpdateMode).map { name =>
      val marker = properties.get(TableKeys.UnavailableValue).filter(_.nonEmpty)
      if (name.equalsIgnoreCase(PartialUpdates.IgnoreDefaults.name)) Right(PartialUpdates.IgnoreDefaults)
      else marker.filter(_ => name.equalsIgnoreCase(PartialUpdates.FillUnavailable.Name))
        .map(PartialUpdates.FillUnavailable(_)).toRight(name)
    }

  /** Marker by which rows delete their keys, in a column of the table's own. */
  def deleteMarker: Option[DeleteMarker] =
    // As the payload class compares it.
    if (version < DeleteMarker.FirstVersion) ownPayload.flatMap(_.deletes).map(_.copy(anyCase = true))
    else for (field <- text(TableKeys.DeleteField); value <- text(TableKeys.DeleteMarker))
      yield DeleteMarker(field, value)

  /** The first property of the table's merge rule that hudilite does not follow. It follows field and value of a delete
    * marker only where both are set.
    */
  def unknownMergeProperty: Option[String] = {
    val known = (if (deleteMarker.isEmpty) Set.empty[String] else Set(TableKeys.DeleteField, TableKeys.DeleteMarker)) ++
      partialUpdates.collect { case _: PartialUpdates.FillUnavailable => TableKeys.UnavailableValue }
    properties.keys.filter(key => key.startsWith(TableKeys.MergePropertyPrefix) && !known(key)).toSeq.sorted.headOption
  }

  private def strategyId: Option[String] = text(TableKeys.StrategyId).orElse(text(TableKeys.OldStrategyId))

  private[hudilite] def customMergeName: String = {
    val detail =
      text(TableKeys.PayloadClass).map(c => s"the payload class $c").orElse(strategyId.map(s => s"the strategy $s"))
    text(TableKeys.MergeMode).map(m => s"the merge mode $m" + detail.map(d => s" with $d").getOrElse(""))
      .orElse(detail).getOrElse("a custom merge mode")
  }

  /** True of the properties of a metadata table, which is a table within the folder of table files of another. */
  def isMetadataTable: Boolean = text(TableKeys.PayloadClass).exists(_.endsWith(".HoodieMetadataPayload"))

  /** Partitions of the metadata table that readers trust. */
  def metadataPartitions: Seq[String] = list(TableKeys.MetadataPartitions)

  /** Partitions of the metadata table that are being built. */
  def metadataPartitionsInflight: Seq[String] = list(TableKeys.MetadataPartitionsInflight)

  /** Without what readers take from a metadata table. */
  private[hudilite] def withoutMetadata: TableConfig =
    TableConfig(properties - TableKeys.MetadataPartitions - TableKeys.MetadataPartitionsInflight)

  /** Avro schema (JSON) given when the table was created; the schema of a table without commits. */
  def createSchema: Option[String] = text(TableKeys.CreateSchema)

  /** Folder below `.hoodie` with the archived timeline of layout 1. */
  def archiveFolder: String = folder(TableKeys.ArchiveFolder, "archived")

  /** Folder below `.hoodie` with the active timeline of layout 2. */
  def timelinePath: String = folder(TableKeys.TimelinePath, "timeline")

  /** Folder below the timeline folder with the archived timeline of layout 2. */
  def historyPath: String = folder(TableKeys.HistoryPath, "history")

  private[hudilite] def text(key: String): Option[String] = properties.get(key).map(_.trim).filter(_.nonEmpty)

  private[hudilite] def flag(key: String, default: Boolean): Boolean =
    text(key).map(t => t.equalsIgnoreCase("true")).getOrElse(default)

  private def list(key: String): Seq[String] =
    text(key).toList.flatMap(_.split(',')).map(_.trim).filter(_.nonEmpty)

  private def int(key: String): Option[Int] = text(key).map { t =>
    try t.toInt
    catch { case _: NumberFormatException => throw invalid(key, t) }
  }

  // The name of a folder below another one: neither absolute, nor above that, nor that folder itself.
  private def folder(key: String, default: String): String = text(key).fold(default) { t =>
    if (TablePath.isNormal(t) && !t.contains(':')) t else throw invalid(key, t)
  }

  private def invalid(key: String, value: String): CorruptTable =
    CorruptTable("CORRUPT_TABLE_PROPERTIES", "path" -> s"of table '$name'", "reason" -> s"$key is '$value'")
}

object TableConfig {

  /** Table versions that hudilite reads and writes. */
  val Versions: Seq[Int] = Seq(6, 8, 9)

  /** The properties of a new table. */
  def create(table: TableDefinition): TableConfig = TableConfig(table.properties)
}
