package io.hudilite.codec.parquet

import java.util.{Map => JMap}

import org.apache.hadoop.conf.Configuration
import org.apache.parquet.conf.HadoopParquetConfiguration
import org.apache.parquet.hadoop.api.ReadSupport
import org.apache.parquet.hadoop.api.ReadSupport.ReadContext
import org.apache.parquet.io.api.RecordMaterializer
import org.apache.parquet.schema.MessageType

/** Makers of records; releases of Parquet take their settings in different types. */
private[parquet] object Materializers {

  def of[T](support: ReadSupport[T], conf: Configuration, metadata: JMap[String, String], schema: MessageType,
      context: ReadContext): RecordMaterializer[T] =
    support.prepareForRead(new HadoopParquetConfiguration(conf), metadata, schema, context)
}
