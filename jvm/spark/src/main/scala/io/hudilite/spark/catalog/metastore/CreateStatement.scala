package io.hudilite.spark.catalog.metastore

import io.hudilite.config.{TableConfig, TableOptions, TableRequest}

import org.apache.spark.sql.catalyst.util.QuotingUtils.quoteIdentifier
import org.apache.spark.sql.types.{StructField, StructType}

/** What SHOW CREATE TABLE says: the statement that makes such a table, with nothing in it that a table gets by itself. */
object CreateStatement {

  /** @param name
    *   by its parts
    * @param entry
    *   what the session's catalog says of the table, when it has a name there
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

  // Spark 3.5 itself would leave backslashes of comments as they are.
  private def definition(field: StructField): String =
    s"${quoted(field.name)} ${field.dataType.sql}${if (field.nullable) "" else " NOT NULL"}" +
      field.getComment().fold("")(comment => s" COMMENT ${literal(comment)}")

  // Types of partition columns go beside their names.
  private def isSaid(fact: (Any, String)): Boolean =
    fact._1 == TableOptions.PartitionPathFields && !fact._2.contains(':')

  private def said(entry: Option[Registered], hidden: Map[String, String] => Set[String]): Seq[(String, String)] = {
    val kept = entry.fold(Map.empty[String, String])(_.kept)
    (kept -- hidden(kept)).toSeq.sorted
  }

  private def property(key: String): String = if (key.contains('.')) literal(key) else key

  private def quoted(part: String): String =
    if (part.matches("[A-Za-z_][A-Za-z0-9_]*")) part else quoteIdentifier(part)

  private def literal(text: String): String = s"'${text.replace("\\", "\\\\").replace("'", "\\'")}'"
}
