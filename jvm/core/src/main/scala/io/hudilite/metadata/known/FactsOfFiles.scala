package io.hudilite.metadata.known

import io.hudilite.codec.parquet.ParquetRecords
import io.hudilite.error.CorruptTable
import io.hudilite.filegroup.{BaseFileFooter, StoredFile}
import io.hudilite.metadata.{ExpressionIndex, KnownFile}
import io.hudilite.storage.Storage

import org.apache.hadoop.conf.Configuration

import scala.collection.JavaConverters._

/** Facts on files that are there, for the records of a metadata table: of base files from their footers, of log files from
  * all records in them.
  *
  * @param columns
  *   dotted names of the columns to tell of
  * @param blooms
  *   tell of bloom filters, too
  * @param expressions
  *   tell of the values of these, too, for which their columns are read
  */
final class FactsOfFiles(storage: Storage, columns: Seq[String], blooms: Boolean,
    expressions: Seq[ExpressionIndex] = Nil) {

  private val wanted = columns.toSet
  private val logs = new LogFacts(storage, columns, expressions)

  /** @param path
    *   absolute path of the file
    * @param length
    *   its size in bytes
    */
  def of(path: String, length: Long): KnownFile =
    if (path.substring(path.lastIndexOf('/') + 1).startsWith("."))
      if (columns.isEmpty && expressions.isEmpty) KnownFile(length) else logs.of(path, length)
    else if (columns.isEmpty && !blooms && expressions.isEmpty) KnownFile(length)
    else if (expressions.isEmpty) ofBase(path, length)
    else expressed(path, length, ofBase(path, length))

  /** The base file has no rows. */
  def isEmpty(path: String, length: Long): Boolean =
    BaseFileFooter.metadata(new StoredFile(storage, path, length), path).getBlocks.asScala.forall(_.getRowCount == 0)

  private def expressed(path: String, length: Long, known: KnownFile): KnownFile = CorruptTable.guard(path) {
    val records = new ParquetRecords(new StoredFile(storage, path, length), new Configuration(false))
    try {
      val values = expressions.map(ExpressedValues.of)
      ExpressedColumns.add(records, values)
      ExpressedValues.told(values, known)
    } finally records.close()
  }

  private def ofBase(path: String, length: Long): KnownFile = {
    val footer = BaseFileFooter.metadata(new StoredFile(storage, path, length), path)
    val values = footer.getFileMetaData.getKeyValueMetaData.asScala
    KnownFile(length, if (columns.isEmpty) Map.empty else FooterFacts.of(footer).filter(c => wanted(c._1)),
      if (blooms) BaseFileFooter.BloomKeys.flatMap(values.get).headOption else None,
      if (blooms) values.get(BaseFileFooter.BloomTypeCode) else None)
  }
}
