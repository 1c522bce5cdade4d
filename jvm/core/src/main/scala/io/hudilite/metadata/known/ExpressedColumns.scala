package io.hudilite.metadata.known

import io.hudilite.codec.parquet.ParquetRecords
import io.hudilite.metadata.{StatType, StatValue}

import org.apache.parquet.example.data.Group
import org.apache.parquet.hadoop.api.{InitContext, ReadSupport}
import org.apache.parquet.hadoop.example.GroupReadSupport
import org.apache.parquet.schema.{MessageType, Type}
import org.apache.parquet.schema.LogicalTypeAnnotation.{DateLogicalTypeAnnotation, StringLogicalTypeAnnotation}

import scala.collection.JavaConverters._

/** Values of functions over columns of Parquet files, of which no others are read. */
private[known] object ExpressedColumns {

  /** Adds the values of a file. */
  def add(records: ParquetRecords, spans: Seq[ExpressedValues]): Unit = {
    val file = records.footer.getFileMetaData.getSchema
    val (there, missing) = spans.partition(span => file.containsField(span.index.column))
    val rows = records.footer.getBlocks.asScala.map(_.getRowCount).sum
    // The columns of a skeleton are in another file.
    val isSkeleton = file.getFields.asScala.forall(_.getName.startsWith(MetaPrefix))
    missing.foreach(span => if (isSkeleton) span.addUntold() else span.addNulls(rows))
    val (read, others) = there.partition(span => isRead(typeOf(file, span), span.index.function.takes))
    others.foreach(_.addUntold())
    val columns = read.map(span => typeOf(file, span)).distinct
    val at = read.map(span => span -> columns.indexWhere(_.getName == span.index.column))
    if (read.nonEmpty && rows > 0) records.of(new ColumnsOf(new MessageType(file.getName, columns.asJava)))
      .foreach(row => at.foreach { case (span, n) => span.add(value(row, n)) }) // hot path
  }

  private val MetaPrefix = "_hoodie_"

  private def typeOf(file: MessageType, span: ExpressedValues): Type =
    file.getType(file.getFieldIndex(span.index.column))

  private def isRead(column: Type, takes: Int): Boolean = column.isPrimitive &&
    !column.isRepetition(Type.Repetition.REPEATED) &&
    (column.getLogicalTypeAnnotation match {
      case _: StringLogicalTypeAnnotation => takes == StatType.Text
      case _: DateLogicalTypeAnnotation => takes == StatType.Date
      case _ => false
    })

  private def value(row: Group, at: Int): Option[StatValue] =
    if (row.getFieldRepetitionCount(at) == 0) None
    else if (row.getType.getType(at).getLogicalTypeAnnotation.isInstanceOf[DateLogicalTypeAnnotation])
      Some(StatValue.Day(row.getInteger(at, 0)))
    else Some(StatValue.Text(row.getBinary(at, 0).toStringUsingUTF8))

  private final class ColumnsOf(columns: MessageType) extends GroupReadSupport {
    override def init(context: InitContext): ReadSupport.ReadContext = new ReadSupport.ReadContext(columns)
  }
}
