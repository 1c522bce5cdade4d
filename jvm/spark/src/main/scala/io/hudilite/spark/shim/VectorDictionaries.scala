package io.hudilite.spark.shim

import org.apache.spark.sql.execution.vectorized.{Dictionary, WritableColumnVector}

/** The dictionary of a vector. Spark shows to anybody that there is one, and the dictionary itself to its own package
  * only.
  */
object VectorDictionaries {

  private val OfVector = {
    val field = classOf[WritableColumnVector].getDeclaredField("dictionary")
    field.setAccessible(true)
    field
  }

  /** `null` when the vector has none. */
  def of(vector: WritableColumnVector): Dictionary = OfVector.get(vector).asInstanceOf[Dictionary]
}
