package io.hudilite.spark.bootstrap

import io.hudilite.config.{BootstrapOptions, TableOptions}
import io.hudilite.error.{HudiliteException, InvalidInput}
import io.hudilite.spark.bootstrap.task.{FoundSource, LookedAt, SourceLook, SourceRoot}
import io.hudilite.spark.row.{SessionConf, SharedConf}
import io.hudilite.spark.write.attempt.CommittedWrite
import io.hudilite.spark.write.table.WriteTarget
import io.hudilite.table.{SkeletonPartitions, Table}
import io.hudilite.transaction.{BegunBootstrap, FirstWrite, TransactionOptions}

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.types.StructType

/** A bootstrap of meta columns as it is asked for, checked before anything is made.
  *
  * @param source
  *   folder of all sources, as the options name it
  * @param files
  *   all files there whose rows stay where they are
  * @param folders
  *   columns that folders of the source tell, from above
  */
private[spark] final case class BootstrapPlan(source: String, files: Seq[String], folders: Seq[String]) {

  /** Makes the table with its skeletons, and then what `follow` does. Raises `InvalidInput` for rows that cannot stay where
    * they are, before anything is made. After any failure nothing of the table is left.
    *
    * @param toCome
    *   number of the partitions whose rows `follow` writes
    */
  def run(session: SparkSession, target: WriteTarget, toCome: Int)(follow: String => Unit): CommittedWrite = {
    val root = SourceRoot.of(source, SessionConf.hadoop(session, Map.empty))
    checkTable(target, root.toString)
    val found = looked(session, target, root)
    found.find(_.flaw.isDefined).foreach(file =>
      throw refused(s"the rows of ${file.source.status.path} cannot stay there: ${file.flaw.get}"))
    val sources = found.map(_.source)
    checkPartitions(target, sources)
    new Bootstrap(session, target, root.toString).run(sources, toCome)(follow)
  }

  /** Raises `UnsupportedTable` for a table that has got only a part of its rows. */
  def checkEnded(table: Table): Unit = BegunBootstrap.refuse(table, table.timeline)

  /** Removes a table that an earlier bootstrap has begun and not committed; raises `TABLE_ALREADY_EXISTS` for any other one.
    */
  def clear(table: Table, target: WriteTarget): Unit = {
    if (!table.config.isBootstrapped || table.timeline.writes.nonEmpty)
      throw InvalidInput("TABLE_ALREADY_EXISTS", "path" -> table.basePath)
    FirstWrite.removeUnused(table, TransactionOptions.of(target.conf.commit))
  }

  private def checkTable(target: WriteTarget, root: String): Unit = {
    val config = target.config
    if (config.recordKeyFields.isEmpty) throw InvalidInput("MISSING_OPTION",
      "option" -> TableOptions.RecordKeyFields.name, "reason" -> "rows of other files have no place for generated keys")
    if (!config.populateMetaFields)
      throw refused(s"${TableOptions.PopulateMetaFields.name} is false, and beside the source lie meta columns alone")
    if (target.buckets.isDefined)
      throw refused("rows stay in the files in which they are, and a bucket index deals them to others")
    if (config.dropsPartitionColumns)
      throw refused(s"${TableOptions.DropPartitionColumns.name} is about the files of a table, and rows stay in others")
    if (config.partitionFields != folders)
      throw refused(s"its folders tell ${named(folders)}, and ${TableOptions.PartitionPathFields.name} names " +
        named(config.partitionFields))
    config.recordKeyFields.find(field => folders.contains(field.takeWhile(_ != '.'))).foreach(field =>
      throw refused(s"the column $field of the record key is in no file, since folders tell it"))
    val (table, there) = (s"${target.basePath.stripSuffix("/")}/", s"${root.stripSuffix("/")}/")
    if (table.startsWith(there) || there.startsWith(table))
      throw refused(s"the table at ${target.basePath} would lie in the folder of its source, or around it")
  }

  private def named(columns: Seq[String]): String = if (columns.isEmpty) "no column" else columns.mkString(", ")

  private def looked(session: SparkSession, target: WriteTarget, root: SourceRoot): Seq[LookedAt] = {
    val columns = StructType(target.schema.filterNot(field => folders.contains(field.name)))
    val look = SourceLook(root, columns, target.config.recordKeyFields.map(_.takeWhile(_ != '.')), folders,
      SharedConf(SessionConf.parquetWriter(session)))
    HudiliteException.unwrapping(SourceLook.run(session, look, files))
  }

  // A partition that no write could go on with.
  private def checkPartitions(target: WriteTarget, sources: Seq[FoundSource]): Unit =
    SkeletonPartitions.flawed(target.config, target.shape.schemaJson,
      sources.map(_.partition).distinct.sorted).foreach {
      case (path, reason) => throw refused(s"in the partition '$path' rows cannot stay where they are: $reason")
    }

  private def refused(reason: String): InvalidInput = InvalidInput.option(BootstrapOptions.BasePath.name, source,
    s"$reason; ${BootstrapOptions.FullRecord} copies whole rows instead")
}
