package io.hudilite.spark.inspect

import io.hudilite.spark.basefile.read.ScanFilter
import io.hudilite.spark.row.SharedConf
import io.hudilite.spark.shim.{Sessions, TableOfPath}
import io.hudilite.spark.task.TaskScan
import io.hudilite.table.Table

import java.util.{Collections, Set => JSet}

import org.apache.spark.sql.{Row, SparkSession}
import org.apache.spark.sql.catalyst.{CatalystTypeConverters, InternalRow}
import org.apache.spark.sql.connector.catalog.{SupportsRead, TableCapability}
import org.apache.spark.sql.connector.expressions.filter.Predicate
import org.apache.spark.sql.connector.read.{
  LocalScan,
  Scan,
  ScanBuilder,
  SupportsPushDownLimit,
  SupportsPushDownRequiredColumns,
  SupportsPushDownV2Filters
}
import org.apache.spark.sql.types.StructType
import org.apache.spark.sql.util.CaseInsensitiveStringMap

/** Facts on a table as a table to select from: hudilite.`/data/trips`.history. It can only be read.
  *
  * @param session
  *   that selects from it, of whose Hadoop configuration tasks read footers
  */
final case class InspectTable(table: Table, what: Inspection)(session: SparkSession) extends SupportsRead
    with TableOfPath {

  override def basePath: String = table.basePath

  override def name(): String = s"hudilite.`${table.basePath}`.${what.name}"

  override def toString: String = name()

  override def schema(): StructType = what.schema

  override def capabilities(): JSet[TableCapability] = Collections.singleton(TableCapability.BATCH_READ)

  override def newScanBuilder(options: CaseInsensitiveStringMap): ScanBuilder = new InspectTable.Builder(this, session)
}

object InspectTable {

  private final class Builder(of: InspectTable, session: SparkSession) extends ScanBuilder
      with SupportsPushDownRequiredColumns with SupportsPushDownV2Filters with SupportsPushDownLimit {

    private var columns = of.what.schema // set by Spark before it builds the scan
    private var asked = RowsAsked.All
    private var pushed: Array[Predicate] = Array.empty

    // A column comes as a whole.
    override def pruneColumns(required: StructType): Unit =
      columns = StructType(required.fieldNames.map(of.what.schema(_)))

    override def pushPredicates(predicates: Array[Predicate]): Array[Predicate] = {
      val understood = predicates.toSeq.flatMap(p => ScanFilter.of(p, of.what.schema).map(p -> _))
      pushed = understood.map(_._1).toArray
      asked = asked.copy(filters = understood.map(_._2))
      predicates
    }

    override def pushedPredicates(): Array[Predicate] = pushed

    override def pushLimit(rows: Int): Boolean = {
      asked = asked.copy(limit = Some(rows))
      true
    }

    override def build(): Scan = of.what match {
      case driver: DriverInspection =>
        val (table, rows) = (of.table, asked)
        new DriverScan(of.name(), columns,
          () => rows.limit.fold(driver.rows(table, rows))(driver.rows(table, rows).take), driver.schema)
      case slices: SliceInspection => tasks(slices)
      case Inspection.HudiMetadata =>
        val metadata = MetadataRecordsTask.metadataOf(of.table)
        new TaskScan(of.name(), columns,
          MetadataRecordsTask(columns, metadata.stored, SharedConf(Sessions.hadoopConf(session))),
          MetadataRecordsTask.batches(metadata, asked))
    }

    private def tasks(what: SliceInspection): Scan = {
      val conf = SharedConf(Sessions.hadoopConf(session))
      val found = of.table.files.iterator(asked.partitions).flatMap(_._2)
      // Of each slice comes a row at least.
      val batches = SliceInspectionTask.batches(asked.limit.fold(found)(found.take),
        withFooters = columns.fieldNames.exists(what.footerColumns))
      new TaskScan(of.name(), columns, SliceInspectionTask(what, columns, of.table.basePath, conf), batches)
    }
  }

  /** Rows that the driver makes when they are asked for. */
  private final class DriverScan(label: String, columns: StructType, all: () => Iterator[Row], schema: StructType)
      extends LocalScan {

    override def readSchema(): StructType = columns

    override def description(): String = label

    override def rows(): Array[InternalRow] = {
      val at = columns.fieldNames.toSeq.map(schema.fieldIndex)
      val converter = CatalystTypeConverters.createToCatalystConverter(columns)
      all().map(row => converter(Row.fromSeq(at.map(row.get))).asInstanceOf[InternalRow]).toArray
    }
  }
}
