package io.hudilite.timeline

import org.apache.avro.generic.GenericData
import org.apache.avro.{JsonProperties, Schema}

import scala.collection.JavaConverters._

/** Avro schemas of the timeline's files, with Hudi's names, order and defaults (docs/format.md, schemas). */
private[timeline] object TimelineSchemas {

  private val Namespace = "org.apache.hudi.avro.model"

  private type Field = () => Schema.Field

  private def field(name: String, schema: => Schema, default: AnyRef): Field =
    () => new Schema.Field(name, schema, null, default)

  /** A field that must be present. */
  private def required(name: String, schema: => Schema): Field = field(name, schema, null)

  /** `["null", schema]`, absent unless set. */
  private def optional(name: String, schema: => Schema): Field =
    field(name, Schema.createUnion(Schema.create(Schema.Type.NULL), schema), JsonProperties.NULL_VALUE)

  /** `["null", schema]` without a default: some of Hudi's fields have none. */
  private def nullable(name: String, schema: => Schema): Field =
    field(name, Schema.createUnion(Schema.create(Schema.Type.NULL), schema), null)

  private def orNull(name: String, schema: => Schema, default: AnyRef): Field =
    field(name, Schema.createUnion(schema, Schema.create(Schema.Type.NULL)), default)

  private def version(default: Int): Field = orNull("version", int, Int.box(default))

  private def record(name: String, fields: Field*): Schema =
    Schema.createRecord(name, null, Namespace, false, fields.map(_.apply()).asJava)

  private def withJavaStrings(schema: Schema): Schema = {
    GenericData.setStringType(schema, GenericData.StringType.String)
    schema
  }

  private def text: Schema = withJavaStrings(Schema.create(Schema.Type.STRING))
  private def long: Schema = Schema.create(Schema.Type.LONG)
  private def int: Schema = Schema.create(Schema.Type.INT)
  private def boolean: Schema = Schema.create(Schema.Type.BOOLEAN)
  private def double: Schema = Schema.create(Schema.Type.DOUBLE)
  private def array(items: Schema): Schema = Schema.createArray(items)
  private def map(values: Schema): Schema = withJavaStrings(Schema.createMap(values))

  private val writeStat: Schema = record("HoodieWriteStat",
    optional("fileId", text), optional("path", text), optional("prevCommit", text), optional("numWrites", long),
    optional("numDeletes", long), optional("numUpdateWrites", long), optional("totalWriteBytes", long),
    optional("totalWriteErrors", long), optional("partitionPath", text), optional("totalLogRecords", long),
    optional("totalLogFiles", long), optional("totalUpdatedRecordsCompacted", long), optional("numInserts", long),
    optional("totalLogBlocks", long), optional("totalCorruptLogBlock", long), optional("totalRollbackBlocks", long),
    optional("fileSizeInBytes", long), optional("logVersion", int), optional("logOffset", long),
    optional("baseFile", text), optional("logFiles", array(text)), optional("cdcStats", map(long)),
    optional("prevBaseFile", text), optional("minEventTime", long), optional("maxEventTime", long),
    optional("runtimeStats",
      record("HoodieRuntimeStats",
        optional("totalScanTime", long), optional("totalCreateTime", long), optional("totalUpsertTime", long))),
    optional("totalLogFilesCompacted", long), optional("totalLogReadTimeMs", long),
    optional("totalLogSizeCompacted", long), optional("tempPath", text), optional("numUpdates", long))

  private val commitFields: Seq[Field] = Seq(
    optional("partitionToWriteStats", map(array(writeStat))), optional("compacted", boolean),
    optional("extraMetadata", map(text)), version(1), optional("operationType", text))

  val Commit: Schema = record("HoodieCommitMetadata", commitFields: _*)

  val ReplaceCommit: Schema = record("HoodieReplaceCommitMetadata",
    commitFields :+ optional("partitionToReplaceFileIds", map(array(text))): _*)

  val ClusteringSlice: Schema = record("HoodieSliceInfo",
    optional("dataFilePath", text), optional("deltaFilePaths", array(text)), nullable("fileId", text),
    optional("partitionPath", text), optional("bootstrapFilePath", text), version(1))

  val ClusteringGroup: Schema = record("HoodieClusteringGroup",
    optional("slices", array(ClusteringSlice)),
    optional("metrics", map(double)), orNull("numOutputFileGroups", int, Int.box(1)),
    optional("extraMetadata", map(text)), version(1))

  val ClusteringStrategy: Schema = record("HoodieClusteringStrategy",
    optional("strategyClassName", text), optional("strategyParams", map(text)), version(1))

  val ClusteringPlan: Schema = record("HoodieClusteringPlan",
    optional("inputGroups", array(ClusteringGroup)), optional("strategy", ClusteringStrategy),
    optional("extraMetadata", map(text)), version(1), optional("preserveHoodieMetadata", boolean),
    optional("missingSchedulePartitions", array(text)))

  val RequestedReplace: Schema = record("HoodieRequestedReplaceMetadata",
    optional("operationType", text), optional("clusteringPlan", ClusteringPlan),
    optional("extraMetadata", map(text)), version(1))

  val CompactionOperation: Schema = record("HoodieCompactionOperation",
    nullable("baseInstantTime", text), optional("deltaFilePaths", array(text)), optional("dataFilePath", text),
    nullable("fileId", text), optional("partitionPath", text), optional("metrics", map(double)),
    optional("bootstrapFilePath", text))

  val CompactionPlan: Schema = record("HoodieCompactionPlan",
    optional("operations", array(CompactionOperation)), optional("extraMetadata", map(text)), version(1),
    optional("strategy",
      record("HoodieCompactionStrategy",
        optional("compactorClassName", text), optional("strategyParams", map(text)), version(1))),
    orNull("preserveHoodieMetadata", boolean, Boolean.box(false)),
    optional("missingSchedulePartitions", array(text)))

  val CleanedPartition: Schema = record("HoodieCleanPartitionMetadata",
    required("partitionPath", text), required("policy", text), required("deletePathPatterns", array(text)),
    required("successDeleteFiles", array(text)), required("failedDeleteFiles", array(text)),
    optional("isPartitionDeleted", boolean))

  val Clean: Schema = record("HoodieCleanMetadata",
    required("startCleanTime", text), required("timeTakenInMillis", long), required("totalFilesDeleted", int),
    required("earliestCommitToRetain", text), field("lastCompletedCommitTimestamp", text, ""),
    required("partitionMetadata", map(CleanedPartition)), version(1),
    optional("bootstrapPartitionMetadata", map(CleanedPartition)), optional("extraMetadata", map(text)))

  val CleanFile: Schema = record("HoodieCleanFileInfo",
    optional("filePath", text), optional("isBootstrapBaseFile", boolean))

  val CleanEarliest: Schema = record("HoodieActionInstant",
    required("timestamp", text), required("action", text), required("state", text))

  val CleanPlan: Schema = record("HoodieCleanerPlan",
    optional("earliestInstantToRetain", CleanEarliest), field("lastCompletedCommitTimestamp", text, ""),
    required("policy", text), optional("filesToBeDeletedPerPartition", map(array(text))), version(1),
    optional("filePathsToBeDeletedPerPartition", map(array(CleanFile))),
    optional("partitionsToBeDeleted", array(text)), optional("extraMetadata", map(text)))

  val InstantInfo: Schema = record("HoodieInstantInfo", required("commitTime", text), required("action", text))

  val RollbackRequest: Schema = record("HoodieRollbackRequest",
    required("partitionPath", text), optional("fileId", text), optional("latestBaseInstant", text),
    field("filesToBeDeleted", array(text), java.util.Collections.emptyList[String]()),
    optional("logBlocksToBeDeleted", map(long)))

  /** The capital R is Hudi's. */
  val RollbackPlan: Schema = record("HoodieRollbackPlan",
    optional("instantToRollback", InstantInfo), optional("RollbackRequests", array(RollbackRequest)), version(1))

  val RolledBackPartition: Schema = record("HoodieRollbackPartitionMetadata",
    required("partitionPath", text), required("successDeleteFiles", array(text)),
    required("failedDeleteFiles", array(text)), optional("rollbackLogFiles", map(long)),
    optional("logFilesFromFailedCommit", map(long)))

  val Rollback: Schema = record("HoodieRollbackMetadata",
    required("startRollbackTime", text), required("timeTakenInMillis", long), required("totalFilesDeleted", int),
    required("commitsRollback", array(text)), required("partitionMetadata", map(RolledBackPartition)), version(1),
    field("instantsRollback", array(InstantInfo), java.util.Collections.emptyList[String]()))

  val RestorePlan: Schema = record("HoodieRestorePlan",
    field("instantsToRollback", array(InstantInfo), java.util.Collections.emptyList[String]()),
    orNull("version", int, Int.box(2)), optional("savepointToRestoreTimestamp", text))

  val Restore: Schema = record("HoodieRestoreMetadata",
    required("startRestoreTime", text), required("timeTakenInMillis", long),
    required("instantsToRollback", array(text)),
    required("hoodieRestoreMetadata", map(array(Schema.createUnion(Schema.create(Schema.Type.NULL), Rollback)))),
    version(1), field("restoreInstantInfo", array(InstantInfo), java.util.Collections.emptyList[String]()))

  val SavepointPartition: Schema = record("HoodieSavepointPartitionMetadata",
    required("partitionPath", text), required("savepointDataFile", array(text)))

  val Savepoint: Schema = record("HoodieSavepointMetadata",
    required("savepointedBy", text), required("savepointedAt", long), required("comments", text),
    required("partitionMetadata", map(SavepointPartition)), version(1))

  val WriteStat: Schema = writeStat

  /** One state of an instant in the archive of layout 1, without the fields of actions that are never archived. */
  val ArchivedState: Schema = record("HoodieArchivedMetaEntry",
    optional("hoodieCommitMetadata", Commit), optional("hoodieCleanMetadata", Clean),
    optional("hoodieRollbackMetadata", Rollback), optional("commitTime", text), optional("actionType", text),
    version(1), optional("hoodieCompactionPlan", CompactionPlan), optional("hoodieCleanerPlan", CleanPlan),
    optional("actionState", text), optional("hoodieReplaceCommitMetadata", ReplaceCommit),
    optional("hoodieRequestedReplaceMetadata", RequestedReplace), optional("HoodieInflightReplaceMetadata", Commit),
    optional("stateTransitionTime", text))
}
