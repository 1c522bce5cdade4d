package io.hudilite.spark.catalog

import io.hudilite.filegroup.PathSelection
import io.hudilite.service.partition.PartitionDrops
import io.hudilite.spark.basefile.read.ScanFilter
import io.hudilite.spark.plan.table.PlannedTable
import io.hudilite.spark.scan.plan.PartitionPruning
import io.hudilite.spark.shim.CachedPlans
import io.hudilite.table.Table
import io.hudilite.transaction.TransactionOptions

import java.util.{Collections, Map => JMap}

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.connector.catalog.SupportsAtomicPartitionManagement
import org.apache.spark.sql.types.StructType

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
    PartitionDrops.run(found, dropped, TransactionOptions.of(writeConf().commit))
    CachedPlans.refresh(session, basePath)
    true
  }

  override def truncatePartitions(idents: Array[InternalRow]): Boolean = dropPartitions(idents)
  override def truncatePartition(ident: InternalRow): Boolean = dropPartitions(Array(ident))

  override def purgePartitions(idents: Array[InternalRow]): Boolean =
    throw UnsupportedStatement.PurgePartition.of(basePath)
  override def purgePartition(ident: InternalRow): Boolean = throw UnsupportedStatement.PurgePartition.of(basePath)

  override def createPartitions(idents: Array[InternalRow], properties: Array[JMap[String, String]]): Unit =
    throw UnsupportedStatement.AddPartition.of(basePath)

  override def renamePartition(from: InternalRow, to: InternalRow): Boolean =
    throw UnsupportedStatement.AddPartition.of(basePath)

  override def replacePartitionMetadata(ident: InternalRow, properties: JMap[String, String]): Unit =
    throw UnsupportedStatement.AddPartition.of(basePath)

  override def loadPartitionMetadata(ident: InternalRow): JMap[String, String] = Collections.emptyMap()
}
