package io.hudilite.spark

import io.hudilite.error.InvalidInput
import io.hudilite.spark.catalog.HudiliteCatalog
import io.hudilite.spark.catalog.statement.WritesRule
import io.hudilite.spark.shim.SavesByCommand

import java.util.{Collections, Map => JMap, Set => JSet}

import org.apache.spark.rdd.RDD
import org.apache.spark.sql.{DataFrame, Row, SQLContext, SaveMode, SparkSession}
import org.apache.spark.sql.connector.catalog.{SessionConfigSupport, Table, TableCapability, TableProvider}
import org.apache.spark.sql.connector.expressions.Transform
import org.apache.spark.sql.sources.{
  BaseRelation,
  DataSourceRegister,
  InsertableRelation,
  RelationProvider,
  SchemaRelationProvider,
  TableScan
}
import org.apache.spark.sql.types.StructType
import org.apache.spark.sql.util.CaseInsensitiveStringMap

import scala.collection.JavaConverters._

/** `format("hudilite")`: the table of a path. Reads get it from here. Writes get a table that takes no rows, on which
  * Spark plans a command with all that the writer was told, `partitionBy` included, and [[WritesRule]] makes a plan of it.
  *
  * Spark makes a source for each read and write, and asks it in different ways.
  */
class HudiliteSource extends TableProvider with SessionConfigSupport with DataSourceRegister
    with SavesByCommand with SchemaRelationProvider with RelationProvider {

  private var reads = false // reads alone ask which partitions there are, and writes of streams
  private var infersSchema = false
  private var isRequest = false // a read or write, and no table that the session's catalog registers

  override def shortName(): String = WritesRule.Format

  /** Options may be given for a whole session as `spark.datasource.hudilite.<option>`. */
  override def keyPrefix(): String = {
    isRequest = true
    WritesRule.Format
  }

  // Otherwise Spark's own catalog would register tables of which nothing is made.
  override def supportsExternalMetadata(): Boolean = isRequest

  override def inferSchema(options: CaseInsensitiveStringMap): StructType = {
    if (!isRequest) throw InvalidInput("EXTENSION_NOT_LOADED")
    infersSchema = true
    new StructType() // the table knows
  }

  override def inferPartitioning(options: CaseInsensitiveStringMap): Array[Transform] = {
    reads = true
    Array.empty
  }

  override def getTable(schema: StructType, partitioning: Array[Transform], options: JMap[String, String]): Table =
    if (!reads) Written
    else if (!infersSchema) HudiliteCatalog.ofGivenSchema(options.asScala.toMap)
    else {
      val session = SparkSession.active
      HudiliteCatalog.register(session)
      HudiliteCatalog.existing(session, options.asScala.toMap)
    }

  /** Is only called where [[WritesRule]] was not asked. */
  override def createRelation(context: SQLContext, mode: SaveMode, options: Map[String, String], rows: DataFrame)
      : BaseRelation = throw InvalidInput("EXTENSION_NOT_LOADED")

  /** Is only called for a name in the session catalog that Spark 3.5 has by itself. */
  override def createRelation(context: SQLContext, options: Map[String, String], columns: StructType): BaseRelation =
    new NotServed(context, columns)

  override def createRelation(context: SQLContext, options: Map[String, String]): BaseRelation =
    new NotServed(context, new StructType())

  override def toString: String = WritesRule.Format
}

/** Stands for the table of a write until that is planned. */
private object Written extends Table {
  override def name(): String = WritesRule.Format
  override def schema(): StructType = new StructType()
  override def capabilities(): JSet[TableCapability] = Collections.emptySet()
}

/** Stands for a table by a name that the session does not serve, until that is used: Spark asks for the table within a
  * cache, which would put an error of its own around one that is raised there.
  */
private final class NotServed(override val sqlContext: SQLContext, override val schema: StructType)
    extends BaseRelation with TableScan with InsertableRelation {

  override def buildScan(): RDD[Row] = throw InvalidInput("EXTENSION_NOT_LOADED")

  override def insert(rows: DataFrame, overwrite: Boolean): Unit = throw InvalidInput("EXTENSION_NOT_LOADED")
}
