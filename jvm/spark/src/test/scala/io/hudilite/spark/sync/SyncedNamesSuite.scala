package io.hudilite.spark.sync

import io.hudilite.error.HudiliteException
import io.hudilite.spark.Raised
import io.hudilite.spark.catalog.NamedSession
import io.hudilite.spark.procedure.ServiceCall

import org.apache.hadoop.fs.Path
import org.apache.spark.sql.{Row, SaveMode}
import org.apache.spark.sql.catalyst.catalog.CatalogTable

/** Names in the session's catalog that writes to a path keep up. */
class SyncedNamesSuite extends NamedSession {

  override protected def database = "synced"

  private val Sync = "hoodie.datasource.hive_sync"

  private def options(table: String, more: (String, String)*): Map[String, String] = Map(
    "hoodie.table.name" -> table, "hoodie.datasource.write.recordkey.field" -> "id",
    "hoodie.datasource.write.partitionpath.field" -> "day", "hoodie.datasource.write.hive_style_partitioning" -> "true",
    s"$Sync.enable" -> "true", s"$Sync.mode" -> "hms", s"$Sync.database" -> database, s"$Sync.table" -> table) ++ more

  private def save(table: String, rows: String, columns: String = "id, v, day", mode: SaveMode = SaveMode.Append)(
      more: (String, String)*): Unit =
    spark.sql(s"SELECT * FROM VALUES $rows AS t($columns)").write.format("hudilite").options(options(table, more: _*))
      .mode(mode).save(s"$home/$table")

  private def entry(name: String): CatalogTable =
    spark.sessionState.catalog.externalCatalog.getTable(database, name)

  private def partitions(name: String): Seq[String] =
    spark.sessionState.catalog.externalCatalog.listPartitionNames(database, name, None).sorted

  private def shown(name: String): Seq[Row] = sql(s"SELECT * FROM $database.$name ORDER BY id").toSeq

  private def call(table: String, more: (String, String)*): Seq[Synced] =
    ServiceCall(spark, s"$home/$table", options(table, more: _*).filter(_._1.contains("sync"))).onTable((found, conf) =>
      MetastoreSync.run(spark, found, conf.sync.get))

  private def refusal(table: String, more: (String, String)*): HudiliteException = {
    val error: HudiliteException = Raised.by(save(table, "(1, 'a', 'mon')")(more: _*))
    assert(!new java.io.File(s"$home/$table/.hoodie").exists, table)
    error
  }

  test("partitions are registered at the folders that they lie in") {
    save("odd", "(1, 'a', 'mon tue'), (2, 'b', '10:00 100%')")(
      "hoodie.datasource.write.partitionpath.urlencode" -> "true")
    val places = spark.sessionState.catalog.externalCatalog.listPartitions(database, "odd", None).flatMap(
      _.storage.locationUri).map(new Path(_).toUri.getPath)
    assertEquals(places.map(_.stripPrefix(s"$home/odd/")).sorted, Seq("day=10%3A00 100%25", "day=mon tue"))
    assert(places.forall(new java.io.File(_, ".hoodie_partition_metadata").exists))
  }

  test("a write registers its table with columns and partitions, and later ones send what has changed") {
    save("t", "(1, 'a', 'mon'), (2, 'b', 'tue')")()
    assertEquals(shown("t"), Seq(Row(1, "a", "mon"), Row(2, "b", "tue")))
    assertEquals(partitions("t"), Seq("day=mon", "day=tue"))
    assertEquals(entry("t").partitionColumnNames.toSeq, Seq("day"))
    assertEquals(entry("t").storage.inputFormat, Some("org.apache.hudi.hadoop.HoodieParquetInputFormat"))
    assertEquals(call("t"), Seq(Synced(s"$database.t", created = false, columns = false, 0, 0)))
    save("t", "(2, 'c', 'tue'), (3, 'd', 'wed')")()
    assertEquals(partitions("t"), Seq("day=mon", "day=tue", "day=wed"))
    assertEquals(call("t", "hoodie.meta.sync.incremental" -> "false").map(s => (s.added, s.dropped)), Seq((0, 0)))
    save("t", "(4, 'e', 'wed', 9)", "id, v, day, n")()
    assertEquals(entry("t").schema.fieldNames.toSeq.takeRight(4), Seq("id", "v", "n", "day"))
    sql(s"CALL hudilite.system.drop_partition(path => '$home/t', partition => 'day=mon')")
    assertEquals(partitions("t").size, 3)
    assertEquals(sql(s"CALL hive_sync(table => '$database.t', mode => 'hms')").toSeq,
      Seq(Row("hive sync success.", s"$database.t", false, false, 0, 1)))
    assertEquals(partitions("t"), Seq("day=tue", "day=wed"))
    save("t", "(5, 'f', 'fri', 1)", "id, v, day, n", SaveMode.Overwrite)()
    assertEquals(partitions("t"), Seq("day=fri"))
    sql(s"DROP TABLE $database.t")
    assert(new java.io.File(s"$home/t/.hoodie").exists)
  }

  test("a merge-on-read table has a name for its base files and names for all rows") {
    val more = Seq("hoodie.datasource.write.table.type" -> "MERGE_ON_READ", "hoodie.compact.inline" -> "false")
    save("m", "(1, 'a', 'mon')")(more: _*)
    save("m", "(1, 'b', 'mon')")(more: _*)
    assertEquals(Seq("m", "m_ro", "m_rt").map(shown(_).head.getString(1)), Seq("b", "a", "b"))
    for (name <- Seq("m_rt", "M_RO"))
      assertEquals(sql(s"CALL hive_sync(table => '$database.$name')").map(_.getString(1)).toSeq,
        Seq("m_ro", "m_rt", "m").map(name => s"$database.$name"))
    save("r", "(1, 'a', 'mon')")(more :+ (s"$Sync.table.strategy" -> "RO"): _*)
    assertEquals(sql(s"SHOW TABLES IN $database LIKE 'r*'").map(_.getString(1)).toSeq, Seq("r"))
  }

  test("names, partition columns and comments follow the options") {
    save("c", "(1, 'a', '2024/01/02')")(
      s"$Sync.partition_extractor_class" ->
        "org.apache.hudi.hive.SlashEncodedDayPartitionValueExtractor", s"$Sync.partition_fields" -> "date_of",
      s"$Sync.database" -> "fresh", s"$Sync.omit_metadata_fields" -> "true", s"$Sync.table_properties" -> "owner_of=me",
      "hoodie.datasource.write.hive_style_partitioning" -> "false")
    val made = spark.sessionState.catalog.externalCatalog.getTable("fresh", "c")
    assertEquals(made.schema.fieldNames.toSeq, Seq("id", "v", "day", "date_of"))
    assertEquals(made.properties.get("owner_of"), Some("me"))
    assertEquals(spark.sessionState.catalog.externalCatalog.listPartitionNames("fresh", "c", None),
      Seq("date_of=2024-01-02"))
    sql("DROP DATABASE fresh CASCADE")
  }

  test("ways that need another client, and names of others, are refused before a file is touched") {
    Seq(s"$Sync.mode" -> "jdbc", s"$Sync.mode" -> "hiveql", s"$Sync.metastore.uris" -> "thrift://elsewhere:9083",
      s"$Sync.create_managed_table" -> "true", s"$Sync.partition_extractor_class" -> "com.mine.Extractor")
      .foreach(option => assertEquals(refusal("no", option).parameters("option"), option._1))
    val tool = "hoodie.meta.sync.client.tool.class"
    assertEquals(refusal("no", "hoodie.datasource.meta.sync.enable" -> "true",
        tool -> "org.apache.hudi.aws.sync.AwsGlueCatalogSyncTool").parameters("option"), tool)
    assertEquals(refusal("no", s"$Sync.partition_fields" -> "a,b",
        s"$Sync.partition_extractor_class" ->
          "org.apache.hudi.hive.SinglePartPartitionValueExtractor").condition, "INVALID_OPTION_VALUE")
    sql(s"CREATE TABLE $database.taken (id INT) USING parquet")
    assertEquals(refusal("taken").condition, "NAME_NOT_SYNCED")
    assertEquals(entry("taken").provider, Some("parquet"))
    assertEquals(refusal("typo", s"$Sync.tabel" -> "t").condition, "UNKNOWN_OPTION")
  }

  private def having(settings: (String, String)*)(body: => Any): Unit = {
    settings.foreach { case (key, value) => spark.conf.set(key, value) }
    try body
    finally settings.foreach { case (key, _) => spark.conf.unset(key) }
  }

  private def columns(name: String): Seq[String] = entry(name).schema.fieldNames.toSeq.filterNot(_.startsWith("_"))

  // Each statement follows the settings of its session, by the name or the path that it has.
  test(
    "ALTER TABLE, dropped partitions and writes that are taken back change the names at once where settings say so") {
    save("s", "(1, 'a', 'mon'), (2, 'b', 'tue'), (3, 'c', 'wed')")()
    save("s", "(4, 'd', 'thu')")()
    sql(s"ALTER TABLE $database.s ADD COLUMN late INT")
    assertEquals(columns("s"), Seq("id", "v", "day"), "nothing says that it is kept up")
    having(s"$Sync.enable" -> "true") {
      sql(s"ALTER TABLE $database.s RENAME COLUMN v TO w")
      assertEquals(columns("s"), Seq("id", "w", "late", "day"))
      sql(s"ALTER TABLE $database.s DROP PARTITION (day = 'mon')")
      assertEquals(partitions("s"), Seq("day=thu", "day=tue", "day=wed"))
      sql(s"CALL hudilite.system.drop_partition(table => '$database.s', partition => 'day=tue')")
      assertEquals(partitions("s"), Seq("day=thu", "day=wed"))
      sql(s"CALL hudilite.system.rollback_to_instant(table => '$database.s')")
      assertEquals(partitions("s"), Seq("day=thu", "day=tue", "day=wed"))
    }
    val first = sql(s"SELECT min(_hoodie_commit_time) FROM hudilite.`$home/s`").head.getString(0)
    val kept = s"$Sync.enable=true,$Sync.database=$database,$Sync.table=s"
    sql(s"CALL hudilite.system.restore_to_instant(path => '$home/s', instant_time => '$first', options => '$kept')")
    assertEquals(partitions("s"), Seq("day=mon", "day=tue", "day=wed"))
    assertEquals(columns("s"), Seq("id", "v", "day"))
    assertEquals(sql(s"SHOW TABLES IN default LIKE 's*'").toSeq, Nil)
  }

  test("a change whose names cannot be kept up is refused before a file is touched") {
    save("n", "(1, 'a', 'mon'), (2, 'b', 'tue')")()
    val instants = sql(s"SELECT * FROM hudilite.`$home/n`.history").size
    Seq(s"ALTER TABLE $database.n ADD COLUMN late INT", s"ALTER TABLE $database.n DROP PARTITION (day = 'mon')",
      s"CALL hudilite.system.drop_partition(path => '$home/n', partition => 'day=mon')").foreach { statement =>
      having(s"$Sync.enable" -> "true", s"$Sync.mode" -> "jdbc") {
        val error: HudiliteException = Raised.by(sql(statement))
        assertEquals(error.parameters("option"), s"$Sync.mode", statement)
      }
    }
    assertEquals(sql(s"SELECT * FROM hudilite.`$home/n`.history").size, instants)
  }

  test("a catalog that does not answer leaves the commit, with an error only where the options ask for one") {
    val missing = Seq(s"$Sync.database" -> "not_there", s"$Sync.auto_create_database" -> "false")
    save("w", "(1, 'a', 'mon')")(missing: _*)
    val error: HudiliteException =
      Raised.by(save("w", "(2, 'b', 'mon')")(missing :+ (s"$Sync.ignore_exceptions" -> "false"): _*))
    assertEquals(error.condition, "NAME_NOT_SYNCED")
    assertEquals(spark.read.format("hudilite").load(s"$home/w").count(), 2L)
  }
}
