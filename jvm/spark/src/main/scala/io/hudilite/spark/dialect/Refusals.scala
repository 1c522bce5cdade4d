package io.hudilite.spark.dialect

import scala.util.matching.Regex

/** A statement that hudilite's tables do not have.
  *
  * @param reason
  *   the way to take instead
  * @param isOurs
  *   true when the statement itself says that it is about Hudi's format
  * @param hidesBehind
  *   as [[Translation.hidesBehind]]
  */
private[dialect] final case class Refusal(statement: String, table: String, reason: String, isOurs: Boolean = false,
    hidesBehind: Option[String] = None)

/** Statements of others that have no equal, by the words that they begin with. */
private[dialect] object Refusals {

  import StatementText._

  val FirstWords: Set[String] =
    Set("RESTORE", "DESCRIBE", "DESC", "ALTER", "CREATE", "DROP", "REFRESH", "MSCK", "FSCK", "REPAIR", "REORG",
      "GENERATE", "COPY", "CONVERT")

  private final case class Kind(statement: String, begins: Regex, reason: String, isOurs: Boolean = false,
      hidesBehind: Option[String] = None)

  private def kind(statement: String, begins: String, reason: String): Kind =
    Kind(statement, pattern(begins + "(?:[^\\w].*+)?"), reason)

  private val Kinds: Seq[Kind] = Seq(
    kind("RESTORE", "RESTORE (?:TABLE )?NAME",
      "CALL hudilite.system.restore_to_instant(table => ..., instant_time => ...) brings a state back"),
    kind("DESCRIBE DETAIL", "DESC(?:RIBE)? DETAIL NAME",
      "DESCRIBE TABLE EXTENDED and the metadata tables partitions, files and properties tell of it")
      .copy(hidesBehind = Some("detail")),
    kind("CLUSTER BY", "ALTER TABLE NAME CLUSTER BY",
      "CALL hudilite.system.run_clustering(table => ..., order => 'a,b') lays rows out"),
    kind("BRANCH", "ALTER TABLE NAME (?:CREATE|DROP|REPLACE|CREATE OR REPLACE) BRANCH",
      "a Hudi table has one line of writes; CREATE TABLE ... AS SELECT makes a table to try something on"),
    kind("TAG", "ALTER TABLE NAME (?:CREATE|DROP|REPLACE|CREATE OR REPLACE) TAG",
      "CALL hudilite.system.create_savepoint(table => ...) keeps a state, and VERSION AS OF reads it"),
    kind("PARTITION FIELD", "ALTER TABLE NAME (?:ADD|DROP|REPLACE) PARTITION FIELD",
      "a table keeps its partition columns; write the rows to a new table"),
    kind("WRITE ORDERED BY", "ALTER TABLE NAME WRITE (?:ORDERED|UNORDERED|DISTRIBUTED|LOCALLY)",
      "rows are sorted by key; CALL hudilite.system.run_clustering(table => ..., order => 'a,b') lays them out otherwise"),
    kind("IDENTIFIER FIELDS", "ALTER TABLE NAME (?:SET|DROP) IDENTIFIER FIELDS", "a table keeps its record key"),
    kind("CONSTRAINT", "ALTER TABLE NAME (?:ADD|DROP) CONSTRAINT",
      "a Hudi table has no constraints but its record key; filter the rows before they are written"),
    kind("SERDEPROPERTIES",
      "ALTER TABLE NAME\\s*+(?:PARTITION\\s*+\\([^()]*+\\)\\s*+)?(?:SET|UNSET) (?:SERDE|SERDEPROPERTIES)",
      "files are Parquet, whose columns tell how to read them; SET TBLPROPERTIES keeps options for writes"),
    kind("MSCK REPAIR TABLE", "MSCK (?:REPAIR )?TABLE NAME", Found),
    kind("REPAIR TABLE", "REPAIR TABLE NAME", Found),
    kind("RECOVER PARTITIONS", "ALTER TABLE NAME RECOVER PARTITIONS", Found),
    kind("FSCK REPAIR TABLE", "FSCK (?:REPAIR )?TABLE NAME",
      "CALL hudilite.system.doctor(table => ..., fix => true) mends what can be mended"),
    kind("REORG TABLE", "REORG TABLE NAME",
      "CALL hudilite.system.run_compaction and run_clustering write files anew"),
    kind("GENERATE", "GENERATE \\w++ FOR TABLE NAME",
      "hudi-rs, Trino, Presto and Hive read Hudi tables as they are"),
    kind("COPY INTO", "COPY INTO NAME", "INSERT INTO ... SELECT * FROM parquet.`<path>` loads files"),
    kind("REFRESH INDEX", "REFRESH INDEX (?:`[^`]*+`|\\w++) ON (?:TABLE )?NAME", Indexes),
    kind("CLONE", "CREATE (?:OR REPLACE )?TABLE (?:IF NOT EXISTS )?(?:`[^`]*+`|[\\w.])++ (?:SHALLOW |DEEP )?CLONE NAME",
      "CREATE TABLE ... USING hudilite ... AS SELECT copies the rows, and LIKE the columns and facts"),
    kind("VECTOR",
      "CREATE (?:OR REPLACE )?TABLE (?:IF NOT EXISTS )?NAME\\s*+\\([^']*?\\bVECTOR\\s*+\\(\\s*+\\d++\\s*+\\)" +
        ".*\\)\\s*+USING (?:HUDI|HUDILITE)", "Spark has no type of vectors; write ARRAY<FLOAT>").copy(
      isOurs = true),
    kind("CONVERT TO", "CONVERT TO (?:HUDI|HUDILITE) NAME",
      "hudilite.convert(spark, path, target, keys=...) takes a table over, in a shell: hudilite convert; or use bulk_insert")
      .copy(isOurs = true))

  private lazy val Found = "partitions are found by their folders, so that nothing has to be repaired"

  private lazy val Indexes = "each write keeps the indexes up"

  def of(statement: StatementText): Option[Refusal] = Kinds.iterator.flatMap(kind =>
    kind.begins.unapplySeq(statement.text).flatMap(_.headOption).map(name =>
      Refusal(kind.statement, tableOf(name), kind.reason, kind.isOurs, kind.hidesBehind))).take(1).toList.headOption
}
