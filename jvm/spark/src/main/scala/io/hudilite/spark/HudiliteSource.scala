package io.hudilite.spark

import java.util

import io.hudilite.config.Options
import io.hudilite.error.InvalidInput
import io.hudilite.spark.read.SessionSettings
import io.hudilite.storage.HadoopStorage
import org.apache.spark.sql.connector.catalog.{SessionConfigSupport, Table, TableProvider}
import org.apache.spark.sql.connector.expressions.Transform
import org.apache.spark.sql.sources.DataSourceRegister
import org.apache.spark.sql.types.StructType
import org.apache.spark.sql.util.CaseInsensitiveStringMap

import scala.collection.JavaConverters._

/** `format("hudilite")`. */
final class HudiliteSource extends TableProvider with DataSourceRegister with SessionConfigSupport {

  override def shortName(): String = "hudilite"

  override def keyPrefix(): String = "hudilite"

  override def inferSchema(options: CaseInsensitiveStringMap): StructType = open(options.asCaseSensitiveMap).schema()

  override def getTable(schema: StructType, partitioning: Array[Transform], properties: util.Map[String, String]): Table =
    open(properties)

  private def open(properties: util.Map[String, String]): HudiliteTable = {
    val options = properties.asScala.toMap
    val path = options.collectFirst { case (key, value) if key.equalsIgnoreCase("path") => value }
      .getOrElse(throw InvalidInput("MISSING_OPTION", "option" -> "path", "reason" -> "it names the table"))
    Options.check(options)
    val storage = new HadoopStorage(SessionSettings.hadoop(options))
    new HudiliteTable(io.hudilite.table.Table.open(storage, path), options)
  }
}
