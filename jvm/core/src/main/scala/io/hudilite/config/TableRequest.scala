package io.hudilite.config

import io.hudilite.config.key.ConfigKey
import io.hudilite.error.InvalidInput

import java.util.Locale

/** Options of a write about the table itself. */
object TableRequest {

  /** Definition of the table that a first write with these options creates. */
  def newTable(options: Map[String, String], defaultName: String): TableDefinition = TableDefinition(
    name = TableOptions.Name.get(options).getOrElse(defaultName),
    recordKeyFields = recordKeyFields(options),
    partitionItems = TableOptions.PartitionPathFields.get(options).getOrElse(Nil),
    orderingFields = orderingFields(options),
    database = TableOptions.Database.get(options).getOrElse(""),
    tableType = tableType(options).getOrElse(TableType.CopyOnWrite),
    version = TableOptions.TableVersion(options),
    keyGenerator = keyGenerator(options),
    hiveStyle = TableOptions.HiveStyle(options),
    urlEncode = TableOptions.UrlEncode(options),
    dropPartitionColumns = TableOptions.DropPartitionColumns(options),
    mergeMode = Options.mergeMode(options),
    payload = Options.payload(options),
    deleteMarker = deleteMarker(options),
    timeBased = timeBased(options),
    timelineZone = TableOptions.TimelineZone(options),
    metaFields = TableOptions.PopulateMetaFields(options))

  // As with Hudi, a payload that goes by columns of its own need not be told them.
  private def orderingFields(options: Map[String, String]): Seq[String] =
    TableOptions.OrderingFields.get(options).getOrElse(Options.payload(options).fold(Seq.empty[String])(_.ordering))

  // An empty text may be a mistake, and a table keeps what it was created with.
  private def recordKeyFields(options: Map[String, String]): Seq[String] =
    TableOptions.RecordKeyFields.raw(options).fold(Seq.empty[String]) { case (option, text) =>
      TableOptions.RecordKeyFields.get(options).filter(_.nonEmpty).getOrElse(throw InvalidInput.option(option, text,
          "it names no column; leave it out for a table whose rows get generated keys"))
    }

  /** The options with columns in the spelling of the table, for a session in which another spelling means an equal
    * name.
    *
    * @param spelling
    *   function from a name to the spelling of its column; the name itself where there is no such column
    */
  def spelt(options: Map[String, String], spelling: String => String): Map[String, String] =
    options.map { case (name, text) =>
      def items = text.split(',').map(_.trim).map { item =>
        val column = item.takeWhile(_ != ':')
        spelling(column) + item.drop(column.length)
      }
      name -> (if (ofColumns(lower(name))) items.mkString(",") else text)
    }

  private val ofColumns: Set[String] = Seq[ConfigKey[_]](TableOptions.RecordKeyFields,
    TableOptions.PartitionPathFields, TableOptions.OrderingFields, TableOptions.DeleteField,
    WriteOptions.BucketHashFields).flatMap(_.names).map(lower).toSet

  private def lower(text: String): String = text.toLowerCase(Locale.ROOT)

  /** Raises `OPTION_CONTRADICTS_TABLE` for the first option that states another fact than the table has. */
  def checkAgainst(config: TableConfig, options: Map[String, String]): Unit = {
    differ(TableOptions.Name, options, config.name)(identity)
    if (config.database.nonEmpty) differ(TableOptions.Database, options, config.database)(identity)
    differ(TableOptions.Type, options, config.tableType.name)(identity)
    requireVersion(config, options)
    differ(TableOptions.RecordKeyFields, options,
      if (config.generatesKeys) "generated record keys" else fieldText(config.recordKeyFields))(fieldText)
    differ(TableOptions.PartitionPathFields, options, partitionText(config, options))(fieldText)
    differ(TableOptions.OrderingFields, options, fieldText(config.orderingFields))(fieldText)
    differ(TableOptions.HiveStyle, options, config.hiveStyle.toString)(_.toString)
    differ(TableOptions.UrlEncode, options, config.urlEncode.toString)(_.toString)
    differ(TableOptions.DropPartitionColumns, options, config.dropsPartitionColumns.toString)(_.toString)
    differ(TableOptions.PopulateMetaFields, options, config.populateMetaFields.toString)(_.toString)
    differ(TableOptions.TimelineZone, options, config.zoneName)(identity)
    val marker = config.deleteMarker
    differ(TableOptions.DeleteField, options, marker.fold("")(_.field))(identity)
    differ(TableOptions.DeleteMarker, options, marker.fold("")(_.value))(identity)
    checkKeyGenerator(config, options)
    checkMergeMode(config, options)
    checkTimeBased(config, options)
  }

  /** Options of a statement that creates a table with the facts of another one, except its name. */
  def facts(config: TableConfig): Seq[(ConfigKey[_], String)] = {
    val payload: Seq[(ConfigKey[_], String)] =
      config.payload.toSeq.map(payload => TableOptions.PayloadClass -> payload.className)
    val always: Seq[(ConfigKey[_], String)] = payload ++ Seq(TableOptions.Type -> config.tableType.name,
      TableOptions.TableVersion -> config.version.toString,
      TableOptions.HiveStyle -> config.hiveStyle.toString, TableOptions.UrlEncode -> config.urlEncode.toString,
      TableOptions.DropPartitionColumns -> config.dropsPartitionColumns.toString,
      TableOptions.PopulateMetaFields -> config.populateMetaFields.toString,
      TableOptions.TimelineZone -> config.zoneName, TableOptions.RecordMergeMode -> config.mergeMode.name,
      TableOptions.KeyGeneratorName -> config.keyGenerator.name)
    val columns: Seq[(ConfigKey[_], Seq[String])] = Seq(TableOptions.RecordKeyFields -> config.recordKeyFields,
      TableOptions.PartitionPathFields -> config.partitionItems, TableOptions.OrderingFields -> config.orderingFields)
    val own = config.deleteMarker.filterNot(_ => config.payload.exists(_.deletes.isDefined))
    val marker: Seq[(ConfigKey[_], String)] = own.toSeq.flatMap(mark =>
      Seq(TableOptions.DeleteField -> mark.field, TableOptions.DeleteMarker -> mark.value))
    val times: Seq[(ConfigKey[_], String)] =
      TableOptions.timeBasedKeys.flatMap(key => config.timeBased.get(key.name).map(key -> _))
    always ++ columns.collect { case (key, names) if names.nonEmpty => key -> fieldText(names) } ++ marker ++ times
  }

  /** Options as of [[facts]], without those that a statement gives a new table by default. */
  def ownFacts(config: TableConfig): Seq[(ConfigKey[_], String)] = {
    val plain = TableDefinition(config.name, config.recordKeyFields, config.partitionItems, config.orderingFields)
    facts(config).filterNot { case (key, value) =>
      val byItself =
        if (key == TableOptions.RecordMergeMode)
          Some(plain.copy(payload = config.payload).effectiveMergeMode.name)
        else if (key == TableOptions.KeyGeneratorName) Some(plain.keyGeneratorType.name)
        else if (key == TableOptions.HiveStyle) Some(config.partitionItems.nonEmpty.toString)
        else key.default.map(_.toString)
      byItself.contains(value)
    }
  }

  /** Options of the table that takes the place of another one: a fact that they do not state stays as it is. Where key,
    * partition or ordering fields are stated, the facts that follow from them do so anew.
    */
  def redefined(config: TableConfig, options: Map[String, String]): Map[String, String] = {
    val partitionsStay = !TableOptions.PartitionPathFields.isSet(options) || isKept(config, options,
      Seq(TableOptions.PartitionPathFields))
    val timed = Set[KeyGeneratorType](KeyGeneratorType.Timestamp, KeyGeneratorType.Custom)
    val generatorStays = keyGenerator(options).isEmpty && partitionsStay &&
      (timed(config.keyGenerator) || !TableOptions.RecordKeyFields.isSet(options))
    val modeStays = Options.mergeMode(options).isEmpty && !TableOptions.OrderingFields.isSet(options)
    val stays = (facts(config) ++ Option(config.database).filter(_.nonEmpty).map(TableOptions.Database -> _)).filter {
      case (TableOptions.KeyGeneratorName, _) => generatorStays
      case (TableOptions.RecordMergeMode, _) => modeStays
      case (key, _) => !key.isSet(options) && (partitionsStay || !TableOptions.timeBasedKeys.contains(key))
    }
    stays.map { case (key, value) => key.name -> value }.toMap ++ options
  }

  /** Raises `OPTION_CONTRADICTS_TABLE` where the options state another version than the table has. */
  def requireVersion(config: TableConfig, options: Map[String, String]): Unit =
    differ(TableOptions.TableVersion, options, config.version.toString)(_.toString)

  /** The options state no other facts than the table has under these keys. */
  def isKept(config: TableConfig, options: Map[String, String], keys: Seq[ConfigKey[_]]): Boolean = {
    val names = keys.flatMap(_.names).map(lower).toSet
    try { checkAgainst(config, options.filter { case (name, _) => names(lower(name)) }); true }
    catch { case e: InvalidInput if e.condition == "OPTION_CONTRADICTS_TABLE" => false }
  }

  private def differ[T](key: ConfigKey[T], options: Map[String, String], actual: String)(text: T => String): Unit =
    for ((spelling, _) <- key.raw(options); value <- key.get(options) if text(value) != actual)
      throw contradiction(spelling, text(value), actual)

  private def contradiction(option: String, value: String, actual: String): InvalidInput =
    InvalidInput("OPTION_CONTRADICTS_TABLE", "option" -> option, "value" -> value, "actual" -> actual)

  private def fieldText(fields: Seq[String]): String = fields.mkString(",")

  // `day` and `day:TIMESTAMP` name one field. Types are compared only where both sides have them.
  private def partitionText(config: TableConfig, options: Map[String, String]): String = {
    val items = TableOptions.PartitionPathFields.get(options).getOrElse(Nil)
    val stored = config.partitionItems
    val typed = items.exists(_.contains(':'))
    if (typed && stored.exists(_.contains(':')))
      if (fieldText(items).equalsIgnoreCase(fieldText(stored))) fieldText(items) else fieldText(stored)
    else if (typed && items.map(_.takeWhile(_ != ':')) == config.partitionFields) fieldText(items)
    else fieldText(config.partitionFields)
  }

  private def checkKeyGenerator(config: TableConfig, options: Map[String, String]): Unit =
    for (wanted <- keyGenerator(options) if !config.knownKeyGenerator.contains(wanted)) {
      val key = if (TableOptions.KeyGeneratorClass.isSet(options)) TableOptions.KeyGeneratorClass
      else TableOptions.KeyGeneratorName
      throw contradiction(key.name, wanted.name,
        config.knownKeyGenerator.map(_.name).orElse(config.keyGeneratorName).getOrElse(""))
    }

  private def checkMergeMode(config: TableConfig, options: Map[String, String]): Unit = {
    for (wanted <- Options.mergeMode(options) if !config.knownMergeMode.contains(wanted))
      throw contradiction(TableOptions.RecordMergeMode.name, wanted.name,
        config.knownMergeMode.map(_.name).getOrElse(config.customMergeName))
    for (asked <- TableOptions.PayloadClass.get(options) if !isPayload(asked, config))
      throw contradiction(TableOptions.PayloadClass.name, asked,
        config.payload.fold(s"the merge mode ${config.mergeMode.name}")(_.className))
  }

  private def isPayload(className: String, config: TableConfig): Boolean = Payload.of(className) match {
    case Some(asked) =>
      config.payload.contains(asked) ||
      (asked.partial == config.partialUpdates &&
        config.deleteMarker.map(_.copy(anyCase = false)) == asked.deletes)
    case None => config.partialUpdates.isEmpty && !config.payload.exists(_.deletes.isDefined)
  }

  private def checkTimeBased(config: TableConfig, options: Map[String, String]): Unit = {
    val stored = config.timeBased
    for ((name, value) <- timeBased(options); actual <- stored.get(name) if actual != value)
      throw contradiction(name, value, actual)
  }

  private def deleteMarker(options: Map[String, String]): Option[DeleteMarker] = {
    def text(key: ConfigKey[String]): Option[String] = key.get(options).filter(_.nonEmpty)
    def missing(key: ConfigKey[String]): Nothing = throw InvalidInput("MISSING_OPTION", "option" -> key.name,
      "reason" -> "a delete marker needs both a column and its value")
    (text(TableOptions.DeleteField), text(TableOptions.DeleteMarker)) match {
      case (Some(field), Some(value)) => Some(DeleteMarker(field, value))
      case (Some(_), None) => missing(TableOptions.DeleteMarker)
      case (None, Some(_)) => missing(TableOptions.DeleteField)
      case (None, None) => None
    }
  }

  private def tableType(options: Map[String, String]): Option[TableType] =
    TableOptions.Type.get(options).flatMap(TableType.of)

  /** The key generator that is asked for by class or by name. */
  private[config] def keyGenerator(options: Map[String, String]): Option[KeyGeneratorType] = {
    val byClass = read(TableOptions.KeyGeneratorClass, options, KeyGeneratorType.ofClass)
    val byName = read(TableOptions.KeyGeneratorName, options, KeyGeneratorType.ofName)
    for (a <- byClass; b <- byName if a != b)
      throw InvalidInput.option(TableOptions.KeyGeneratorName.name, b.name,
        s"${TableOptions.KeyGeneratorClass.name} asks for ${a.name}; leave one of them out")
    byClass.orElse(byName)
  }

  private def read(key: ConfigKey[String], options: Map[String, String], of: String => Option[KeyGeneratorType])
      : Option[KeyGeneratorType] = key.get(options).filter(_.trim.nonEmpty).map { text =>
    of(text).getOrElse(throw InvalidInput.option(key.name, text,
        s"hudilite has no such key generator; choose one of ${KeyGeneratorType.all.map(_.name).mkString(", ")}"))
  }

  /** Settings of a time-based key generator that are set, under their present spelling. */
  def timeBased(options: Map[String, String]): Map[String, String] =
    TableOptions.timeBasedKeys.flatMap(key => key.raw(options).map { case (_, text) => key.name -> text.trim }).toMap
}
