package io.hudilite.config

/** Names of the properties in `hoodie.properties` that hudilite acts on (docs/format.md, table properties). */
object TableKeys {
  val Name = "hoodie.table.name"
  val Database = "hoodie.database.name"
  val Type = "hoodie.table.type"
  val Version = "hoodie.table.version"
  val InitialVersion = "hoodie.table.initial.version"
  val Layout = "hoodie.timeline.layout.version"
  val Checksum = "hoodie.table.checksum"
  val RecordKeyFields = "hoodie.table.recordkey.fields"
  val PartitionFields = "hoodie.table.partition.fields"

  /** hudilite's own: the partition fields of a version 6 table with the types of its custom key generator. */
  val TypedPartitionFields = "hudilite.table.partition.fields"
  val PrecombineField = "hoodie.table.precombine.field"
  val OrderingFields = "hoodie.table.ordering.fields"
  val KeyGeneratorClass = "hoodie.table.keygenerator.class"
  val KeyGeneratorType = "hoodie.table.keygenerator.type"
  val BaseFileFormat = "hoodie.table.base.file.format"
  val MultipleBaseFileFormats = "hoodie.table.multiple.base.file.formats.enable"
  val PopulateMetaFields = "hoodie.populate.meta.fields"
  val HiveStyle = "hoodie.datasource.write.hive_style_partitioning"
  val UrlEncode = "hoodie.datasource.write.partitionpath.urlencode"
  val SlashSeparatedDates = "hoodie.datasource.write.slash.separated.date.partitioning"
  val DropPartitionColumns = "hoodie.datasource.write.drop.partition.columns"
  val MarkerInBaseFormat = "hoodie.partition.metafile.use.base.format"
  val TableFormat = "hoodie.table.format"
  val TimelineZone = "hoodie.table.timeline.timezone"
  val CreateSchema = "hoodie.table.create.schema"
  val CdcEnabled = "hoodie.table.cdc.enabled"
  val PayloadClass = "hoodie.compaction.payload.class"

  /** A note of the payload class that a table was made with, whose rule it has in its properties. */
  val LegacyPayloadClass = "hoodie.table.legacy.payload.class"
  val OldStrategyId = "hoodie.compaction.record.merger.strategy"
  val StrategyId = "hoodie.record.merge.strategy.id"
  val MergeMode = "hoodie.record.merge.mode"

  /** The merge mode of a table whose rule is a class of its own. */
  val CustomMode = "CUSTOM"
  val PartialUpdateMode = "hoodie.table.partial.update.mode"
  val ArchiveFolder = "hoodie.archivelog.folder"
  val TimelinePath = "hoodie.timeline.path"
  val HistoryPath = "hoodie.timeline.history.path"
  val BootstrapBasePath = "hoodie.bootstrap.base.path"
  val BootstrapIndexEnabled = "hoodie.bootstrap.index.enable"
  val BootstrapIndexType = "hoodie.bootstrap.index.type"
  val BootstrapIndexClass = "hoodie.bootstrap.index.class"
  val MetadataPartitions = "hoodie.table.metadata.partitions"
  val IndexDefinitionsPath = "hoodie.table.index.defs.path"
  val MetadataPartitionsInflight = "hoodie.table.metadata.partitions.inflight"

  /** Prefix of settings of a merge rule that readers must know. */
  val MergePropertyPrefix = "hoodie.record.merge.property."
  val DeleteField: String = MergePropertyPrefix + "hoodie.payload.delete.field"
  val DeleteMarker: String = MergePropertyPrefix + "hoodie.payload.delete.marker"
  val UnavailableValue: String = MergePropertyPrefix + "hoodie.write.partial.update.unavailable.value"

  /** Prefix of the settings of time-based partition paths, which a table keeps. */
  val TimeBasedPrefix = "hoodie.keygen.timebased."

  /** Prefix of these settings in older releases. */
  val OldTimeBasedPrefix = "hoodie.deltastreamer.keygen.timebased."
}

/** Names of the only index of a bootstrapped table that is read and made: Hudi's in HFiles. */
object BootstrapIndexName {

  val Type = "HFILE"

  val Class = "org.apache.hudi.common.bootstrap.index.hfile.HFileBootstrapIndex"

  /** The name without its package, which was another one before. */
  val Short: String = shortOf(Class)

  /** True for the class, in any of its packages. */
  def isClass(name: String): Boolean = name.contains('.') && shortOf(name) == Short

  private def shortOf(name: String): String = name.substring(name.lastIndexOf('.') + 1)
}
