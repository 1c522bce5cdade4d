package io.hudilite.config

import io.hudilite.config.key.ConfigKey

/** Options that state facts of a table. The write that creates the table fixes them. Later writes need not repeat them,
  * and fail when one differs from the table.
  */
object TableOptions {

  val Name: ConfigKey[String] = ConfigKey.text("hoodie.table.name", None,
    "Name of the table. Without it a new table is named after the last part of its path.",
    Seq("hoodie.datasource.write.table.name"))

  val Database: ConfigKey[String] = ConfigKey.text("hoodie.database.name", None, "Database of the table.")

  val Type: ConfigKey[String] = ConfigKey.choice("hoodie.datasource.write.table.type", Some(TableType.CopyOnWrite.name),
    TableType.all.map(_.name), "How changes are stored: by rewriting base files, or in log files beside them.",
    Seq(TableKeys.Type, "hoodie.datasource.write.storage.type"))

  val TableVersion: ConfigKey[Int] = ConfigKey("hoodie.write.table.version", Some(9),
    "Table version of a new table: 9 for Hudi 1.1 and later, 8 for 1.0, 6 for 0.14 and 0.15. " +
      "An existing table keeps its version.",
    version, valueType = "6 or 8 or 9", alternatives = Seq(TableKeys.Version))

  val RecordKeyFields: ConfigKey[Seq[String]] = ConfigKey.list("hoodie.datasource.write.recordkey.field",
    "Columns that identify a row, dotted when nested. Without it the rows of a new table get generated keys.",
    Seq(TableKeys.RecordKeyFields))

  val PartitionPathFields: ConfigKey[Seq[String]] = ConfigKey.list("hoodie.datasource.write.partitionpath.field",
    "Columns that make up the partition path; `column:TYPE` with the custom key generator. Without it a table has no " +
      "partitions.",
    Seq(TableKeys.PartitionFields))

  val OrderingFields: ConfigKey[Seq[String]] = ConfigKey.list("hoodie.datasource.write.precombine.field",
    "Columns, none of them nested, that decide which of two rows with one key is newer; the larger value wins, the later " +
      "row on a tie.",
    Seq(TableKeys.OrderingFields, TableKeys.PrecombineField, "hoodie.payload.ordering.field"))

  val RecordMergeMode: ConfigKey[String] = ConfigKey.choice("hoodie.record.merge.mode", None, MergeMode.all.map(_.name),
    "Which row survives: the one with the larger ordering value, or the one written later. Without it: by ordering " +
      "value when there is an ordering field.",
    Seq("hoodie.write.record.merge.mode"))

  val PayloadClass: ConfigKey[String] = ConfigKey.text("hoodie.datasource.write.payload.class", None,
    "Class name of Hudi's payload, which stands for a merge mode, partial updates or a delete marker; docs/format.md " +
      "has the list.",
    Seq(TableKeys.PayloadClass))

  val DeleteField: ConfigKey[String] = ConfigKey.text("hoodie.payload.delete.field", None,
    "Column that makes a row a delete of its key, as `_hoodie_is_deleted` does, where it holds the value of " +
      "hoodie.payload.delete.marker. Needs table version 9.",
    Seq(TableKeys.DeleteField))

  val DeleteMarker: ConfigKey[String] = ConfigKey.text("hoodie.payload.delete.marker", None,
    "The value of the column hoodie.payload.delete.field in rows that delete their keys, as text.",
    Seq(TableKeys.DeleteMarker))

  val KeyGeneratorClass: ConfigKey[String] = ConfigKey.text("hoodie.datasource.write.keygenerator.class", None,
    "Class name of Hudi's key generator; hudilite has its own for simple, complex, time-based, custom and " +
      "non-partitioned keys.",
    Seq(TableKeys.KeyGeneratorClass))

  val KeyGeneratorName: ConfigKey[String] = ConfigKey.text("hoodie.datasource.write.keygenerator.type", None,
    "Key generator by name: SIMPLE, COMPLEX, TIMESTAMP, CUSTOM or NON_PARTITION. Without it: from the number of key " +
      "and partition columns.",
    Seq(TableKeys.KeyGeneratorType))

  val HiveStyle: ConfigKey[Boolean] = ConfigKey.flag(TableKeys.HiveStyle, default = false,
    "Partition directories are named `column=value`. A partitioned table that a statement creates has this unless an " +
      "option says `false`.")

  val UrlEncode: ConfigKey[Boolean] = ConfigKey.flag(TableKeys.UrlEncode, default = false,
    "Characters that may not stand in a directory name are written as `%XX` in partition paths.")

  val DropPartitionColumns: ConfigKey[Boolean] = ConfigKey.flag(TableKeys.DropPartitionColumns, default = false,
    "Files leave the partition columns out, and readers take their values from the paths of partitions.")

  val PopulateMetaFields: ConfigKey[Boolean] = ConfigKey.flag(TableKeys.PopulateMetaFields, default = true,
    "`false` leaves the meta columns of a new table null: keys are made of the columns of its rows, and no row tells which " +
      "instant wrote it.")

  val TimelineZone: ConfigKey[String] = ConfigKey.choice(TableKeys.TimelineZone, Some("LOCAL"), Seq("LOCAL", "UTC"),
    "Zone of a new table's instants: that of each process that writes, or UTC. A process of Apache Hudi takes the instants " +
      "of all its tables from one clock, so tables that it writes should have the same.")

  private def timeBased(suffix: String, default: Option[String], doc: String): ConfigKey[String] =
    ConfigKey.text(TableKeys.TimeBasedPrefix + suffix, default, doc, Seq(TableKeys.OldTimeBasedPrefix + suffix))

  val TimestampType: ConfigKey[String] = ConfigKey.choice(s"${TableKeys.TimeBasedPrefix}timestamp.type", None,
    Seq("UNIX_TIMESTAMP", "EPOCHMILLISECONDS", "EPOCHMICROSECONDS", "DATE_STRING", "MIXED", "SCALAR"),
    "What the partition column of a time-based key generator holds.",
    Seq(s"${TableKeys.OldTimeBasedPrefix}timestamp.type"))

  val TimestampUnit: ConfigKey[String] = timeBased("timestamp.scalar.time.unit", Some("SECONDS"),
    "Unit of a SCALAR partition column: DAYS, HOURS, MINUTES, SECONDS, MILLISECONDS, MICROSECONDS or NANOSECONDS.")

  val InputDateFormat: ConfigKey[String] = timeBased("input.dateformat", None,
    "Patterns of a DATE_STRING or MIXED partition column, separated by commas; the first that fits is used.")

  val OutputDateFormat: ConfigKey[String] = timeBased("output.dateformat", None,
    "Pattern of the partition path that a time-based key generator makes.")

  val TimeZone: ConfigKey[String] = timeBased("timezone", None,
    "Time zone in which a time-based key generator reads and writes dates; outranks the next two. Without any: the JVM's " +
      "zone for numbers; for date strings the zone in the string.")

  val InputTimeZone: ConfigKey[String] = timeBased("input.timezone", None, "Time zone in which date strings are read.")

  val OutputTimeZone: ConfigKey[String] = timeBased("output.timezone", None,
    "Time zone in which partition paths are written.")

  /** The settings of a time-based key generator, which a table keeps. */
  val timeBasedKeys: Seq[ConfigKey[String]] =
    Seq(TimestampType, TimestampUnit, InputDateFormat, OutputDateFormat, TimeZone, InputTimeZone, OutputTimeZone)

  val all: Seq[ConfigKey[_]] = Seq(Name, Database, Type, TableVersion, RecordKeyFields, PartitionPathFields,
    OrderingFields, RecordMergeMode, PayloadClass, DeleteField, DeleteMarker, KeyGeneratorClass, KeyGeneratorName,
    HiveStyle,
    UrlEncode, TimelineZone) ++ timeBasedKeys

  /** Facts that docs/options.md only lists. */
  val further: Seq[ConfigKey[_]] = Seq(DropPartitionColumns, PopulateMetaFields)

  /** Options that state a fact of a table. */
  val facts: Seq[ConfigKey[_]] = all ++ further

  private def version(text: String): Int =
    TableConfig.Versions.find(_.toString == text).getOrElse(throw new IllegalArgumentException("it must be 6, 8 or 9"))
}

/** Options of the operation `bootstrap`, which makes a table of Parquet files that are there. */
object BootstrapOptions {

  /** The operation in `hoodie.datasource.write.operation`, of a DataFrame's writer alone. */
  val Operation = "bootstrap"

  private val Selectors = "org.apache.hudi.client.bootstrap.selector."
  val FullRecord: String = s"${Selectors}FullRecordBootstrapModeSelector"
  val MetadataOnly: String = s"${Selectors}MetadataOnlyBootstrapModeSelector"
  val ByRegex: String = s"${Selectors}BootstrapRegexModeSelector"

  private val Translators = "org.apache.hudi.client.bootstrap.translator."

  val BasePath: ConfigKey[String] = ConfigKey.text("hoodie.bootstrap.base.path", None,
    "Folder of the Parquet files whose rows the operation `bootstrap` takes.")

  val Selector: ConfigKey[String] = ConfigKey.choice("hoodie.bootstrap.mode.selector", Some(MetadataOnly),
    Seq(FullRecord, MetadataOnly, ByRegex),
    "Rows that are copied into the new table, or stay in their files: all, or those of some partitions.")

  val Regex: ConfigKey[String] = ConfigKey.text("hoodie.bootstrap.mode.selector.regex", Some(".*"),
    "Pattern of the partitions that BootstrapRegexModeSelector takes in its mode.")

  val RegexMode: ConfigKey[String] = ConfigKey.choice("hoodie.bootstrap.mode.selector.regex.mode",
    Some("METADATA_ONLY"), Seq("METADATA_ONLY", "FULL_RECORD"),
    "Mode of the partitions that match the pattern; others are taken in the other one.")

  val KeyGenerator: ConfigKey[String] = ConfigKey.text("hoodie.bootstrap.keygen.class", None,
    "Key generator of the new table, in the place of hoodie.datasource.write.keygenerator.class.")

  val KeyGeneratorName: ConfigKey[String] = ConfigKey.text("hoodie.bootstrap.keygen.type", None,
    "Key generator of the new table by name.")

  val Translator: ConfigKey[String] = ConfigKey.choice("hoodie.bootstrap.partitionpath.translator.class", None,
    Seq("Identity", "Decoded").map(name => s"$Translators${name}BootstrapPartitionPathTranslator"),
    "Accepted: partitions have the paths of their folders, or those that their values make.")

  /** Token of the write that copies rows beside those that stay. It is told by a bootstrap itself. */
  val Copies: ConfigKey[String] = ConfigKey.text("hudilite.bootstrap.copies", None, "Token of a bootstrap's own write.")

  /** The options ask for the operation. */
  def areAsked(options: Map[String, String]): Boolean =
    WriteOptions.Operation.raw(options).exists(_._2.trim.equalsIgnoreCase(Operation))

  val all: Seq[ConfigKey[_]] = Seq(BasePath, Selector, Regex, RegexMode, KeyGenerator, KeyGeneratorName, Translator)
}
