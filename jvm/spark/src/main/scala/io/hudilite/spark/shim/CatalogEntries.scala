package io.hudilite.spark.shim

import java.net.URI

import org.apache.hadoop.fs.Path
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.catalog.{
  CatalogStorageFormat,
  CatalogTable,
  CatalogTablePartition,
  CatalogTableType,
  SessionCatalog
}
import org.apache.spark.sql.catalyst.TableIdentifier
import org.apache.spark.sql.types.StructType

/** Entries of the session's own catalog. Spark adds constructor parameters to their classes between minor versions,
  * always behind the others and with defaults, so parameters are set by position.
  */
object CatalogEntries {

  def catalog(session: SparkSession): SessionCatalog = session.sessionState.catalog

  def of(identifier: TableIdentifier, managed: Boolean, location: URI, schema: StructType, provider: String,
      properties: Map[String, String], comment: Option[String]): CatalogTable = {
    val storage = changed(CatalogStorageFormat.empty, Map(0 -> Some(location)))
    val kind = if (managed) CatalogTableType.MANAGED else CatalogTableType.EXTERNAL
    val first = Seq[AnyRef](identifier, kind, storage, schema, Some(provider))
    val made = constructor(classOf[CatalogTable])
    val rest = first.size.until(made.getParameterCount).map(at => default(CatalogTable, at + 1))
    described(made.newInstance(first ++ rest: _*).asInstanceOf[CatalogTable], properties, comment)
  }

  /** The entry of a table that Hive can read.
    *
    * @param classes
    *   Hive's input format, output format and serde
    */
  def read(entry: CatalogTable, partitions: Seq[String], classes: Seq[String]): CatalogTable = {
    val named = classes.zipWithIndex.map { case (name, at) => at + 1 -> (Some(name): AnyRef) }.toMap
    changed(entry, Map(2 -> changed(entry.storage, named), 5 -> partitions))
  }

  /** The entry with properties of its storage, which Hive calls those of a serde. */
  def stored(entry: CatalogTable, properties: Map[String, String]): CatalogTable =
    changed(entry, Map(2 -> changed(entry.storage, Map(5 -> properties))))

  /** The entry with columns as Hive has them, and without the classes of its formats. */
  private[shim] def inHive(entry: CatalogTable, columns: StructType): CatalogTable =
    changed(entry, Map(2 -> changed(entry.storage, Map(1 -> None, 2 -> None)), 3 -> columns))

  /** A partition of the entry, read as the entry is. */
  private[shim] def partition(entry: CatalogTable, values: Map[String, String], location: String)
      : CatalogTablePartition = {
    val storage = changed(entry.storage, Map(0 -> Some(new Path(location).toUri)))
    val made = constructor(classOf[CatalogTablePartition])
    val rest = 2.until(made.getParameterCount).map(at => default(CatalogTablePartition, at + 1))
    made.newInstance(Seq[AnyRef](values, storage) ++ rest: _*).asInstanceOf[CatalogTablePartition]
  }

  /** The entry with other properties and another comment. */
  def described(entry: CatalogTable, properties: Map[String, String], comment: Option[String]): CatalogTable =
    changed(entry, Map(11 -> properties, 14 -> comment))

  /** The entry as one whose files belong to the catalog, or to others. */
  def managed(entry: CatalogTable, managed: Boolean): CatalogTable =
    changed(entry, Map(1 -> (if (managed) CatalogTableType.MANAGED else CatalogTableType.EXTERNAL)))

  private def changed[T <: Product](value: T, changes: Map[Int, AnyRef]): T =
    constructor(value.getClass).newInstance(value.productIterator.zipWithIndex.map { case (old, at) =>
      changes.getOrElse(at, old.asInstanceOf[AnyRef])
    }.toSeq: _*).asInstanceOf[T]

  private def constructor(cls: Class[_]): java.lang.reflect.Constructor[_] =
    cls.getConstructors.maxBy(_.getParameterCount)

  private def default(companion: AnyRef, at: Int): AnyRef =
    companion.getClass.getMethod("$lessinit$greater$default$" + at).invoke(companion)
}
