package io.hudilite.spark.catalog

import io.hudilite.config.{TableConfig, TableKeys}
import io.hudilite.filegroup.PathSelection
import io.hudilite.record.{KeyEncoding, PartitionPaths}
import io.hudilite.service.partition.PartitionDrops
import io.hudilite.spark.basefile.read.{ScanFilter, TimeSpelling}
import io.hudilite.spark.keys.KeyedOptions
import io.hudilite.spark.plan.table.PlannedTable
import io.hudilite.spark.row.{FieldText, PathText}
import io.hudilite.spark.scan.plan.PartitionPruning
import io.hudilite.spark.shim.{CachedPlans, Sessions}
import io.hudilite.spark.sync.MetastoreSync
import io.hudilite.table.Table

import java.util.{Collections, Map => JMap}

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.connector.catalog.SupportsAtomicPartitionManagement
import org.apache.spark.sql.types._
import org.slf4j.LoggerFactory

/** SHOW PARTITIONS, ALTER TABLE DROP PARTITION and TRUNCATE TABLE PARTITION. A partition exists while it has rows. */
private[catalog] trait PartitionStatements extends SupportsAtomicPartitionManagement { self: PlannedTable =>

  def session: SparkSession

  protected def rowSchema: StructType

  private lazy val values: Option[PartitionValues] = table.map(t => PartitionValues.of(session, t, rowSchema))

  private def here: (Table, PartitionValues) = (table.get, values.get) // called for existing tables only

  override def partitionSchema(): StructType = values.fold(new StructType())(_.schema)

  override def listPartitionIdentifiers(names: Array[String], ident: InternalRow): Array[InternalRow] = {
    val (found, read) = here
    val at = names.toSeq.map(name => partitionSchema().fieldNames.indexWhere(_.equalsIgnoreCase(name)))
    val types = at.map(partitionSchema()(_).dataType)
    PartitionValues.present(found, folders(found, values(at, ident))).map(read.rowOf).distinct.filter { row =>
      at.indices.forall(i => row.get(at(i), types(i)) == ident.get(i, types(i)))
    }.toArray
  }

  /** Filters for the partition columns at these places. */
  private def values(at: Seq[Int], ident: InternalRow): Seq[ScanFilter] = at.indices.map { i =>
    val (column, dataType) = (Seq(partitionSchema()(at(i)).name), partitionSchema()(at(i)).dataType)
    if (ident.isNullAt(i)) ScanFilter.IsNull(column)
    else ScanFilter.Comparison(column, ScanFilter.Equal, ident.get(i, dataType))
  }

  private def folders(found: Table, wanted: Seq[ScanFilter]): PathSelection =
    PartitionPruning.of(found.config, rowSchema, found.evolved(found.schema)).selection(wanted)

  /** Takes the rows of all these partitions out by one write. */
  override def dropPartitions(idents: Array[InternalRow]): Boolean = {
    val (found, read) = here
    val each = idents.toSeq.map(values(partitionSchema().indices, _))
    val wanted = if (each.size == 1) each.head else Seq(ScanFilter.AnyOf(each.map(ScanFilter.AllOf(_))))
    val dropped = PartitionValues.present(found, folders(found, wanted)).filter(path =>
      idents.contains(read.rowOf(path)))
    val conf = writeConf()
    MetastoreSync.around(session, found, conf.sync) {
      PartitionDrops.run(found, dropped, KeyedOptions.of(session, basePath, conf.commit))
      CachedPlans.refresh(session, basePath)
    }
    true
  }

  override def truncatePartitions(idents: Array[InternalRow]): Boolean = dropPartitions(idents)
  override def truncatePartition(ident: InternalRow): Boolean = dropPartitions(Array(ident))

  override def purgePartitions(idents: Array[InternalRow]): Boolean =
    throw UnsupportedStatement.PurgePartition.of(basePath)
  override def purgePartition(ident: InternalRow): Boolean = throw UnsupportedStatement.PurgePartition.of(basePath)

  /** Makes nothing, and says so: scripts of Hive's add partitions before they write to them. */
  override def createPartitions(idents: Array[InternalRow], properties: Array[JMap[String, String]]): Unit = {
    if (properties.exists(!_.isEmpty)) throw UnsupportedStatement.AddPartition.of(basePath)
    PartitionStatements.logger.warn(
      s"ADD PARTITION changes nothing in the table at $basePath: a partition comes and goes with its rows")
  }

  override def renamePartition(from: InternalRow, to: InternalRow): Boolean =
    throw UnsupportedStatement.AddPartition.of(basePath)

  override def replacePartitionMetadata(ident: InternalRow, properties: JMap[String, String]): Unit =
    throw UnsupportedStatement.AddPartition.of(basePath)

  override def loadPartitionMetadata(ident: InternalRow): JMap[String, String] = Collections.emptyMap()
}

private object PartitionStatements {
  private val logger = LoggerFactory.getLogger("io.hudilite.statements")
}

/** Values of partition columns from the folders of a table.
  *
  * @param schema
  *   partition columns, in the order of the folders
  */
private[catalog] final case class PartitionValues(session: SparkSession, table: Table, schema: StructType) {

  import table.{basePath, config}

  // Lazy, since it needs a look at rows, and only columns of times need it.
  private lazy val timesAsNumbers: Boolean = TimeSpelling.areNumbers(config, schema, schema.fieldNames.toSeq,
    Some(table), asTexts = false, Sessions.hadoopConf(session))

  /** Values of a partition by its path. Raises `InvalidInput` where the path does not tell them. */
  def rowOf(path: String): InternalRow = {
    val levels = if (schema.size == 1) Seq(path) else path.split("/", -1).toSeq
    if (levels.size != schema.size) throw UnsupportedStatement.Partitions(schema.fieldNames.last).of(basePath)
    InternalRow.fromSeq(schema.zip(levels).map { case (field, level) => value(field, text(field, level)) })
  }

  private def text(field: StructField, level: String): String = {
    val plain = if (config.hiveStyle) level.stripPrefix(s"${field.name}=") else level
    if (config.urlEncode) KeyEncoding.unescape(plain) else plain
  }

  private def value(field: StructField, text: String): Any =
    if (text == KeyEncoding.DefaultPartition) null
    else PathText.read(text, field.dataType).filter(_ => !FieldText.hasTwoSpellings(field.dataType) || timesAsNumbers)
      .getOrElse(throw UnsupportedStatement.Partitions(field.name).of(basePath))
}

private[catalog] object PartitionValues {

  /** Partition columns for statements. There are none where folders do not tell the values of some column. */
  def of(session: SparkSession, table: Table, schema: StructType): PartitionValues = {
    val fields = table.config.partitionFields.flatMap(name => schema.find(_.name == name))
    val told = fields.size == table.config.partitionFields.size && isPlain(table.config)
    PartitionValues(session, table, StructType(if (told) fields else Nil))
  }

  // False where values are formatted for their folders, as times are, and cannot be read back.
  private def isPlain(config: TableConfig): Boolean =
    config.knownKeyGenerator.isDefined && PartitionPaths.of(config).fields.forall(!_.timed) &&
      !config.properties.get(TableKeys.SlashSeparatedDates).exists(_.equalsIgnoreCase("true"))

  /** Paths of the selected partitions that have rows. Only selected ones are listed. */
  def present(table: Table, selection: PathSelection): Seq[String] =
    table.files.find(selection).collect { case (path, slices) if slices.nonEmpty => path }.toSeq.sorted
}
