package io.hudilite.spark.shim

import org.apache.parquet.bytes.ByteBufferAllocator
import org.apache.parquet.compression.CompressionCodecFactory
import org.apache.parquet.hadoop.{CodecFactory, ColumnChunkPageWriteStore}
import org.apache.parquet.hadoop.metadata.CompressionCodecName
import org.apache.parquet.schema.MessageType

/** Parquet's buffer of compressed pages. Its constructor takes another type of compressor from parquet 1.14 on. */
object PageStores {

  def open(codecs: CodecFactory, codec: CompressionCodecName, schema: MessageType, allocator: ByteBufferAllocator,
      indexTruncateBytes: Int): ColumnChunkPageWriteStore = {
    val compressor: CompressionCodecFactory.BytesInputCompressor = codecs.getCompressor(codec)
    new ColumnChunkPageWriteStore(compressor, schema, allocator, indexTruncateBytes, true)
  }
}
