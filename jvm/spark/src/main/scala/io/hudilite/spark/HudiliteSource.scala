package io.hudilite.spark

import io.hudilite.error.InvalidInput
import io.hudilite.spark.catalog.{HudiliteCatalog, HudiliteTable, PathIdentifier}

import java.util.{Map => JMap, Optional}

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.connector.catalog.{Identifier, SessionConfigSupport, SupportsCatalogOptions, Table}
import org.apache.spark.sql.connector.expressions.Transform
import org.apache.spark.sql.sources.DataSourceRegister
import org.apache.spark.sql.types.StructType
import org.apache.spark.sql.util.CaseInsensitiveStringMap

import scala.collection.JavaConverters._

/** `format("hudilite")`: finds the table of a path through hudilite's own catalog, so that Spark plans reads and writes
  * of paths as it plans those of catalog tables.
  */
final class HudiliteSource extends SupportsCatalogOptions with SessionConfigSupport with DataSourceRegister {

  override def shortName(): String = "hudilite"

  /** Options may be given for a whole session as `spark.datasource.hudilite.<option>`. */
  override def keyPrefix(): String = "hudilite"

  // Spark makes a source for each read and write.
  private var reads = false

  override def extractIdentifier(options: CaseInsensitiveStringMap): Identifier =
    new PathIdentifier(path(options), options.asCaseSensitiveMap.asScala.toMap, () => reads)

  override def extractCatalog(options: CaseInsensitiveStringMap): String = {
    HudiliteCatalog.register(SparkSession.active)
    HudiliteCatalog.Name
  }

  // Spark asks this of reads alone, before it loads the table: a write to the same path may be about to create it.
  override def extractTimeTravelVersion(options: CaseInsensitiveStringMap): Optional[String] = {
    reads = true
    Optional.empty()
  }

  override def inferSchema(options: CaseInsensitiveStringMap): StructType = load(options).schema

  override def getTable(schema: StructType, partitioning: Array[Transform], properties: JMap[String, String]): Table =
    load(new CaseInsensitiveStringMap(properties))

  private def load(options: CaseInsensitiveStringMap): HudiliteTable =
    HudiliteCatalog.table(path(options), options.asCaseSensitiveMap.asScala.toMap, dataFrame = true)

  private def path(options: CaseInsensitiveStringMap): String = {
    if (options.containsKey("paths")) throw InvalidInput("INVALID_OPTION_VALUE", "option" -> "paths",
      "value" -> options.get("paths"), "reason" -> "hudilite reads one table at a time")
    Option(options.get("path")).map(_.trim).filter(_.nonEmpty).getOrElse(
      throw InvalidInput("MISSING_OPTION", "option" -> "path", "reason" -> "it says where the table is"))
  }
}
