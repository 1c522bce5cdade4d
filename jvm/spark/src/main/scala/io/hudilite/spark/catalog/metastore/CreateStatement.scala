package io.hudilite.spark.catalog.metastore

import io.hudilite.config.{TableConfig, TableOptions, TableRequest}

import org.apache.spark.sql.catalyst.util.QuotingUtils.quoteIdentifier
import org.apache.spark.sql.types.{StructField, StructType}

/** Answer of SHOW CREATE TABLE: the statement that makes such a table, without facts that a table has by default. */
object CreateStatement {

  /** The statement for a table.
    *
    * @param name
    *   parts of the table's name
    * @param entry
    *   entry of the session's catalog, when the table has a name there
    * @param hidden
    *   options whose values are not to be shown
    */
  def of(name: Seq[String], columns: StructType, config: TableConfig, entry: Option[Registered],
      hidden: Map[String, String] => Set[String]): String = {
    val ofColumns = columns.map(field => "  " + definition(field)).mkString("(\n", ",\n", ")")
    val partitions = config.partitionFields.map(_.split('.').toSeq.map(quoted).mkString("."))
    val (facts, kept) = (TableProperty.inSql(TableRequest.ownFacts(config).filterNot(isSaid)), said(entry, hidden))
    val properties = (facts ++ kept).map { case (key, value) => s"  ${property(key)} = ${literal(value)}" }
    val parts = Seq(s"CREATE TABLE ${name.map(quoted).mkString(".")} $ofColumns",
      s"USING ${entry.fold(Registered.Hudilite)(_.provider)}") ++
      Some(partitions).filter(_.nonEmpty).map(_.mkString("PARTITIONED BY (", ", ", ")")) ++
      entry.flatMap(_.entry.comment).map(comment => s"COMMENT ${literal(comment)}") ++
      entry.filterNot(_.isManaged).map(found => s"LOCATION ${literal(found.path)}") :+
      properties.mkString("TBLPROPERTIES (\n", ",\n", ")")
    parts.mkString("\n")
  }

  // Backslashes are escaped here, since Spark 3.5 itself does not escape those of comments.
  private def definition(field: StructField): String =
    s"${quoted(field.name)} ${field.dataType.sql}${if (field.nullable) "" else " NOT NULL"}" +
      field.getCurrentDefaultValue().fold("")(value => s" DEFAULT $value") +
      field.getComment().fold("")(comment => s" COMMENT ${literal(comment)}")

  // Types of partition columns are written beside their names.
  private def isSaid(fact: (Any, String)): Boolean =
    fact._1 == TableOptions.PartitionPathFields && !fact._2.contains(':')

  private def said(entry: Option[Registered], hidden: Map[String, String] => Set[String]): Seq[(String, String)] = {
    val kept = entry.fold(Map.empty[String, String])(found => found.kept ++ found.own)
    (kept -- hidden(kept)).toSeq.sorted
  }

  private def property(key: String): String = if (key.contains('.')) literal(key) else key

  private def quoted(part: String): String =
    if (part.matches("[A-Za-z_][A-Za-z0-9_]*")) part else quoteIdentifier(part)

  private def literal(text: String): String = s"'${text.replace("\\", "\\\\").replace("'", "\\'")}'"
}
