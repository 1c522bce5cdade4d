package io.hudilite.config

import io.hudilite.error.InvalidInput

/** Facts of a table that are decided when it is created.
  *
  * @param recordKeyFields
  *   none for a table with generated keys
  * @param partitionItems
  *   partition fields, with `:SIMPLE` or `:TIMESTAMP` behind each for a custom key generator
  * @param createSchema
  *   Avro schema (JSON) without meta columns; needed only for a table created without data
  * @param timeBased
  *   the `hoodie.keygen.timebased.*` settings of a time-based key generator
  * @param timelineZone
  *   `LOCAL`, which is Hudi's default, or `UTC`. One process of Hudi takes the instants of all its tables from one
  *   clock. West of Greenwich it would wait, after a write to a table in UTC, until local time has reached that
  *   instant.
  * @param metaFields
  *   the meta columns of rows have values
  */
final case class TableDefinition(
    name: String,
    recordKeyFields: Seq[String],
    partitionItems: Seq[String] = Nil,
    orderingFields: Seq[String] = Nil,
    database: String = "",
    tableType: TableType = TableType.CopyOnWrite,
    version: Int = 9,
    keyGenerator: Option[KeyGeneratorType] = None,
    hiveStyle: Boolean = false,
    urlEncode: Boolean = false,
    dropPartitionColumns: Boolean = false,
    mergeMode: Option[MergeMode] = None,
    payload: Option[Payload] = None,
    deleteMarker: Option[DeleteMarker] = None,
    createSchema: Option[String] = None,
    timeBased: Map[String, String] = Map.empty,
    timelineZone: String = "LOCAL",
    metaFields: Boolean = true) {

  def keyGeneratorType: KeyGeneratorType =
    keyGenerator.getOrElse(KeyGeneratorType.infer(recordKeyFields.size, partitionItems))

  def effectiveMergeMode: MergeMode =
    mergeMode.orElse(payload.map(_.mode)).getOrElse(
      if (orderingFields.nonEmpty) MergeMode.EventTime else MergeMode.CommitTime)

  /** The table's `hoodie.properties`. Raises `InvalidInput` for facts that contradict each other. */
  private[config] def properties: Map[String, String] = {
    check()
    common ++ ofVersion ++ timeBased.filter(_._1.startsWith(TableKeys.TimeBasedPrefix)) ++
      createSchema.map(TableKeys.CreateSchema -> _)
  }

  // Settings with one spelling in every version.
  private def common: Map[String, String] = Map(
    TableKeys.Name -> name,
    TableKeys.Type -> tableType.name,
    TableKeys.Version -> version.toString,
    TableKeys.Layout -> (if (version >= 8) "2" else "1"),
    TableKeys.Checksum -> PropertiesFile.checksum(database, name),
    TableKeys.KeyGeneratorType -> keyGeneratorType.name,
    TableKeys.BaseFileFormat -> "PARQUET",
    TableKeys.PopulateMetaFields -> metaFields.toString,
    TableKeys.HiveStyle -> hiveStyle.toString,
    TableKeys.UrlEncode -> urlEncode.toString,
    TableKeys.DropPartitionColumns -> dropPartitionColumns.toString,
    TableKeys.MarkerInBaseFormat -> "false",
    TableKeys.CdcEnabled -> "false",
    TableKeys.TimelineZone -> timelineZone) ++
    Option(database).filter(_.nonEmpty).map(TableKeys.Database -> _) ++ recordKey ++ partitions ++
    ordering ++ deletes

  // Hudi generates keys where there is no such property.
  private def recordKey: Option[(String, String)] =
    if (recordKeyFields.isEmpty) None else Some(TableKeys.RecordKeyFields -> recordKeyFields.mkString(","))

  // Spellings of the ordering field. Releases 0.x and 1.0.x know only the old one, 1.1 prefers the new one.
  private def ordering: Map[String, String] =
    if (orderingFields.isEmpty) Map.empty
    else {
      val fields = orderingFields.mkString(",")
      val old: Map[String, String] = if (version < 9) Map(TableKeys.PrecombineField -> fields) else Map.empty
      old + (TableKeys.OrderingFields -> fields)
    }

  private def deletes: Map[String, String] =
    deleteMarker.orElse(payload.filter(_ => isByProperties).flatMap(_.deletes)).fold(Map.empty[String, String])(
      marker =>
        Map(TableKeys.DeleteField -> marker.field, TableKeys.DeleteMarker -> marker.value))

  private def isByProperties: Boolean = version >= Payload.FirstVersionByProperties

  private def ofVersion: Map[String, String] = {
    val mode = effectiveMergeMode
    val paths = Map(TableKeys.TimelinePath -> "timeline", TableKeys.HistoryPath -> "history",
      TableKeys.InitialVersion -> version.toString,
      TableKeys.MergeMode -> payload.filterNot(_ => isByProperties).fold(mode.name)(_ => TableKeys.CustomMode))
    val className = payload.fold(mode.payloadClass)(_.className)
    val strategy = payload.fold(mode.strategyId)(_ => Payload.StrategyId)
    version match {
      case 6 => Map(TableKeys.ArchiveFolder -> "archived", TableKeys.PayloadClass -> className,
          payload.fold(TableKeys.OldStrategyId)(_ => TableKeys.StrategyId) -> strategy,
          TableKeys.KeyGeneratorClass -> keyGeneratorType.className)
      case 8 => paths ++ Map(TableKeys.PayloadClass -> className, TableKeys.StrategyId -> strategy)
      case _ => paths ++ payload.toSeq.flatMap(ofPayload)
    }
  }

  private def ofPayload(payload: Payload): Map[String, String] =
    Map(TableKeys.LegacyPayloadClass -> payload.className) ++
      payload.partial.map(TableKeys.PartialUpdateMode -> _.name) ++
      payload.partial.collect { case PartialUpdates.FillUnavailable(marker) => TableKeys.UnavailableValue -> marker }

  // Before version 8 Hudi has no types here, so they go to a property of hudilite's.
  private def partitions: Map[String, String] = {
    val items = partitionItems.mkString(",")
    if (version >= 8 || !items.contains(':')) Map(TableKeys.PartitionFields -> items)
    else Map(TableKeys.PartitionFields -> partitionItems.map(_.takeWhile(_ != ':')).mkString(","),
      TableKeys.TypedPartitionFields -> items)
  }

  private def check(): Unit = {
    if (name.isEmpty) refuse(TableKeys.Name, "", "a table needs a name")
    if (!TableConfig.Versions.contains(version))
      refuse(TableOptions.TableVersion.name, version.toString, "it must be 6, 8 or 9")
    payload.foreach(checkPayload) // may go by several ordering fields that nobody has named
    if (orderingFields.size > 1 && version < 9)
      refuse(TableOptions.OrderingFields.name, orderingFields.mkString(","), "several ordering fields need version 9")
    if (mergeMode.contains(MergeMode.EventTime) && orderingFields.isEmpty)
      refuse(TableOptions.RecordMergeMode.name, MergeMode.EventTime.name, "it needs an ordering field")
    deleteMarker.filter(_ => version < DeleteMarker.FirstVersion).foreach(marker =>
      refuse(TableOptions.DeleteField.name, marker.field, s"it needs table version ${DeleteMarker.FirstVersion}"))
    if (!metaFields && recordKeyFields.isEmpty) refuse(TableOptions.PopulateMetaFields.name, "false",
      "generated record keys lie in meta columns alone; name record key fields")
    checkKeyGenerator()
    checkTimeBased()
  }

  private def checkPayload(payload: Payload): Unit = {
    def wrong(reason: String): Nothing = refuse(TableOptions.PayloadClass.name, payload.className, reason)
    if (payload.isNew && !isByProperties) wrong(s"it needs table version ${Payload.FirstVersionByProperties}")
    if (payload.ordering.nonEmpty && payload.ordering != orderingFields)
      wrong(s"its ordering fields are ${payload.ordering.mkString(",")}")
    if (payload.deletes.isDefined && deleteMarker.exists(marker => !payload.deletes.contains(marker)))
      wrong("it has a delete marker of its own")
  }

  private def checkTimeBased(): Unit = {
    val timed = keyGeneratorType == KeyGeneratorType.Timestamp ||
      partitionItems.exists(_.toUpperCase(java.util.Locale.ROOT).endsWith(":TIMESTAMP"))
    Seq(TableOptions.TimestampType, TableOptions.OutputDateFormat).filter(key => timed && !key.isSet(timeBased))
      .foreach(key =>
        throw InvalidInput("MISSING_OPTION", "option" -> key.name,
          "reason" -> "a time-based partition path needs this option"))
  }

  private def checkKeyGenerator(): Unit = {
    def wrong(reason: String): Nothing = refuse(TableOptions.KeyGeneratorName.name, keyGeneratorType.name, reason)
    keyGeneratorType match {
      case KeyGeneratorType.Simple | KeyGeneratorType.Timestamp =>
        if (recordKeyFields.size > 1) wrong("it takes one record key field")
        if (partitionItems.size != 1) wrong("it takes one partition field")
      case KeyGeneratorType.NonPartitioned =>
        if (partitionItems.nonEmpty) wrong("it takes no partition field")
      case KeyGeneratorType.Complex if recordKeyFields.size == 1 && version < 9 =>
        // Releases disagree on the spelling of such a key (docs/format.md, record keys).
        refuse(TableOptions.TableVersion.name, version.toString,
          s"below version 9 Hudi's releases spell the keys of the complex key generator with the one key field " +
            s"${recordKeyFields.head} in two ways; create a table of version 9, or choose another key generator")
      case KeyGeneratorType.Custom =>
        if (partitionItems.exists(!_.contains(':'))) wrong("each partition field needs a type, as in day:TIMESTAMP")
      case _ =>
    }
  }

  private def refuse(option: String, value: String, reason: String): Nothing =
    throw InvalidInput.option(option, value, reason)
}
