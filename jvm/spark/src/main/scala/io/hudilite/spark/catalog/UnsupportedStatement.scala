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
  case object Drop extends UnsupportedStatement("DROP TABLE",
        "a table that is named by its path has no entry to drop; remove its directory")
  case object Alter extends UnsupportedStatement("ALTER TABLE",
        "a table keeps the properties that it was created with; change columns with ADD, DROP, RENAME or ALTER COLUMN")
  final case class Column(name: String, why: String)
      extends UnsupportedStatement(s"ALTER TABLE of the column $name", why)
  final case class Name(name: String) extends UnsupportedStatement(s"CREATE TABLE $name",
        "a name in the session's catalog has letters a to z, digits and '_' alone; choose such a name, or a path")
  final case class NotNull(column: String) extends UnsupportedStatement(s"CREATE TABLE ... $column ... NOT NULL",
        "the table allows nulls in each column but its only key, and has no entry to refuse them; leave NOT NULL out")
  case object Rename extends UnsupportedStatement("ALTER TABLE RENAME",
        "a table that is named by its path has no other name; move its directory")
  case object ReplaceEmpty
      extends UnsupportedStatement("REPLACE TABLE",
        "it names no columns; name them, or add AS SELECT")
  final case class Replace(part: String)
      extends UnsupportedStatement(s"REPLACE TABLE ... $part",
        "the entry of the table, or its path, does not change with it; leave this part out")
  case object ReplaceOther extends UnsupportedStatement("REPLACE TABLE",
        "the present table has another format, and would be lost before the new one; drop it, or choose another name") {

    /** Raises the error when the catalog has a table of that name. The caller knows that it is not hudilite's. */
    def check(catalog: StatementCatalog, ident: Identifier): Unit =
      if (catalog.tableExists(ident))
        throw of(Option(catalog.loadTable(ident).properties.get(TableCatalog.PROP_LOCATION)).getOrElse(ident.toString))
  }
  case object TimeOfQuery extends UnsupportedStatement("TIMESTAMP AS OF (SELECT ...)",
        "the subquery reads a common table expression of the query around it; define that within the subquery")
  case object Evolve extends UnsupportedStatement("WITH SCHEMA EVOLUTION",
        "Spark before 4.1 adds no columns for this clause; append rows that have them with format(\"hudilite\")")
  case object StreamRead extends UnsupportedStatement("readStream",
        "a table is no source of streams; read the rows since an instant with hoodie.datasource.query.type=incremental")
  case object StreamWrite extends UnsupportedStatement("writeStream",
        "a table is no sink of streams; write each batch with format(\"hudilite\") in foreachBatch")
  final case class OfView(verb: String) extends UnsupportedStatement(s"$verb of a view",
        "rows are changed in a table alone; write its name, or its path, in the place of the view's name")
  case object Inserts extends UnsupportedStatement("FROM ... INSERT ... INSERT",
        "each INSERT would be a commit of its own; insert the UNION ALL of their rows")
  final case class Assigned(verb: String, column: String) extends UnsupportedStatement(s"$verb ... SET $column",
        "the table itself makes this column, from key and partition columns and its timeline; leave it out")
  case object Like extends UnsupportedStatement("CREATE TABLE LIKE",
        "only hudilite's session catalog makes names of Hudi tables; set spark.sql.catalog.spark_catalog to it")
  case object SaveAsTable extends UnsupportedStatement("saveAsTable",
        "only hudilite's session catalog makes names of Hudi tables; set spark.sql.catalog.spark_catalog to it")
  final case class LikeOther(format: String) extends UnsupportedStatement(s"CREATE TABLE LIKE ... USING $format",
        "Spark 4.2 and later make such tables only like their own; use CREATE TABLE ... AS SELECT ... LIMIT 0")
  case object Analyze extends UnsupportedStatement("ANALYZE TABLE",
        "a table that is named by its path has no entry to keep statistics in; plans count its rows by its commits")
  case object AnalyzePartition extends UnsupportedStatement("ANALYZE TABLE PARTITION",
        "the catalog has no entries for partitions of the table; analyze all of it")
  final case class AnalyzeColumn(name: String, why: String)
      extends UnsupportedStatement(s"ANALYZE TABLE FOR COLUMNS $name", why)
  case object HiveForHudi extends UnsupportedStatement("USING hudi",
        "only Apache Hudi's extension registers columns in a Hive metastore as its writes need them; use USING hudilite")
  final case class OptionOfHudi(property: String) extends UnsupportedStatement(s"USING hudi with '$property'",
        "options in entries of Apache Hudi hold for Hudi's writes alone; use USING hudilite, or give them to each write")
  case object PurgePartition extends UnsupportedStatement("ALTER TABLE DROP PARTITION PURGE",
        "earlier states need the files, which go with cleaning; leave PURGE out")
  final case class Partitions(column: String) extends UnsupportedStatement("PARTITION",
        s"values of the partition column $column cannot be read back from folders; name folders with delete_partition")
  case object AddPartition
      extends UnsupportedStatement("PARTITION",
        "a partition comes and goes with its rows, and has no properties; write rows to it, or delete them")
  final case class Index(statement: String, why: String) extends UnsupportedStatement(statement, why)
  case object Comment
      extends UnsupportedStatement("COMMENT",
        "a table that is named by its path has none; create it with a name in the session's catalog")
  final case class NoPath(name: String) extends UnsupportedStatement(s"CREATE TABLE hudilite.$name",
        s"'$name' is neither a path nor a name with its database; use hudilite.<database>.$name, or hudilite.`./$name`")
  case object External extends UnsupportedStatement("CREATE EXTERNAL TABLE",
        "a table without LOCATION loses its files when it is dropped; add LOCATION, or leave EXTERNAL out")
  case object NotEmpty extends UnsupportedStatement("CREATE TABLE",
        "the folder is not empty, and a table without LOCATION needs one of its own; empty it, or add LOCATION")
  case object OfHudi
      extends UnsupportedStatement("ALTER TABLE",
        "the table is registered USING hudi; change its entry with Apache Hudi")
  final case class Fact(property: String) extends UnsupportedStatement(s"ALTER TABLE SET TBLPROPERTIES ('$property')",
        "this property is a fact of the table; only CREATE OR REPLACE TABLE ... AS SELECT changes it, with all rows")
  final case class NoProperty(
      property: String) extends UnsupportedStatement(s"ALTER TABLE UNSET TBLPROPERTIES ('$property')",
        "the entry of the table has no such property; add IF EXISTS to pass over that")
  case object Location
      extends UnsupportedStatement("LOCATION", "a table that is named by its path lies there; leave LOCATION out")
  case object Provider extends UnsupportedStatement("USING",
        "a path of this catalog has tables of Hudi's format alone; use USING hudilite")
}
