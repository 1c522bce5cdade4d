package io.hudilite.spark.basefile.read

import org.apache.spark.sql.execution.vectorized.ConstantColumnVector
import org.apache.spark.sql.types.DataType
import org.apache.spark.sql.vectorized.ColumnVector
import org.apache.spark.unsafe.types.UTF8String

/** A column of one value. */
private[spark] object ConstantColumn {

  /** @param value
    *   in Spark's internal form
    */
  def of(rows: Int, dataType: DataType, value: Any): ColumnVector = {
    val vector = new ConstantColumnVector(rows, dataType)
    value match {
      case flag: Boolean => vector.setBoolean(flag)
      case number: Byte => vector.setByte(number)
      case number: Short => vector.setShort(number)
      case number: Int => vector.setInt(number)
      case number: Long => vector.setLong(number)
      case text: UTF8String => vector.setUtf8String(text)
      case null => vector.setNull()
      case other => throw new IllegalStateException(s"no column of one ${other.getClass}")
    }
    vector
  }
}
