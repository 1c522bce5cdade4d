package io.hudilite.spark.catalog

import io.hudilite.config.{TableConfig, TableOptions}
import io.hudilite.error.InvalidInput
import io.hudilite.spark.catalog.metastore.{HudiEntry, Registered, TableProperty}
import io.hudilite.spark.row.{Nullability, SessionConf}

import java.util.{Map => JMap}

import org.apache.hadoop.fs.Path
import org.apache.spark.sql.connector.catalog.TableCatalog
import org.apache.spark.sql.connector.expressions.Transform
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.types.StructType

import scala.collection.JavaConverters._

/** A CREATE TABLE without its columns.
  *
  * @param options
  *   options from OPTIONS, TBLPROPERTIES and PARTITIONED BY
  * @param own
  *   properties of a user's own, for the entry in the catalog
  * @param byWrite
  *   true when rows of a query follow, whose write creates the table
  * @param external
  *   true when files stay after the name is dropped
  */
private[catalog] final case class CreateRequest(options: Map[String, String], location: Option[String],
    provider: Option[String], comment: Option[String], byWrite: Boolean,
    external: Boolean = false, own: Map[String, String] = Map.empty) {

  /** Raises `InvalidInput` when the statement gives a place, format or comment that a table by path cannot have. */
  def checkAgainst(path: String): Unit = {
    location.filter(at => at.isEmpty || new Path(at) != new Path(path)).foreach(_ =>
      throw UnsupportedStatement.Location.of(path))
    comment.foreach(_ => throw UnsupportedStatement.Comment.of(path))
    if (registeredAs(path) != Registered.Hudilite) throw UnsupportedStatement.Provider.of(path)
  }

  /** Columns with partition columns last, as a new table has them. */
  def ordered(columns: Seq[String]): Seq[String] =
    HudiEntry.partitionsLast(columns,
      partitionFields.map(name => columns.find(SQLConf.get.resolver(_, name)).getOrElse(name)))

  /** Columns in the order of a new table, which is told where the statement has another one. */
  def ordered(table: String, schema: StructType): StructType = {
    val names = ordered(schema.fieldNames.toSeq)
    ColumnOrder.tell(table, schema.fieldNames.toSeq, names)
    StructType(names.map(schema(_)))
  }

  private def partitionFields: Seq[String] =
    TableOptions.PartitionPathFields.get(options).getOrElse(Nil).map(_.takeWhile(_ != ':'))

  /** The request for a table that is not there yet. Its partitions are named `column=value` unless an option says
    * otherwise, as with Apache Hudi's statements; a DataFrame that makes a table names them by the value alone.
    */
  def ofNewTable: CreateRequest =
    if (partitionFields.isEmpty || TableOptions.HiveStyle.isSet(SessionConf.options ++ options)) this
    else copy(options = options + (TableOptions.HiveStyle.name -> "true"))

  /** Format under which the catalog registers the table. Raises `InvalidInput` for any other than Hudi's, and for an
    * option that the catalog would keep although no write of hudilite heeds it there.
    */
  def registeredAs(path: String): String = {
    val found = provider.fold(Registered.Hudilite)(
      Registered.providerOf(_).getOrElse(throw UnsupportedStatement.Provider.of(path)))
    if (found == Registered.Hudi && Registered.isHudiHere)
      (TableProperty.kept(options) -- TableProperty.ofSimpleBuckets(options).keys).keys
        .headOption.foreach(option => throw UnsupportedStatement.OptionOfHudi(option).of(path))
    found
  }
}

private[catalog] object CreateRequest {

  /** A property that a CREATE TABLE AS SELECT sets, for the catalog alone. */
  val ByWrite = "hudilite.created.by.write"

  // Properties that Spark itself adds to those of a new table, the last two since 4.0 and 4.1.
  private val OfSpark = Set(TableCatalog.PROP_PROVIDER, TableCatalog.PROP_LOCATION, TableCatalog.PROP_OWNER,
    TableCatalog.PROP_COMMENT, TableCatalog.PROP_EXTERNAL, TableCatalog.PROP_IS_MANAGED_LOCATION, "collation",
    "table_type", ByWrite, "path")

  /** Columns of a table as a statement can declare them. Only a column that is the table's only key may be declared NOT
    * NULL.
    */
  def columnsAsSaid(config: TableConfig, columns: StructType): StructType = StructType(columns.map(column =>
      column.copy(dataType = Nullability.relaxed(column.dataType),
        nullable = column.nullable || config.recordKeyFields != Seq(column.name))))

  def of(partitions: Array[Transform], properties: JMap[String, String]): CreateRequest = {
    val all = properties.asScala.toMap
    // Spark repeats OPTIONS under this prefix.
    val said = all.filterNot { case (name, _) => OfSpark(name) || name.startsWith(TableCatalog.OPTION_PREFIX) }
    val own = TableProperty.own(said).filterNot { case (name, _) => all.contains(TableCatalog.OPTION_PREFIX + name) }
    CreateRequest(partitioned(partitions.toSeq, TableProperty.options(said -- own.keys)),
      all.get(TableCatalog.PROP_LOCATION),
      all.get(TableCatalog.PROP_PROVIDER), all.get(TableCatalog.PROP_COMMENT), all.contains(ByWrite),
      all.get(TableCatalog.PROP_EXTERNAL).contains("true"), own)
  }

  /** The options with the partition columns of the statement or of `partitionBy`. Raises `InvalidInput` when the
    * options name others.
    */
  def partitioned(partitions: Seq[Transform], options: Map[String, String]): Map[String, String] =
    if (partitions.isEmpty) options
    else {
      val key = TableOptions.PartitionPathFields
      val columns = partitions.map(column)
      key.get(options) match {
        case None => options + (key.name -> columns.mkString(","))
        case Some(items) if items.map(_.takeWhile(_ != ':')).corresponds(columns)(SQLConf.get.resolver) => options
        case Some(items) => throw InvalidInput("INVALID_OPTION_VALUE", "option" -> key.name,
            "value" -> items.mkString(","),
            "reason" -> s"PARTITIONED BY names ${columns.mkString(",")}; leave one of them out")
      }
    }

  private def column(partition: Transform): String = partition.references.toSeq match {
    case Seq(column) if partition.name == "identity" => column.fieldNames.mkString(".")
    case _ => throw InvalidInput("OPTION_NOT_SUPPORTED", "option" -> "PARTITIONED BY", "value" -> partition.toString,
        "reason" ->
          s"a Hudi table is partitioned by whole columns; set ${TableOptions.KeyGeneratorName.name} to cut times")
  }
}
