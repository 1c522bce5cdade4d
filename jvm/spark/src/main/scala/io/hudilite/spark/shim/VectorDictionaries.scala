package io.hudilite.spark.shim

import org.apache.spark.sql.execution.vectorized.{Dictionary, WritableColumnVector}

/** The dictionary of a vector, which tells that it has one and gives it to its own package only. */
object VectorDictionaries {

  private val OfVector = {
    val field = classOf[WritableColumnVector].getDeclaredField("dictionary")
    field.setAccessible(true)
    field
  }

  /** `null` when the vector has none. */
  def of(vector: WritableColumnVector): Dictionary = OfVector.get(vector).asInstanceOf[Dictionary]
}
