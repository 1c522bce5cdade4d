package io.hudilite.spark.basefile.skeleton

import io.hudilite.filegroup.BaseFile
import io.hudilite.schema.EvolvedColumns
import io.hudilite.spark.basefile.read.{FolderColumns, OldBaseFile, OldRows, ReaderContexts}
import io.hudilite.spark.row.CarriedSchema

import org.apache.parquet.hadoop.metadata.BlockMetaData
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.types.StructType

/** A skeleton that a merge replaces by a base file with all columns. */
private[spark] final class OldSkeleton(basePath: String, skeleton: BaseFile, columnsOfTable: StructType,
    contexts: ReaderContexts, evolved: Option[EvolvedColumns], folders: FolderColumns)
    extends OldBaseFile(basePath, skeleton, columnsOfTable, contexts, evolved) {

  private val all = CarriedSchema.schema(columnsOfTable)

  /** Rows are only read all together. */
  override val sortedByKey: Boolean = false

  /** All or none: row groups of a skeleton say nothing of the source. */
  override def blocksFor(wanted: BlockMetaData => Boolean): Seq[BlockMetaData] =
    if (blocks.exists(wanted)) blocks else Nil

  override def batches(of: Seq[BlockMetaData]): OldRows = open(of, all)

  override def batches(of: Seq[BlockMetaData], ordinals: Array[Int]): OldRows =
    open(of, StructType(ordinals.map(all(_))))

  private def open(of: Seq[BlockMetaData], columns: StructType): OldRows = {
    if (of.size != blocks.size) throw new IllegalStateException(s"some row groups of the skeleton ${skeleton.name}")
    new SkeletonBatches(basePath, skeleton, contexts, evolved, folders).open(columns,
      SQLConf.get.parquetVectorizedReaderBatchSize)
  }
}
