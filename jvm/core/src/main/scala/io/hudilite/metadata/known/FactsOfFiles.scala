package io.hudilite.metadata.known

import io.hudilite.filegroup.{BaseFileFooter, StoredFile}
import io.hudilite.metadata.{FooterFacts, KnownFile}
import io.hudilite.storage.Storage

import scala.collection.JavaConverters._

/** Facts on files that are there, for the records of a metadata table: of base files from their footers, of log files from
  * all records in them.
  *
  * @param columns
  *   dotted names of the columns to tell of
  * @param blooms
  *   tell of bloom filters, too
  */
final class FactsOfFiles(storage: Storage, columns: Seq[String], blooms: Boolean) {

  private val wanted = columns.toSet
  private val logs = new LogFacts(storage, columns)

  /** @param path
    *   absolute path of the file
    * @param length
    *   its size in bytes
    */
  def of(path: String, length: Long): KnownFile =
    if (path.substring(path.lastIndexOf('/') + 1).startsWith("."))
      KnownFile(length, if (columns.isEmpty) Map.empty else logs.of(path, length))
    else if (columns.isEmpty && !blooms) KnownFile(length)
    else ofBase(path, length)

  private def ofBase(path: String, length: Long): KnownFile = {
    val footer = BaseFileFooter.metadata(new StoredFile(storage, path, length), path)
    val values = footer.getFileMetaData.getKeyValueMetaData.asScala
    KnownFile(length, if (columns.isEmpty) Map.empty else FooterFacts.of(footer).filter(c => wanted(c._1)),
      if (blooms) BaseFileFooter.BloomKeys.flatMap(values.get).headOption else None,
      if (blooms) values.get(BaseFileFooter.BloomTypeCode) else None)
  }
}
