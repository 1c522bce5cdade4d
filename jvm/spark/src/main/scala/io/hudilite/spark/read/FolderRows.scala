package io.hudilite.spark.read

import io.hudilite.spark.basefile.read.SplitReader

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{BoundReference, Literal, UnsafeProjection}
import org.apache.spark.sql.types.StructType

/** The same for rows. */
private[read] final class FolderRows(columns: StructType, inner: SplitReader[InternalRow], values: Map[String, Any])
    extends SplitReader[InternalRow] {

  private val projection = UnsafeProjection.create(columns.fields.toSeq.zipWithIndex.map { case (field, i) =>
    if (values.contains(field.name)) Literal(values(field.name), field.dataType)
    else BoundReference(i, field.dataType, nullable = true)
  })

  override def next(): Boolean = inner.next()
  override def get(): InternalRow = projection(inner.get())
  override def size: Int = 1
  override def close(): Unit = inner.close()
}
