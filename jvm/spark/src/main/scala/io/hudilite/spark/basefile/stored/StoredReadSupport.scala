package io.hudilite.spark.basefile.stored

import java.time.ZoneId

import org.apache.parquet.hadoop.api.{InitContext, ReadSupport}
import org.apache.parquet.schema.LogicalTypeAnnotation.TimeLogicalTypeAnnotation
import org.apache.parquet.schema.MessageType
import org.apache.spark.sql.catalyst.util.RebaseDateTime.RebaseSpec
import org.apache.spark.sql.execution.datasources.parquet.ParquetReadSupport

import scala.collection.JavaConverters._

/** Parquet's record assembly for Spark's rows, with times of day as the numbers that they are stored as. Spark's own
  * asks for the Spark type of list elements, and fails where there is none.
  */
private[spark] final class StoredReadSupport(int96Zone: Option[ZoneId], datetimeRebase: RebaseSpec,
    int96Rebase: RebaseSpec)
    extends ParquetReadSupport(int96Zone, false, datetimeRebase, int96Rebase) {

  override def init(context: InitContext): ReadSupport.ReadContext = {
    val asked = super.init(context)
    val schema = asked.getRequestedSchema
    val times = schema.getColumns.asScala.filter(
      _.getPrimitiveType.getLogicalTypeAnnotation.isInstanceOf[TimeLogicalTypeAnnotation])
    if (times.isEmpty) asked
    else {
      val paths = times.map(c => c.getPath.toList -> c.getPrimitiveType).toMap
      val plain = schema.getFields.asScala.map(FileType.plain(_, paths, Nil)).asJava
      new ReadSupport.ReadContext(new MessageType(schema.getName, plain), asked.getReadSupportMetadata)
    }
  }
}
