package io.hudilite.spark.row

import io.hudilite.record.MetaFields

import org.apache.spark.sql.types.{StringType, StructField, StructType}

/** The columns of rows that go unchanged from one file to another: the meta columns without the name of the file, which
  * is that of the new one, then the data columns.
  */
private[spark] object CarriedSchema {

  val Meta: Seq[String] =
    Seq(MetaFields.CommitTime, MetaFields.CommitSeqno, MetaFields.RecordKey, MetaFields.PartitionPath)

  /** Position of the record key. */
  val KeyOrdinal = 2

  def schema(dataSchema: StructType): StructType =
    StructType(Meta.map(StructField(_, StringType)) ++ dataSchema.fields)
}
