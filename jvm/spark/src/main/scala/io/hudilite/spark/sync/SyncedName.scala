package io.hudilite.spark.sync

import io.hudilite.config.{TableConfig, TableType}
import io.hudilite.error.InvalidInput
import io.hudilite.record.{KeyEncoding, PartitionPaths}
import io.hudilite.spark.catalog.metastore.{HudiEntry, Registered}
import io.hudilite.spark.row.Nullability
import io.hudilite.spark.shim.{CatalogEntries, EntryPartition}
import io.hudilite.sync.{Extractor, SyncConf, SyncOptions}

import java.net.URI

import org.apache.hadoop.fs.Path
import org.apache.spark.sql.catalyst.TableIdentifier
import org.apache.spark.sql.catalyst.catalog.CatalogTable
import org.apache.spark.sql.types.{StringType, StructField, StructType}

/** A name of a table in the session's catalog, with the entry as it is to be.
  *
  * @param extractor
  *   takes the values of the entry's partition columns from paths
  */
private[sync] final case class SyncedName(entry: CatalogTable, basePath: String, extractor: Extractor,
    decodes: Boolean) {

  def id: TableIdentifier = entry.identifier

  def text: String = id.unquotedString

  def isPartitioned: Boolean = entry.partitionColumnNames.nonEmpty

  /** The partition of a path; raises `InvalidInput` where the path does not tell the values. */
  def partition(path: String): EntryPartition = {
    val columns = entry.partitionColumnNames
    val values = extractor.values(path).filter(_.size == columns.size).getOrElse(
      throw InvalidInput.option(SyncOptions.ExtractorClass.name, extractor.name,
        s"the partition '$path' does not tell values of ${columns.mkString(", ")}"))
    val plain = if (decodes) values.map(KeyEncoding.unescape) else values
    EntryPartition(columns, plain, new Path(s"$basePath/$path").toString)
  }
}

private[sync] object SyncedName {

  /** The name that this one was made of: of a merge-on-read table others of its names lie at the same place.
    *
    * @param placeOf
    *   place of the table of a name
    */
  def base(name: String, placeOf: String => Option[URI]): String = {
    val plain = name.replaceAll("_r[ot]$", "")
    val others = Seq("", "_ro", "_rt").map(plain + _).filterNot(_ == name)
    if (plain != name && others.exists(other => placeOf(other).exists(placeOf(name).contains))) plain else name
  }

  /** A kind of name: its ending, and the rows that it shows. */
  private final case class View(ending: String, merged: Boolean)

  /** The names of a table. Raises `InvalidInput` for names and partition columns that a catalog cannot have.
    *
    * @param columns
    *   columns of the table, without meta columns
    */
  def of(config: TableConfig, basePath: String, columns: StructType, conf: SyncConf): Seq[SyncedName] = {
    val fields = conf.fields.getOrElse(config.partitionFields)
    val extractor = conf.extractor.getOrElse(Extractor.fitting(fields.size, config.hiveStyle))
    val named = if (extractor == Extractor.Unpartitioned) Nil else fields
    check(named, extractor, config)
    val typed = registered(config, columns, named, conf)
    val database = conf.database.orElse(config.properties.get("hoodie.database.name").map(_.trim).filter(_.nonEmpty))
      .getOrElse("default")
    val table = conf.table.getOrElse(config.name)
    Seq(database, table).filterNot(_.matches("\\w+")).foreach(name =>
      throw InvalidInput.option(SyncOptions.Table.name, name, "names of a catalog have letters, digits and _ only"))
    views(config, conf).map(view =>
      SyncedName(entry(TableIdentifier(table + view.ending, Some(database)), basePath, typed, named, view,
          config.tableType == TableType.MergeOnRead, conf), basePath, extractor,
        conf.decodes.getOrElse(config.urlEncode)))
  }

  private def check(fields: Seq[String], extractor: Extractor, config: TableConfig): Unit = {
    fields.find(_.contains('.')).foreach(field =>
      throw InvalidInput.option(SyncOptions.PartitionFields.name, field,
        "a catalog has no partition columns in structs"))
    extractor.columns.filter(_ != fields.size).foreach(n =>
      throw InvalidInput.option(SyncOptions.ExtractorClass.name, extractor.name,
        s"it has values for $n partition columns, and these are ${fields.size}: ${fields.mkString(", ")}"))
    if (extractor == Extractor.Levels && config.partitionFields.isEmpty && fields.nonEmpty)
      throw InvalidInput.option(SyncOptions.PartitionFields.name, fields.mkString(","), "the table has no partitions")
  }

  private def views(config: TableConfig, conf: SyncConf): Seq[View] =
    if (config.tableType != TableType.MergeOnRead) Seq(View("", merged = false))
    else conf.strategy match {
      case "RO" => Seq(View("", merged = false))
      case "RT" => Seq(View("", merged = true))
      case _ if conf.skipsSuffix => Seq(View("", merged = false), View("_rt", merged = true))
      case _ => Seq(View("_ro", merged = false), View("_rt", merged = true)) ++
          (if (conf.snapshotByName) Some(View("", merged = true)) else None)
    }

  // Values of formatted times, and of columns that only the paths have, are the texts in the paths.
  private def registered(config: TableConfig, columns: StructType, fields: Seq[String], conf: SyncConf): StructType = {
    val timed =
      if (config.knownKeyGenerator.isEmpty) Set.empty[String]
      else PartitionPaths.of(config).fields.filter(_.timed).map(_.name).toSet
    val present = columns.map { field =>
      val plain = StructField(field.name, Nullability.relaxed(field.dataType))
      val typed = if (timed(field.name) && fields.contains(field.name)) plain.copy(dataType = StringType) else plain
      field.getComment().filter(_ => conf.comments).fold(typed)(typed.withComment)
    }
    StructType(present ++ fields.filterNot(columns.fieldNames.contains).map(StructField(_, StringType)))
  }

  private def entry(id: TableIdentifier, basePath: String, columns: StructType, partitions: Seq[String], view: View,
      isMerged: Boolean, conf: SyncConf): CatalogTable = {
    val schema = HudiEntry.ordered(columns, partitions, withMeta = !conf.omitsMeta)
    val plain = CatalogEntries.of(id, managed = false, new Path(basePath).toUri, schema, Registered.Hudi,
      conf.properties, None)
    val readsOptimized = isMerged && !view.merged
    CatalogEntries.stored(CatalogEntries.read(plain, partitions, HudiEntry.classes(view.merged)),
      conf.serde ++ Map("path" -> basePath, Registered.ReadOptimized -> readsOptimized.toString))
  }
}
