package org.apache.spark.sql.hudilite

import org.apache.spark.rdd.InputFileBlockHolder

/** Answers of `input_file_name()` and its kin in the thread of a task. Spark keeps their place to its own sources. */
object InputFiles {

  /** @param path
    *   encoded as in a URI
    * @param length
    *   bytes from `start` on
    */
  def set(path: String, start: Long, length: Long): Unit = InputFileBlockHolder.set(path, start, length)

  def unset(): Unit = InputFileBlockHolder.unset()
}
