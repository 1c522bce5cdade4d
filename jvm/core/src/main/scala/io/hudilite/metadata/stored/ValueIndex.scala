package io.hudilite.metadata.stored

import io.hudilite.config.TableConfig
import io.hudilite.error.CorruptTable
import io.hudilite.metadata.{AvroStatValues, MetadataPartition, SecondaryIndex, SecondaryKey, StatType}
import io.hudilite.storage.{Closing, Parallel}

import scala.util.Try

import org.apache.avro.Schema

/** A secondary index of a table's metadata table: the record keys of the rows that have a value in a column. Raises
  * `CORRUPT_FILE` where it cannot be trusted, as the metadata table does.
  *
  * @param isNumber
  *   texts of values are those of whole numbers
  */
final class ValueIndex private (metadata: MetadataTable, of: SecondaryIndex, isNumber: Boolean) {

  import ValueIndex._

  private val partition: MetadataPartition = of.partition

  /** The name that the user has chosen. */
  def name: String = partition.name.stripPrefix(MetadataPartition.SecondaryPrefix)

  /** The column of the table, by its exact letters. */
  def column: String = of.column

  /** Why it may be wrong in a table with these properties, as one of several. */
  def beside(table: TableConfig): Option[String] = SecondaryIndex.several(table, partition.name)

  /** All that a question for very many values may read. */
  def bytes: Long = metadata.slices(partition).map(_.totalLength).sum

  /** The record keys of the rows with one of the values; `None` where these are more than `most`.
    *
    * @param values
    *   texts of values, none of them null
    */
  def keys(values: Set[String], most: Int): Option[Set[String]] = {
    val groups = metadata.slices(partition).size
    val asked = values.toSeq.flatMap { value =>
      val own = of.groupOf(Some(value), groups)
      own.fold(0 until groups)(n => n to n).map(_ -> SecondaryKey.prefix(Some(value)))
    }.groupBy(_._1).map { case (number, some) => number -> some.map(_._2).toSet }
    asked.toSeq.grouped(AtOnce).foldLeft(Option(Set.empty[String])) { (found, next) =>
      found.map(_ ++ Parallel.map(next) { case (number, prefixes) => keysIn(number, prefixes, most) }.flatten)
        .filter(_.size <= most)
    }
  }

  /** One key more than `most` at most. */
  private def keysIn(number: Int, prefixes: Set[String], most: Int): Seq[String] = {
    val records = metadata.recordsBeginning(partition, number, prefixes)
    try records.map(record => SecondaryKey.parse(record.key).recordKey).take(most + 1).toList
    finally Closing.close(records)
  }

  /** Number of its pairs of a value and a record key, or the reason why that is not known. */
  lazy val entries: Either[String, Long] = new IndexEntries(metadata, partition).counted { (ids, keys) =>
    ids.indices.iterator.flatMap(n => keys(n).iterator.flatMap(strange(_, n, ids.size))).take(1).toList.headOption
  }

  private def strange(key: String, number: Int, groups: Int): Option[String] = {
    val value = CorruptTable.guard(partition.name)(SecondaryKey.parse(key)).value
    if (of.groupOf(key, groups) != number) Some(s"the file group $number of $groups is not that of its key $key")
    else value.filterNot(isSpelled).map(text => s"it has the value '$text' for a number")
  }

  private def isSpelled(text: String): Boolean = !isNumber || Try(text.toLong.toString).toOption.contains(text)
}

object ValueIndex {

  // Each may have more keys than are wanted.
  private val AtOnce = 16

  /** The secondary indexes of columns of the table that can be read; of other kinds than are known there are none.
    *
    * @param columns
    *   of the table, in Avro's words
    */
  def all(metadata: MetadataTable, columns: String): Seq[ValueIndex] = {
    lazy val schema = new Schema.Parser().parse(columns)
    metadata.listed.filter(_.startsWith(MetadataPartition.SecondaryPrefix)).flatMap { name =>
      for {
        index <- SecondaryIndex.of(name, metadata.definitions.get(name), metadata.version).toOption
        // Its letters count: of a column that others do not find Apache Hudi keeps nulls.
        column <- Option(schema.getField(index.column)) if SecondaryIndex.takes(column.schema)
        kind <- AvroStatValues.kind(column.schema)
      } yield new ValueIndex(metadata, index, kind.ordinal != StatType.Text)
    }
  }
}
