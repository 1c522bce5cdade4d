package org.apache.spark.sql.hudilite

import org.apache.spark.rdd.InputFileBlockHolder

/** What `input_file_name()` and its kin tell in the thread of a task; Spark keeps the place to its own sources. */
object InputFiles {

  /** @param path
    *   encoded as in a URI
    * @param length
    *   bytes from `start` on
    */
  def set(path: String, start: Long, length: Long): Unit = InputFileBlockHolder.set(path, start, length)

  def unset(): Unit = InputFileBlockHolder.unset()
}
