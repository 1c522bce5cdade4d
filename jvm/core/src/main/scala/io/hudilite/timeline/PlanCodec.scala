package io.hudilite.timeline

import io.hudilite.codec.avro.{AvroFields, AvroFile}
import io.hudilite.codec.avro.AvroFile.record
import io.hudilite.storage.TablePath
import io.hudilite.timeline.plan.{
  ClusteringGroupFacts,
  ClusteringInput,
  ClusteringPlan,
  CompactionOperation,
  CompactionPlan,
  InstantName,
  RestoreMetadata,
  RestorePlan,
  RollbackMetadata,
  RollbackPlan,
  RollbackRequest,
  RolledBackPartition,
  SavepointMetadata
}

import org.apache.avro.generic.GenericRecord

/** Plans and results of table services to and from Avro, equal in both layouts.
  *
  * Files are named by name and partition, or by absolute path, which no longer holds when a table was moved. So only
  * the name of a path counts, and the file lies in the partition that the plan puts it in.
  */
private[timeline] object PlanCodec {

  private def partitionOf(fields: AvroFields): String =
    TablePath.relative(fields.text("partitionPath").getOrElse(""))

  private def fileIdOf(fields: AvroFields): String =
    fields.text("fileId").filter(_.nonEmpty).fold("")(TablePath.name)

  private def inPartition(partition: String)(path: String): String =
    if (partition.isEmpty) TablePath.fileName(path) else s"$partition/${TablePath.fileName(path)}"

  // Plans and results of version 2 hold file names, not paths; a reader decides by this field.
  private val NamesVersion = 2

  /** @param base
    *   the table's base path without a slash at its end: Hudi's rollbacks hold absolute paths
    */
  def write(plan: RollbackPlan, base: String): Array[Byte] = AvroFile.write(record(TimelineSchemas.RollbackPlan)(
      "instantToRollback" -> instantInfo(plan.target),
      "RollbackRequests" -> plan.requests.map(r =>
        record(TimelineSchemas.RollbackRequest)(
          "partitionPath" -> r.partition, "fileId" -> r.fileId, "latestBaseInstant" -> r.latestBaseInstant,
          "filesToBeDeleted" -> r.files.map(f => s"$base/$f"), "logBlocksToBeDeleted" -> r.logBlocks))))

  def rollbackPlan(bytes: Array[Byte]): RollbackPlan = {
    val fields = AvroFile.read(bytes)
    val target = fields.child("instantToRollback").map(instantName)
      .getOrElse(throw new IllegalArgumentException("the rollback names no instant"))
    RollbackPlan(target,
      fields.children("RollbackRequests").map { r =>
        val partition = partitionOf(r)
        RollbackRequest(partition, r.texts("filesToBeDeleted").map(inPartition(partition)), fileIdOf(r),
          r.text("latestBaseInstant").getOrElse(""), names(r.longMap("logBlocksToBeDeleted")))
      })
  }

  private def names(sizes: Map[String, Long]): Map[String, Long] = sizes.map { case (path, size) =>
    TablePath.fileName(path) -> size
  }

  def write(metadata: RollbackMetadata, base: String): Array[Byte] = AvroFile.write(rollbackRecord(metadata, base))

  private def rollbackRecord(metadata: RollbackMetadata, base: String): GenericRecord =
    record(TimelineSchemas.Rollback)(
      "startRollbackTime" -> metadata.startTime, "timeTakenInMillis" -> metadata.timeTakenMs,
      "totalFilesDeleted" -> metadata.partitions.map(_.deleted.size).sum,
      "commitsRollback" -> metadata.targets.map(_.time),
      "partitionMetadata" -> metadata.partitions.map(p =>
        p.partition ->
          record(TimelineSchemas.RolledBackPartition)("partitionPath" -> p.partition,
            "successDeleteFiles" -> p.deleted.map(f => s"$base/$f"),
            "failedDeleteFiles" -> p.failed.map(f => s"$base/$f"), "rollbackLogFiles" -> p.rollbackLogFiles,
            "logFilesFromFailedCommit" -> Map.empty)).toMap,
      "instantsRollback" -> metadata.targets.map(instantInfo))

  def rollback(bytes: Array[Byte]): RollbackMetadata = rollbackOf(AvroFile.read(bytes))

  def rollbackOf(fields: AvroFields): RollbackMetadata = {
    val named = fields.children("instantsRollback").map(instantName)
    RollbackMetadata(fields.text("startRollbackTime").getOrElse(""), fields.number("timeTakenInMillis"),
      if (named.nonEmpty) named else fields.texts("commitsRollback").map(InstantName(_, "")),
      fields.childMap("partitionMetadata").map { case (key, p) =>
        val partition = TablePath.relative(key)
        RolledBackPartition(partition, p.texts("successDeleteFiles").map(inPartition(partition)),
          p.texts("failedDeleteFiles").map(inPartition(partition)), names(p.longMap("rollbackLogFiles")))
      }.toList)
  }

  def write(plan: RestorePlan): Array[Byte] = AvroFile.write(record(TimelineSchemas.RestorePlan)(
      "instantsToRollback" -> plan.targets.map(instantInfo), "savepointToRestoreTimestamp" -> Some(plan.to)))

  def restorePlan(bytes: Array[Byte]): RestorePlan = {
    val fields = AvroFile.read(bytes)
    RestorePlan(fields.children("instantsToRollback").map(instantName),
      fields.text("savepointToRestoreTimestamp").getOrElse(""))
  }

  def write(metadata: RestoreMetadata, base: String): Array[Byte] = {
    val targets = metadata.rollbacks.flatMap(_.targets)
    AvroFile.write(record(TimelineSchemas.Restore)(
        "startRestoreTime" -> metadata.startTime, "timeTakenInMillis" -> metadata.timeTakenMs,
        "instantsToRollback" -> targets.map(_.time),
        "hoodieRestoreMetadata" -> metadata.rollbacks.flatMap(r =>
          r.targets.map(_.time -> Seq(rollbackRecord(r, base)))).toMap,
        "restoreInstantInfo" -> targets.map(instantInfo)))
  }

  private def instantInfo(name: InstantName): AnyRef =
    record(TimelineSchemas.InstantInfo)("commitTime" -> name.time, "action" -> name.action)

  private def instantName(fields: AvroFields): InstantName =
    InstantName(fields.text("commitTime").getOrElse(""), fields.text("action").getOrElse(""))

  /** Requested file of a replace commit that is not a clustering. */
  lazy val emptyRequestedReplace: Array[Byte] = AvroFile.write(record(TimelineSchemas.RequestedReplace)("version" -> 1))

  def write(plan: CompactionPlan): Array[Byte] = AvroFile.write(record(TimelineSchemas.CompactionPlan)(
      "operations" -> plan.operations.map(o =>
        record(TimelineSchemas.CompactionOperation)(
          "baseInstantTime" -> o.baseInstant, "deltaFilePaths" -> o.logFiles, "dataFilePath" -> o.baseFile,
          "fileId" -> o.fileId, "partitionPath" -> o.partition, "metrics" -> o.metrics)),
      "version" -> NamesVersion))

  def compactionPlan(bytes: Array[Byte]): CompactionPlan = CompactionPlan(
    AvroFile.read(bytes).children("operations").map(o =>
      CompactionOperation(
        partitionOf(o), fileIdOf(o), o.text("baseInstantTime").getOrElse(""),
        o.text("dataFilePath").filter(_.nonEmpty).map(TablePath.fileName),
        o.texts("deltaFilePaths").map(TablePath.fileName),
        o.doubleMap("metrics"))))

  /** @param base
    *   the table's base path without a slash at its end: Hudi's clusterings hold absolute paths
    */
  def write(plan: ClusteringPlan, base: String): Array[Byte] = AvroFile.write(record(TimelineSchemas.RequestedReplace)(
      "operationType" -> CommitMetadata.Cluster, "version" -> 1,
      "clusteringPlan" -> record(TimelineSchemas.ClusteringPlan)(
        "inputGroups" -> plan.groups.zipAll(plan.facts, Nil, ClusteringGroupFacts()).map { case (inputs, facts) =>
          record(TimelineSchemas.ClusteringGroup)(
            "slices" -> inputs.map(input(_, base)), "metrics" -> facts.metrics,
            "numOutputFileGroups" -> facts.outputs, "version" -> 1)
        },
        "strategy" -> record(TimelineSchemas.ClusteringStrategy)(
          "strategyClassName" -> plan.strategy, "strategyParams" -> plan.params, "version" -> 1),
        "extraMetadata" -> Map.empty, "version" -> 1, "preserveHoodieMetadata" -> true,
        "missingSchedulePartitions" -> Nil)))

  // A slice of log files alone has an empty path for its base file.
  private def input(slice: ClusteringInput, base: String): AnyRef = {
    val folder = if (slice.partition.isEmpty) base else s"$base/${slice.partition}"
    record(TimelineSchemas.ClusteringSlice)(
      "dataFilePath" -> slice.baseFile.fold("")(name => s"$folder/$name"),
      "deltaFilePaths" -> slice.logFiles.reverse.map(name => s"$folder/$name"), "fileId" -> slice.fileId,
      "partitionPath" -> slice.partition, "bootstrapFilePath" -> "", "version" -> 1)
  }

  /** `None` when the replace commit is no clustering. */
  def clusteringPlan(bytes: Array[Byte]): Option[ClusteringPlan] =
    AvroFile.read(bytes).child("clusteringPlan").map { plan =>
      val groups = plan.children("inputGroups")
      val strategy = plan.child("strategy")
      ClusteringPlan(
        groups.map(_.children("slices").map(s =>
            ClusteringInput(
              partitionOf(s), fileIdOf(s),
              s.text("dataFilePath").filter(_.nonEmpty).map(TablePath.fileName),
              s.texts("deltaFilePaths").map(TablePath.fileName)))),
        strategy.flatMap(_.text("strategyClassName")).getOrElse(""),
        strategy.map(_.textMap("strategyParams")).getOrElse(Map.empty),
        groups.map(g => ClusteringGroupFacts(g.number("numOutputFileGroups").toInt, g.doubleMap("metrics"))))
    }

  def write(plan: CleanPlan, base: String): Array[Byte] = AvroFile.write(record(TimelineSchemas.CleanPlan)(
      "earliestInstantToRetain" -> plan.earliestToRetain.map(i =>
        record(TimelineSchemas.CleanEarliest)(
          "timestamp" -> i.time, "action" -> i.action, "state" -> i.state.name)),
      "lastCompletedCommitTimestamp" -> plan.lastCompletedCommit, "policy" -> plan.policy,
      "filesToBeDeletedPerPartition" -> Map.empty, "version" -> NamesVersion,
      "filePathsToBeDeletedPerPartition" -> plan.files.map { case (partition, paths) =>
        partition -> paths.map(p =>
          record(TimelineSchemas.CleanFile)("filePath" -> s"$base/$p", "isBootstrapBaseFile" -> false))
      },
      "partitionsToBeDeleted" -> plan.partitionsToDelete, "extraMetadata" -> extraOf(plan.savepoints)))

  def cleanPlan(bytes: Array[Byte]): CleanPlan = {
    val fields = AvroFile.read(bytes)
    val earliest = fields.child("earliestInstantToRetain").map { i =>
      val state = State.all.find(s => i.text("state").contains(s.name)).getOrElse(State.Completed)
      Instant(i.text("timestamp").getOrElse(""), i.text("action").getOrElse(""), state, None, "")
    }
    CleanPlan(fields.text("policy").getOrElse(""), earliest, fields.text("lastCompletedCommitTimestamp").getOrElse(""),
      fields.childrenMap("filePathsToBeDeletedPerPartition").map { case (key, files) =>
        val partition = TablePath.relative(key)
        partition -> files.flatMap(_.text("filePath")).map(inPartition(partition))
      },
      fields.texts("partitionsToBeDeleted").map(TablePath.relative), savepointsOf(fields))
  }

  def write(metadata: CleanMetadata): Array[Byte] = AvroFile.write(record(TimelineSchemas.Clean)(
      "startCleanTime" -> metadata.startTime, "timeTakenInMillis" -> metadata.timeTakenMs,
      "totalFilesDeleted" -> metadata.partitions.map(_.deleted.size).sum,
      "earliestCommitToRetain" -> metadata.earliestCommitToRetain,
      "lastCompletedCommitTimestamp" -> metadata.lastCompletedCommit,
      "partitionMetadata" -> metadata.partitions.map(p =>
        p.partition ->
          record(TimelineSchemas.CleanedPartition)("partitionPath" -> p.partition, "policy" -> p.policy,
            "deletePathPatterns" -> (p.deleted ++ p.failed), "successDeleteFiles" -> p.deleted,
            "failedDeleteFiles" -> p.failed, "isPartitionDeleted" -> p.partitionDeleted)).toMap,
      "version" -> NamesVersion, "bootstrapPartitionMetadata" -> Map.empty,
      "extraMetadata" -> extraOf(metadata.savepoints)))

  private val SavepointedTimestamps = "savepointed_timestamps"

  private def extraOf(savepoints: Seq[String]): Map[String, String] =
    Map(SavepointedTimestamps -> savepoints.mkString(","))

  private def savepointsOf(fields: AvroFields): Seq[String] =
    fields.textMap("extraMetadata").getOrElse(SavepointedTimestamps, "").split(',').map(_.trim).filter(_.nonEmpty).toSeq

  def clean(bytes: Array[Byte]): CleanMetadata = {
    val fields = AvroFile.read(bytes)
    CleanMetadata(fields.text("startCleanTime").getOrElse(""), fields.number("timeTakenInMillis"),
      fields.text("earliestCommitToRetain").getOrElse(""), fields.text("lastCompletedCommitTimestamp").getOrElse(""),
      fields.childMap("partitionMetadata").map { case (partition, p) =>
        CleanedPartition(TablePath.relative(partition),
          p.text("policy").getOrElse(""), p.texts("successDeleteFiles").map(TablePath.fileName),
          p.texts("failedDeleteFiles").map(TablePath.fileName), p.flag("isPartitionDeleted"))
      }.toList, savepointsOf(fields))
  }

  def write(metadata: SavepointMetadata): Array[Byte] = AvroFile.write(record(TimelineSchemas.Savepoint)(
      "savepointedBy" -> metadata.by, "savepointedAt" -> metadata.atEpochMs, "comments" -> metadata.comments,
      "partitionMetadata" -> metadata.files.map { case (partition, names) =>
        partition -> record(TimelineSchemas.SavepointPartition)(
          "partitionPath" -> partition, "savepointDataFile" -> names)
      }))

  def savepoint(bytes: Array[Byte]): SavepointMetadata = {
    val fields = AvroFile.read(bytes)
    SavepointMetadata(fields.text("savepointedBy").getOrElse(""), fields.number("savepointedAt"),
      fields.text("comments").getOrElse(""),
      fields.childMap("partitionMetadata").map { case (partition, files) =>
        TablePath.relative(partition) -> files.texts("savepointDataFile").map(TablePath.fileName)
      })
  }
}
