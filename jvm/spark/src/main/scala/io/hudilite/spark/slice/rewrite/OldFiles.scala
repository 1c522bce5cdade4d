package io.hudilite.spark.slice.rewrite

import io.hudilite.filegroup.BaseFile
import io.hudilite.schema.EvolvedColumns
import io.hudilite.spark.basefile.read.{FolderColumns, OldBaseFile, ReaderContexts}
import io.hudilite.spark.basefile.skeleton.OldSkeleton
import io.hudilite.spark.row.KeySettings

import org.apache.spark.sql.types.StructType

/** The base files that a merge replaces, wherever their columns lie. */
private[spark] object OldFiles {

  /** @param keys
    *   tells which columns the path of a partition has
    * @param storesKeys
    *   rows have their record keys as meta columns
    */
  def of(basePath: String, file: BaseFile, columns: StructType, contexts: ReaderContexts,
      evolved: Option[EvolvedColumns], keys: KeySettings, storesKeys: Boolean): OldBaseFile =
    if (file.sourceOfSkeleton.isEmpty)
      new OldBaseFile(basePath, file, columns, contexts, evolved, if (storesKeys) None else Some(keys))
    else new OldSkeleton(basePath, file, columns, contexts, evolved,
      FolderColumns(keys.partitionFields.map(_.name), keys.urlEncode))
}
