package io.hudilite.spark.catalog

import org.apache.spark.sql.connector.catalog.Identifier

/** A table named by its path, with the options it was asked for.
  *
  * @param mustExist
  *   whether it is asked for to be read; known only as the table is loaded
  */
final class PathIdentifier(val path: String, val options: Map[String, String], val mustExist: () => Boolean)
    extends Identifier {
  override def namespace(): Array[String] = Array.empty
  override def name(): String = path
  override def toString: String = path
  override def equals(other: Any): Boolean = other match {
    case that: PathIdentifier => path == that.path && options == that.options
    case _ => false
  }
  override def hashCode: Int = path.hashCode
}
