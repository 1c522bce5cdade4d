package io.hudilite.spark.basefile.encode

import org.apache.parquet.bytes.BytesInput
import org.apache.parquet.column.{ColumnDescriptor, Encoding}
import org.apache.parquet.column.page.{DictionaryPage, PageWriter}
import org.apache.parquet.column.statistics.Statistics
import org.apache.parquet.io.api.Binary

/** A column chunk with one text in all rows: a dictionary of one value, and a page with one run of its number.
  *
  * A writer of values would look at each. That is most of the cost of copying a row group beyond the bytes.
  */
private[encode] object ConstantChunk {

  /** Bits of a number below the size of the dictionary, which is 1. */
  private val IdBits: Byte = 0

  /** Writes the pages of the chunk.
    *
    * @param column
    *   a text outside of lists and structs, nullable or not
    * @param rows
    *   number of rows of the chunk, at least one
    */
  def write(pages: PageWriter, column: ColumnDescriptor, value: Binary, rows: Int): Unit = {
    val statistics: Statistics[_] = Statistics.createStats(column.getPrimitiveType)
    statistics.updateStats(value)
    val isNullable = column.getMaxDefinitionLevel > 0
    val content = BytesInput.concat(if (isNullable) levels(rows) else BytesInput.empty(), ids(rows))
    pages.writePage(content, rows, rows, statistics, Encoding.RLE, Encoding.RLE, Encoding.RLE_DICTIONARY)
    val text = BytesInput.concat(BytesInput.fromInt(value.length), BytesInput.from(value.getBytesUnsafe))
    pages.writeDictionaryPage(new DictionaryPage(text, 1, Encoding.PLAIN))
  }

  // No value is null.
  private def levels(rows: Int): BytesInput = {
    val ones = run(rows, Array[Byte](1))
    BytesInput.concat(BytesInput.fromInt(ones.size.toInt), ones)
  }

  private def ids(rows: Int): BytesInput = BytesInput.concat(BytesInput.from(Array[Byte](IdBits)), run(rows, Array()))

  /** A number that repeats: its count, in Parquet's hybrid of runs and packed bits, and the number in as few bytes as
    * possible. An encoder would have to be called for each row.
    */
  private def run(rows: Int, number: Array[Byte]): BytesInput =
    BytesInput.concat(BytesInput.fromUnsignedVarInt(rows << 1), BytesInput.from(number))
}
