package io.hudilite.spark.basefile.read

import java.io.{ByteArrayInputStream, InputStream}

import org.apache.parquet.format.Util
import org.apache.parquet.format.converter.ParquetMetadataConverter
import org.apache.parquet.hadoop.metadata.ColumnChunkMetaData
import org.apache.parquet.internal.column.columnindex.{ColumnIndex, OffsetIndex}
import org.apache.parquet.io.SeekableInputStream

/** Bounds and places of the pages of a column chunk; null where the file does not have them. */
private[spark] final case class PageIndexes(columns: ColumnIndex, offsets: OffsetIndex)

private[spark] object PageIndexes {

  /** Place of an index in a file. */
  private final case class Place(offset: Long, length: Int) {
    def end: Long = offset + length
  }

  /** Largest size that is read at once. Indexes of a row group with thousands of columns take less. */
  private val MostBytes = 16L << 20

  /** Page indexes of the columns of a row group. They lie in front of the footer, one kind after the other. So each
    * kind is read into memory as one piece, since indexes are decoded byte by byte, and such reads of a file are slow.
    */
  def read(in: SeekableInputStream, chunks: Seq[ColumnChunkMetaData]): Seq[PageIndexes] = {
    val columnPlaces = chunks.map(c => Option(c.getColumnIndexReference).map(r => Place(r.getOffset, r.getLength)))
    val offsetPlaces = chunks.map(c => Option(c.getOffsetIndexReference).map(r => Place(r.getOffset, r.getLength)))
    val (columns, offsets) = (pieces(in, columnPlaces.flatten), pieces(in, offsetPlaces.flatten))
    chunks.indices.map { i =>
      val chunk = chunks(i)
      PageIndexes(
        columnPlaces(i).map { place =>
          ParquetMetadataConverter.fromParquetColumnIndex(chunk.getPrimitiveType, Util.readColumnIndex(columns(place)))
        }.orNull,
        offsetPlaces(i).map(place =>
          ParquetMetadataConverter.fromParquetOffsetIndex(Util.readOffsetIndex(offsets(place)))).orNull)
    }
  }

  /** A stream for each of these places, from memory where they are neighbours. */
  private def pieces(in: SeekableInputStream, places: Seq[Place]): Place => InputStream = {
    val (from, until) =
      (places.map(_.offset).foldLeft(Long.MaxValue)(math.min), places.map(_.end).foldLeft(0L)(math.max))
    if (until > from && until - from == places.map(_.length.toLong).sum && until - from <= MostBytes) {
      val bytes = new Array[Byte]((until - from).toInt)
      in.seek(from)
      in.readFully(bytes)
      place => new ByteArrayInputStream(bytes, (place.offset - from).toInt, place.length)
    } else { place =>
      in.seek(place.offset)
      in
    }
  }
}
