package io.hudilite.metadata.known

import io.hudilite.filegroup.BaseFileFooter
import io.hudilite.metadata.{FooterFacts, KnownFile}
import io.hudilite.storage.Storage

import org.apache.hadoop.conf.Configuration

import scala.collection.JavaConverters._

/** Facts on files that are there, for the records of a metadata table: of base files from their footers, of log files from
  * all records in them. Writers know the facts on their own files without it.
  *
  * @param columns
  *   dotted names of the columns to tell of
  * @param blooms
  *   tell of bloom filters, too
  */
final class FactsOfFiles(storage: Storage, conf: => Configuration, columns: Seq[String], blooms: Boolean) {

  private lazy val hadoop = conf
  private lazy val logs = new LogFacts(storage, hadoop, columns)

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
    val footer = BaseFileFooter.metadata(hadoop, path, length)
    val values = footer.getFileMetaData.getKeyValueMetaData.asScala
    KnownFile(length, if (columns.isEmpty) Map.empty else FooterFacts.of(footer).filter(c => columns.contains(c._1)),
      if (blooms) BaseFileFooter.BloomKeys.flatMap(values.get).headOption else None)
  }
}
