package io.hudilite.spark.catalog

import io.hudilite.error.InvalidInput

import org.apache.spark.sql.connector.catalog.{Identifier, TableCatalog}

/** A statement that tables of hudilite do not support.
  *
  * @param statement
  *   beginning of the statement, in SQL
  * @param reason
  *   reason, and the way to take instead
  */
private[catalog] sealed abstract class UnsupportedStatement(statement: String, reason: String) {
  def of(path: String): InvalidInput =
    InvalidInput("STATEMENT_NOT_SUPPORTED", "statement" -> statement, "path" -> path, "reason" -> reason)
}

private[catalog] object UnsupportedStatement {
  case object Drop extends UnsupportedStatement("DROP TABLE", "it is named by its path; remove its directory")
  case object Alter extends UnsupportedStatement("ALTER TABLE",
        "a table keeps the properties that it was created with; columns are added, dropped, renamed and altered")
  final case class Column(name: String, why: String)
      extends UnsupportedStatement(s"ALTER TABLE of the column $name", why)
  final case class Name(name: String) extends UnsupportedStatement(s"CREATE TABLE $name",
        "names in the session's catalog are of letters a to z, digits and '_'; a path may have any")
  final case class NotNull(column: String) extends UnsupportedStatement(s"CREATE TABLE ... $column ... NOT NULL",
        "every column but the record key may be null in a Hudi table; leave NOT NULL out")
  case object Rename extends UnsupportedStatement("ALTER TABLE RENAME", "it is named by its path; move its directory")
  case object ReplaceEmpty
      extends UnsupportedStatement("REPLACE TABLE", "say AS SELECT to replace its rows by one write, or TRUNCATE TABLE")
  final case class Replace(part: String)
      extends UnsupportedStatement(s"REPLACE TABLE ... $part",
        "the table stays what it is, and only its rows are replaced")
  case object ReplaceOther extends UnsupportedStatement("REPLACE TABLE",
        "it is of another format, and would be lost before the new one is made; drop it or choose another name") {

    /** Raises the error when the catalog has a table of that name. The caller knows that it is not hudilite's. */
    def check(catalog: StatementCatalog, ident: Identifier): Unit =
      if (catalog.tableExists(ident))
        throw of(Option(catalog.loadTable(ident).properties.get(TableCatalog.PROP_LOCATION)).getOrElse(ident.toString))
  }
  case object TimeOfQuery extends UnsupportedStatement("TIMESTAMP AS OF (SELECT ...)",
        "it asks a common table expression of the query around it; define that within the subquery")
  case object Evolve extends UnsupportedStatement("WITH SCHEMA EVOLUTION",
        "Spark adds no columns for it before 4.1; append rows that have them with format(\"hudilite\")")
  case object StreamRead extends UnsupportedStatement("readStream",
        "it is no source of streams; read what came after an instant with hoodie.datasource.query.type=incremental")
  case object StreamWrite extends UnsupportedStatement("writeStream",
        "it is no sink of streams; write each of its batches with format(\"hudilite\") in foreachBatch")
  case object Inserts extends UnsupportedStatement("FROM ... INSERT ... INSERT",
        "each would be a commit of its own; insert the UNION ALL of their rows")
  final case class Assigned(verb: String, column: String) extends UnsupportedStatement(s"$verb ... SET $column",
        "the table makes this column by itself, from its key and partition columns and its timeline")
  case object Like extends UnsupportedStatement("CREATE TABLE LIKE",
        "names of Hudi tables are made by hudilite's session catalog; set spark.sql.catalog.spark_catalog to it")
  case object SaveAsTable extends UnsupportedStatement("saveAsTable",
        "names of Hudi tables are made by hudilite's session catalog; set spark.sql.catalog.spark_catalog to it")
  final case class LikeOther(format: String) extends UnsupportedStatement(s"CREATE TABLE LIKE ... USING $format",
        "since 4.2 Spark makes only tables like its own; say CREATE TABLE ... AS SELECT ... LIMIT 0")
  case object Analyze extends UnsupportedStatement("ANALYZE TABLE",
        "a path has no entry in a catalog to keep statistics in; plans know its rows from its commits without")
  case object AnalyzePartition extends UnsupportedStatement("ANALYZE TABLE PARTITION",
        "the catalog has no entries of its partitions; analyze the table")
  final case class AnalyzeColumn(name: String, why: String)
      extends UnsupportedStatement(s"ANALYZE TABLE FOR COLUMNS $name", why)
  case object HiveForHudi extends UnsupportedStatement("USING hudi",
        "into a Hive metastore only Apache Hudi's own extension writes columns as its writes want them; say USING hudilite")
  final case class OptionOfHudi(property: String) extends UnsupportedStatement(s"USING hudi with '$property'",
        "what the catalog keeps for Apache Hudi holds for Hudi's writes alone; say USING hudilite or give it to each write")
  case object PurgePartition extends UnsupportedStatement("ALTER TABLE DROP PARTITION PURGE",
        "the states before it need the files, which go as they are cleaned")
  final case class Partitions(column: String) extends UnsupportedStatement("PARTITION",
        s"the values of the partition column $column cannot be read back from folders; name folders with delete_partition")
  case object AddPartition
      extends UnsupportedStatement("PARTITION", "partitions come and go with their rows, and have no properties")
  case object Comment
      extends UnsupportedStatement("COMMENT", "a path has none; create the table with a name in the session's catalog")
  final case class NoPath(name: String) extends UnsupportedStatement(s"CREATE TABLE hudilite.$name",
        s"it is neither a path nor a name with its database; write hudilite.<database>.$name, or hudilite.`./$name`")
  case object External extends UnsupportedStatement("CREATE EXTERNAL TABLE",
        "without a LOCATION its files would go with it when it is dropped; say where they lie")
  case object NotEmpty extends UnsupportedStatement("CREATE TABLE",
        "its folder is not empty, and a table without LOCATION needs one of its own")
  case object RenameManaged extends UnsupportedStatement("ALTER TABLE RENAME",
        "its files would be moved under those who read and write them; only a table with a LOCATION is renamed")
  case object OfHudi
      extends UnsupportedStatement("ALTER TABLE",
        "it is registered USING hudi; change what the catalog says of it with Apache Hudi")
  final case class Fact(property: String) extends UnsupportedStatement(s"ALTER TABLE SET TBLPROPERTIES ('$property')",
        "it is a fact of the table, which keeps it as long as it lives")
  final case class NoProperty(
      property: String) extends UnsupportedStatement(s"ALTER TABLE UNSET TBLPROPERTIES ('$property')",
        "the catalog keeps no such property of it; with IF EXISTS that is no error")
  case object Location extends UnsupportedStatement("LOCATION", "its path is its location")
  case object Provider extends UnsupportedStatement("USING", "it is a table of Hudi's format; write USING hudilite")
}
