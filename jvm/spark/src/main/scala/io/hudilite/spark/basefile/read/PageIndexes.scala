package io.hudilite.spark.basefile.read

import org.apache.parquet.format.Util
import org.apache.parquet.format.converter.ParquetMetadataConverter
import org.apache.parquet.hadoop.metadata.ColumnChunkMetaData
import org.apache.parquet.internal.column.columnindex.{ColumnIndex, OffsetIndex}
import org.apache.parquet.io.SeekableInputStream

/** Bounds and places of the pages of a column chunk; null where the file does not have them. */
private[spark] final case class PageIndexes(columns: ColumnIndex, offsets: OffsetIndex)

private[spark] object PageIndexes {

  /** They lie in front of the footer, so that they are mostly in memory by now. */
  def read(in: SeekableInputStream, chunk: ColumnChunkMetaData): PageIndexes = PageIndexes(
    Option(chunk.getColumnIndexReference).map { place =>
      in.seek(place.getOffset)
      ParquetMetadataConverter.fromParquetColumnIndex(chunk.getPrimitiveType, Util.readColumnIndex(in))
    }.orNull,
    Option(chunk.getOffsetIndexReference).map { place =>
      in.seek(place.getOffset)
      ParquetMetadataConverter.fromParquetOffsetIndex(Util.readOffsetIndex(in))
    }.orNull)
}
