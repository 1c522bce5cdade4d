package io.hudilite.spark.catalog

import org.apache.hadoop.fs.Path
import org.apache.spark.sql.connector.catalog.TableCatalog

/** What a CREATE TABLE says besides the columns. */
private[catalog] object CreatedTable {

  // The data source by its short name and by its class, in lower case.
  private val Formats = Set("hudilite", "io.hudilite.spark.hudilitesource")

  // What Spark adds of itself to the properties of a new table.
  private val OfSpark = Set(TableCatalog.PROP_PROVIDER, TableCatalog.PROP_LOCATION, TableCatalog.PROP_OWNER,
    TableCatalog.PROP_EXTERNAL, TableCatalog.PROP_IS_MANAGED_LOCATION)

  /** The options among the properties; raises `InvalidInput` for another place or format than the path's. */
  def options(path: String, properties: Map[String, String]): Map[String, String] = {
    properties.get(TableCatalog.PROP_LOCATION).filter(new Path(_) != new Path(path))
      .foreach(_ => throw Refusal.Location.of(path))
    properties.get(TableCatalog.PROP_PROVIDER).filterNot(name => Formats(name.toLowerCase))
      .foreach(_ => throw Refusal.Provider.of(path))
    // Spark repeats what OPTIONS says under this prefix.
    properties.filterNot { case (name, _) => OfSpark(name) || name.startsWith(TableCatalog.OPTION_PREFIX) }
  }
}
