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

  /** All rows: row groups of a skeleton say nothing of the source. */
  override def batches(of: Seq[BlockMetaData]): OldRows = {
    if (of.size != blocks.size) throw new IllegalStateException(s"some row groups of the skeleton ${skeleton.name}")
    new SkeletonBatches(basePath, skeleton, contexts, evolved, folders).open(CarriedSchema.schema(columnsOfTable),
      SQLConf.get.parquetVectorizedReaderBatchSize)
  }

  override def batches(of: Seq[BlockMetaData], ordinals: Array[Int]): OldRows =
    throw new IllegalStateException(s"some columns of the skeleton ${skeleton.name}")
}
