package io.hudilite.spark.catalog

import io.hudilite.spark.{Logged, NewestSpark, Raised}

import java.nio.file.Files

import org.apache.spark.sql.{DataFrame, SparkSession}

/** Statements of Apache Hudi's users mean what they mean there. */
final class HudiWordsSuite extends NamedSession {

  override protected val database = "words"

  private val key = "TBLPROPERTIES (primaryKey = 'id', 'hoodie.clean.automatic' = 'false')"

  private def strings(query: String): Seq[String] = sql(query).map(_.toString).sorted

  private def warnings(name: String)(statement: String): Seq[String] = {
    val lines = Logged.during(name)(sql(statement))
    if (Logged.isHeard) lines else Nil
  }

  Seq("ordered" -> "(id STRING, day STRING, name STRING) USING hudilite PARTITIONED BY (day) $K",
    "hudilite.`$P/ordered`" -> "(id STRING, day STRING, name STRING) USING hudilite PARTITIONED BY (day) $K",
    "ordered" -> "USING hudilite PARTITIONED BY (day) $K AS SELECT '0' AS id, 'd' AS day, 'n' AS name WHERE false",
    "hudilite.`$P/ordered`" ->
      ("USING hudilite PARTITIONED BY (day) $K " +
        "AS SELECT '0' AS id, 'd' AS day, 'n' AS name WHERE false")).foreach { case (name, rest) =>
    test(s"partition columns come last, are in the names of folders, and a line says so: $name $rest") {
      val table = name.replace("$P", home.toString)
      val lines = warnings("io.hudilite.spark.catalog.ColumnOrder")(s"CREATE TABLE $table ${rest.replace("$K", key)}")
      assertEquals(lines.map(_.contains("id, name, day")), Seq(true).filter(_ => Logged.isHeard))
      sql(s"INSERT INTO $table VALUES ('1', 'ann', '2026-01-01')")
      assertEquals(strings(s"SELECT id, name, day, _hoodie_partition_path FROM $table"),
        Seq("[1,ann,2026-01-01,day=2026-01-01]"))
      assertEquals(rows(table), Seq("[1,ann,2026-01-01]"))
      val dropped = if (name.contains('/')) s"path => '$home/ordered'" else "table => 'words.ordered'"
      sql(s"CALL hudilite.system.drop_partition($dropped, partition => '2026-01-01')")
      assertEquals(rows(table), Nil)
      if (name == "ordered") sql("DROP TABLE ordered") else delete("ordered")
    }
  }

  test("a table whose statement has the order of the table, or no partitions, says nothing") {
    Seq("CREATE TABLE quiet (id INT, v INT, day INT) USING hudilite PARTITIONED BY (day) " + key,
      s"CREATE TABLE quiet (id INT, v INT) USING hudilite $key").foreach { statement =>
      assertEquals(warnings("io.hudilite.spark.catalog.ColumnOrder")(statement), Nil, statement)
      sql("DROP TABLE quiet")
    }
  }

  test("names of folders are as an option says, and as the table has them that is there or alike") {
    sql("CREATE TABLE plain (id INT, day STRING, v INT) USING hudilite PARTITIONED BY (day) " +
      "TBLPROPERTIES (primaryKey = 'id', 'hoodie.datasource.write.hive_style_partitioning' = 'false')")
    sql("INSERT INTO plain VALUES (1, 1, 'a'), (2, 2, 'b')")
    assert(Files.isDirectory(home.resolve("plain/a")))
    sql(s"CREATE TABLE again (id INT, day STRING, v INT) USING hudilite PARTITIONED BY (day) LOCATION '$home/plain'")
    frame("SELECT 1 AS id, 'a' AS day, 1 AS v").write.format("hudilite").partitionBy("day")
      .option("hoodie.datasource.write.recordkey.field", "id").save(s"$home/frame")
    sql(s"CREATE TABLE copy LIKE hudilite.`$home/frame` USING hudilite")
    sql("INSERT INTO copy SELECT * FROM again")
    assertEquals(rows("copy"), Seq("[1,1,a]", "[2,2,b]"))
    assert(Files.isDirectory(home.resolve("copy/a")))
    assertEquals(rows(s"hudilite.`$home/frame`"), Seq("[1,a,1]"))
    sql("CALL hudilite.system.drop_partition(table => 'words.again', partition => 'day=a')")
    assertEquals(rows("plain"), Seq("[2,2,b]"))
    Seq("again", "copy", "plain").foreach(table => sql(s"DROP TABLE $table"))
  }

  private def withSettings[T](settings: Seq[(String, String)])(body: => T): T = {
    settings.foreach { case (name, value) => spark.conf.set(name, value) }
    try body
    finally settings.foreach { case (name, _) => spark.conf.unset(name) }
  }

  private def create(table: String, more: String = ""): Unit = {
    sql(s"CREATE TABLE $table (id INT, v INT, day STRING) USING hudilite PARTITIONED BY (day) " +
      s"TBLPROPERTIES (primaryKey = 'id', 'hoodie.clean.automatic' = 'false'$more)")
    sql(s"INSERT INTO $table VALUES (1, 1, 'a'), (2, 2, 'b')")
  }

  private val operation = "hoodie.datasource.write.operation"
  private val statement = "hoodie.spark.sql.insert.into.operation"
  private val policy = "hoodie.datasource.insert.dup.policy"
  private val mode = "hoodie.datasource.overwrite.mode"
  private val ofSpark = "spark.sql.sources.partitionOverwriteMode"
  private val again = "INSERT INTO $T VALUES (1, 9, 'a'), (3, 3, 'a')"
  private val over = "INSERT OVERWRITE $T VALUES (7, 7, 'a')"

  private val (updated, added) = (Seq("[1,9,a]", "[2,2,b]", "[3,3,a]"), Seq("[1,1,a]", "[1,9,a]", "[2,2,b]", "[3,3,a]"))
  private val (part, whole) = (Seq("[2,2,b]", "[7,7,a]"), Seq("[7,7,a]"))

  /** Settings, a statement, and the rows that the table has then. */
  private val heeded: Seq[(Seq[(String, String)], String, Seq[String])] = Seq(
    (Seq(operation -> "upsert"), again, updated),
    (Seq(statement -> "upsert"), again, updated),
    (Seq(statement -> "bulk_insert"), again, added),
    (Seq("hoodie.sql.bulk.insert.enable" -> "true"), again, added),
    (Seq("hoodie.sql.insert.mode" -> "upsert"), again, updated),
    (Seq("hoodie.sql.insert.mode" -> "non-strict"), again, added),
    (Seq("hoodie.sql.insert.mode" -> "strict"), "INSERT INTO $T VALUES (3, 3, 'a')",
      Seq("[1,1,a]", "[2,2,b]", "[3,3,a]")),
    (Seq(operation -> "insert", statement -> "upsert"), again, added),
    (Seq(policy -> "none"), again, added),
    (Seq(policy -> "drop"), again, Seq("[1,1,a]", "[2,2,b]", "[3,3,a]")),
    (Seq("hoodie.datasource.insert.drop.duplicates" -> "true"), again, Seq("[1,1,a]", "[2,2,b]", "[3,3,a]")),
    (Seq("hoodie.datasource.write.insert.drop.duplicates" -> "true", operation -> "upsert"), again,
      Seq("[1,1,a]", "[2,2,b]", "[3,3,a]")),
    (Seq(policy -> "fail"), "INSERT INTO $T VALUES (3, 3, 'a'), (1, 1, 'b')",
      Seq("[1,1,a]", "[1,1,b]", "[2,2,b]", "[3,3,a]")),
    (Seq(mode -> "dynamic"), over, part),
    (Seq(mode -> "static", ofSpark -> "dynamic"), over, whole),
    (Seq(mode -> "dynamic"), "INSERT INTO $T VALUES (7, 7, 'a')", Seq("[1,1,a]", "[2,2,b]", "[7,7,a]")),
    (Seq(mode -> "dynamic"), "INSERT OVERWRITE $T PARTITION (day = 'a') SELECT 7, 7", part),
    (Seq(mode -> "dynamic"), "INSERT OVERWRITE $T PARTITION (day = 'a') SELECT 7, 7 WHERE false", Seq("[2,2,b]")),
    (Seq(mode -> "static", ofSpark -> "dynamic"), "INSERT OVERWRITE $T PARTITION (day) SELECT 7, 7, 'a'", whole),
    (Seq(mode -> "dynamic"), "TRUNCATE TABLE $T", Nil),
    (Seq(operation -> "insert_overwrite"), "TRUNCATE TABLE $T", Nil),
    (Seq(operation -> "insert_overwrite"), over, part),
    (Seq(operation -> "insert_overwrite"), "INSERT INTO $T VALUES (7, 7, 'a')", part),
    (Seq(operation -> "insert_overwrite_table", ofSpark -> "dynamic"), over, whole),
    (Seq(operation -> "insert_overwrite", mode -> "static"), over, part),
    (Seq(operation -> "insert_overwrite"),
      "CREATE OR REPLACE TABLE $T USING hudilite AS SELECT 7 AS id, 7 AS v, 'a' AS day",
      whole),
    (Seq(mode -> "dynamic"), "UPDATE $T SET v = 5 WHERE id = 1", Seq("[1,5,a]", "[2,2,b]")),
    (Seq(operation -> "delete"), "DELETE FROM $T WHERE id = 2", Seq("[1,1,a]")),
    (Seq(operation -> "delete"), "INSERT INTO $T VALUES (2, 0, 'b')", Seq("[1,1,a]")))

  for (kind <- Seq("cow", "mor"))
    test(NewestSpark.unless(kind == "mor")(s"SET of Hudi's options is heeded by statements: $kind")) {
      heeded.zipWithIndex.foreach { case ((settings, text, expected), number) =>
        val table = s"set_$kind$number"
        create(table, s", type = '$kind'")
        withSettings(settings)(sql(text.replace("$T", table)))
        assertEquals(rows(table), expected, s"$settings $text")
        sql(s"DROP TABLE $table")
      }
    }

  test("rows of one key stay apart in a table that a query makes, unless something asks for an upsert, as with Hudi") {
    val query = "SELECT * FROM VALUES (1, 1, 'a'), (1, 2, 'a'), (2, 3, 'b') AS t(id, v, day)"
    def made(rest: String, settings: (String, String)*): (String, Seq[String]) = {
      withSettings(settings)(sql(s"CREATE TABLE taken USING hudilite $rest AS $query"))
      val operation = sql(s"SELECT operation FROM $database.taken.history").map(_.getString(0)).mkString
      try operation -> rows("taken")
      finally sql("DROP TABLE taken")
    }
    val (all, newest) = (Seq("[1,1,a]", "[1,2,a]", "[2,3,b]"), Seq("[1,2,a]", "[2,3,b]"))
    val keyed = "TBLPROPERTIES (primaryKey = 'id', preCombineField = 'v')"
    val upserting =
      "TBLPROPERTIES (primaryKey = 'id', preCombineField = 'v', 'hoodie.datasource.write.operation' = 'upsert')"
    assertEquals(made(keyed), "BULK_INSERT" -> all)
    assertEquals(made(s"PARTITIONED BY (day) $keyed"), "BULK_INSERT" -> all)
    assertEquals(made("TBLPROPERTIES (primaryKey = 'id', type = 'mor')"), "BULK_INSERT" -> all)
    assertEquals(made(keyed, operation -> "insert"), "INSERT" -> all)
    assertEquals(made(keyed, operation -> "upsert"), "UPSERT" -> newest)
    assertEquals(made(keyed, statement -> "upsert"), "UPSERT" -> newest)
    assertEquals(made(upserting), "UPSERT" -> newest)
    assertEquals(made(keyed, "hoodie.combine.before.insert" -> "true"), "BULK_INSERT" -> newest)
    Seq(Nil, Seq(operation -> "upsert"), Seq(statement -> "upsert")).foreach(settings =>
      assertEquals(made("", settings: _*)._2, all, settings))
  }

  test("rows without keys are added where a session has all writes upsert, as with Hudi") {
    sql("CREATE TABLE keyless (id INT, v INT) USING hudilite")
    Seq(operation, statement).foreach(name =>
      withSettings(Seq(name -> "upsert"))(sql("INSERT INTO keyless VALUES (1, 1)")))
    assertEquals(rows("keyless"), Seq("[1,1]", "[1,1]"))
    sql(s"ALTER TABLE keyless SET TBLPROPERTIES ('$operation' = 'upsert')")
    sql("INSERT INTO keyless VALUES (1, 1)")
    frame("SELECT 1 AS id, 1 AS v").write.format("hudilite").mode("append").saveAsTable("keyless")
    assertEquals(rows("keyless").size, 4)
    withSettings(Seq(operation -> "upsert")) {
      sql("UPDATE keyless SET v = 2")
      sql("MERGE INTO keyless t USING (SELECT 5 AS id, 5 AS v) s ON t.id = s.id WHEN NOT MATCHED THEN INSERT *")
    }
    assertEquals(rows("keyless").distinct, Seq("[1,2]", "[5,5]"))
    sql("DROP TABLE keyless")
  }

  test("a key whose row was deleted in a log is none that is there, and rows of a new table are taken once, too") {
    create("gone", ", type = 'mor'")
    sql("DELETE FROM gone WHERE id = 1")
    withSettings(Seq(policy -> "drop"))(sql("INSERT INTO gone VALUES (1, 5, 'a'), (2, 5, 'b')"))
    assertEquals(rows("gone"), Seq("[1,5,a]", "[2,2,b]"))
    sql("DELETE FROM gone WHERE id = 1")
    withSettings(Seq(policy -> "fail"))(sql("INSERT INTO gone VALUES (1, 6, 'a')"))
    assertEquals(rows("gone"), Seq("[1,6,a]", "[2,2,b]"))
    sql("DROP TABLE gone")
    withSettings(Seq(policy -> "drop"))(sql(
        "CREATE TABLE gone USING hudilite TBLPROPERTIES (primaryKey = 'id') AS SELECT * FROM VALUES (1, 2), (1, 2) AS t(id, v)"))
    assertEquals(rows("gone"), Seq("[1,2]"))
    sql("DROP TABLE gone")
  }

  test("properties of a table say what a statement does, SET outranks them, and the write itself both") {
    def property(name: String, value: String): String = s", '$name' = '$value'"
    heeded.filter { case (settings, _, _) => settings.forall(_._1.startsWith("hoodie.")) }.zipWithIndex.foreach {
      case ((settings, text, expected), number) if !text.startsWith("CREATE") =>
        val table = s"has$number"
        // The first rows come before the properties.
        create(table)
        sql(s"ALTER TABLE $table SET TBLPROPERTIES (${settings.map { case (k, v) => s"'$k' = '$v'" }.mkString(", ")})")
        sql(text.replace("$T", table))
        assertEquals(rows(table), expected, s"$settings $text")
        sql(s"DROP TABLE $table")
      case _ =>
    }
    create("ranks", property(operation, "upsert") + property(mode, "dynamic"))
    withSettings(Seq(operation -> "insert"))(sql(again.replace("$T", "ranks")))
    assertEquals(rows("ranks"), added)
    withSettings(Seq(operation -> "insert"))(frame("SELECT 2 AS id, 9 AS v, 'b' AS day").write.format("hudilite")
        .option(operation, "upsert").mode("append").saveAsTable("ranks"))
    assertEquals(rows("ranks"), Seq("[1,1,a]", "[1,9,a]", "[2,9,b]", "[3,3,a]"))
    withSettings(Seq(mode -> "static", operation -> "insert_overwrite_table"))(sql(over.replace("$T", "ranks")))
    assertEquals(rows("ranks"), whole)
    // A DataFrame that is saved to a path is told by its own options alone, as with Hudi.
    withSettings(Seq(operation -> "bulk_insert"))(frame("SELECT 7 AS id, 8 AS v, 'a' AS day").write.format("hudilite")
        .mode("append").save(s"$home/ranks"))
    assertEquals(rows("ranks"), Seq("[7,8,a]"))
    sql("DROP TABLE ranks")
  }

  test("an insert that must not meet a key names one that it has met, and one that cannot tell is refused") {
    Seq("", ", 'hoodie.index.type' = 'BUCKET', 'hoodie.bucket.index.num.buckets' = '2'",
      ", type = 'mor', preCombineField = 'v'").foreach { more =>
      create("strict", more)
      withSettings(Seq(policy -> "fail")) {
        val error = Raised.by(sql("INSERT INTO strict VALUES (3, 3, 'a'), (2, 9, 'b')"))
        assertEquals((error.condition, error.parameters("key")), ("RECORD_KEY_EXISTS", "2"), more)
        sql("INSERT INTO strict VALUES (4, 4, 'b')")
      }
      withSettings(Seq(policy -> "drop"))(sql("INSERT INTO strict VALUES (3, 3, 'a'), (2, 9, 'b')"))
      assertEquals(rows("strict"), Seq("[1,1,a]", "[2,2,b]", "[3,3,a]", "[4,4,b]"), more)
      withSettings(Seq(policy -> "drop", statement -> "bulk_insert"))(
        assertEquals(condition("INSERT INTO strict VALUES (5, 5, 'a')"), "INVALID_OPTION_VALUE"))
      sql("DROP TABLE strict")
    }
    val rowsOf = frame("SELECT 1 AS id, 2 AS v").write.format("hudilite").mode("append")
      .option("hoodie.datasource.write.recordkey.field", "id").option(operation, "insert")
    rowsOf.option(policy, "fail").save(s"$home/framed")
    val error = Raised.by(rowsOf.option(policy, "fail").save(s"$home/framed"))
    assertEquals(error.condition, "RECORD_KEY_EXISTS")
    rowsOf.option(policy, "drop").save(s"$home/framed")
    assertEquals(rows(s"hudilite.`$home/framed`"), Seq("[1,2]"))
  }

  test("SET of a kind of query is heeded by reads, and writes go on working on the newest rows") {
    create("asked")
    val first = sql("SELECT max(_hoodie_commit_time) FROM asked").head.getString(0)
    sql("INSERT INTO asked VALUES (3, 3, 'a')")
    val kind = Seq("hoodie.datasource.query.type" -> "incremental",
      "hoodie.datasource.read.begin.instanttime" -> sql("SELECT completion_time FROM hudilite.words.asked.history " +
        s"WHERE time = '$first'").head.getString(0))
    withSettings(kind) {
      assertEquals(rows("asked"), Seq("[3,3,a]"))
      assertEquals(frame("SELECT 1").sparkSession.read.format("hudilite").load(s"$home/asked").count(), 1L)
      assertEquals(frame("SELECT 1").sparkSession.read.format("hudilite").option(kind.head._1, "snapshot")
          .load(s"$home/asked").count(), 3L)
      sql("INSERT INTO asked SELECT id + 10, v, day FROM asked")
      sql("UPDATE asked SET v = 20 WHERE id = 2")
    }
    assertEquals(rows("asked"), Seq("[1,1,a]", "[13,3,a]", "[2,20,b]", "[3,3,a]"))
    sql("DROP TABLE asked")
  }

  test("SET of what is not known, or is another program's, is told once, and of what cannot be read is refused") {
    create("others")
    val settings = Seq("hoodie.table.cdc.enabled" -> "true", "hoodie.no.such.option" -> "1",
      "hoodie.datasource.write.recordkey.field" -> "v")
    withSettings(settings) {
      val lines = warnings("io.hudilite.options")("INSERT INTO others VALUES (3, 3, 'a')") ++
        warnings("io.hudilite.options")("SELECT * FROM others")
      if (Logged.isHeard) assertEquals(settings.map { case (name, _) => lines.count(_.contains(name)) }, Seq(1, 1, 1))
      assertEquals(rows("others"), Seq("[1,1,a]", "[2,2,b]", "[3,3,a]"))
    }
    withSettings(Seq(mode -> "some", "hoodie.write.lock.provider" -> "org.apache.hudi.other.Provider")) {
      assertEquals(rows("others").size, 3)
      val error = Raised.by(sql("INSERT INTO others VALUES (4, 4, 'a')"))
      assertEquals(error.condition, "OPTION_NOT_SUPPORTED")
    }
    withSettings(Seq(mode -> "some")) {
      val error = Raised.by(sql("INSERT INTO others VALUES (4, 4, 'a')"))
      assertEquals((error.condition, error.parameters("option")), ("INVALID_OPTION_VALUE", mode))
    }
    sql("DROP TABLE others")
  }

  test("an instant of 14 or 17 digits is a time of TIMESTAMP AS OF, and a time that has not come is told of") {
    create("timed")
    val first = sql("SELECT max(_hoodie_commit_time) FROM timed").head.getString(0)
    sql("DELETE FROM timed WHERE id = 1")
    Seq("timed", s"hudilite.`$home/timed`").foreach { table =>
      assertEquals(rows(s"$table TIMESTAMP AS OF '$first'"), Seq("[1,1,a]", "[2,2,b]"), table)
      val next = sql(s"SELECT date_format(now() + INTERVAL 1 HOUR, 'yyyyMMddHHmmss')").head.getString(0)
      val told = warnings("io.hudilite.spark.scan.plan.TimeTravel")(s"SELECT * FROM $table TIMESTAMP AS OF '$next'")
      if (Logged.isHeard) assert(told.nonEmpty && told.forall(_.contains("newest instant")), told)
      assertEquals(rows(s"$table TIMESTAMP AS OF '$next'"), Seq("[2,2,b]"), table)
      assertEquals(warnings("io.hudilite.spark.scan.plan.TimeTravel")(
          s"SELECT * FROM $table TIMESTAMP AS OF current_timestamp()"), Nil)
    }
    assertEquals(frame("SELECT 1").sparkSession.read.format("hudilite").option("timestampAsOf", first)
        .load(s"$home/timed").count(), 2L)
    sql("CREATE TEMP VIEW digits AS SELECT 1 AS id")
    intercept[Exception](sql(s"SELECT * FROM digits TIMESTAMP AS OF '$first'"))
    sql("DROP TABLE timed")
  }

  test("words of statements that Hudi has: a merge mode, and a merge type that leaves logs as they are") {
    sql("CREATE TABLE moded (id INT, v INT, ts INT) USING hudilite TBLPROPERTIES (primaryKey = 'id', " +
      "preCombineField = 'ts', type = 'mor', recordMergeMode = 'COMMIT_TIME_ORDERING')")
    sql("INSERT INTO moded VALUES (1, 1, 5)")
    withSettings(Seq(operation -> "upsert"))(sql("INSERT INTO moded VALUES (1, 2, 4)"))
    assertEquals(rows("moded"), Seq("[1,2,4]"))
    assertEquals(condition("ALTER TABLE moded SET TBLPROPERTIES (recordMergeMode = 'EVENT_TIME_ORDERING')"),
      "STATEMENT_NOT_SUPPORTED")
    withSettings(Seq("hoodie.datasource.merge.type" -> "payload_combine"))(assertEquals(rows("moded").size, 1))
    withSettings(Seq("hoodie.datasource.merge.type" -> "skip_merge"))(
      assertEquals(condition("SELECT * FROM moded"), "OPTION_NOT_SUPPORTED"))
    sql("DROP TABLE moded")
  }

  test("a delete by a DataFrame looks at key and partition columns alone") {
    create("deleted")
    frame("SELECT 1 AS id, 'a' AS day, array('no number') AS v, map(1, 2) AS more UNION ALL SELECT 9, 'b', null, null")
      .write.format("hudilite").option(operation, "delete").mode("append").save(s"$home/deleted")
    assertEquals(rows("deleted"), Seq("[2,2,b]"))
    frame("SELECT 2 AS id, 'b' AS day").write.format("hudilite").option(operation, "delete").mode("append")
      .save(s"$home/deleted")
    assertEquals(rows("deleted"), Nil)
    sql("DROP TABLE deleted")
  }

  test("properties of a user's own are kept, shown, changed and copied") {
    sql(s"CREATE TABLE noted (id INT) USING hudilite TBLPROPERTIES (primaryKey = 'id', note = 'mine', 'a.b' = 'c')")
    sql("ALTER TABLE noted SET TBLPROPERTIES ('note' = 'ours', 'more' = '1')")
    sql("ALTER TABLE noted UNSET TBLPROPERTIES ('a.b')")
    sql("INSERT INTO noted VALUES (1)")
    assertEquals(sql("SHOW TBLPROPERTIES noted ('note')").map(_.getString(1)), Seq("ours"))
    assertEquals(registered("noted").own, Map("note" -> "ours", "more" -> "1"))
    sql(sql("SHOW CREATE TABLE noted").head.getString(0).replace(".noted (", ".noted_copy ("))
    assertEquals(registered("noted_copy").own, registered("noted").own)
    sql("CREATE TABLE noted_too USING hudilite TBLPROPERTIES (primaryKey = 'id', note = 'q') AS SELECT 1 AS id")
    assertEquals(registered("noted_too").own, Map("note" -> "q"))
    for ((statement, expected) <- Seq(
        "CREATE TABLE nope (id INT) USING hudilite OPTIONS (note = 'x') TBLPROPERTIES (primaryKey = 'id')" ->
          "UNKNOWN_OPTION",
        "CREATE TABLE nope (id INT) USING hudilite TBLPROPERTIES (primaryKey = 'id', mergeShema = 'false')" ->
          "UNKNOWN_OPTION",
        s"CREATE TABLE hudilite.`$home/nope` (id INT) USING hudilite TBLPROPERTIES (primaryKey = 'id', note = 'x')" ->
          "UNKNOWN_OPTION",
        "ALTER TABLE noted SET TBLPROPERTIES ('hoodie.note' = 'x')" -> "UNKNOWN_OPTION"))
      assertEquals(condition(statement), expected, statement)
    sql("CREATE OR REPLACE TABLE noted USING hudilite TBLPROPERTIES (note = 'new') AS SELECT 1 AS id")
    assertEquals(registered("noted").own, Map("note" -> "new", "more" -> "1"))
    Seq("noted", "noted_copy", "noted_too").foreach(table => sql(s"DROP TABLE $table"))
  }

  test("a property with which no write could go on is refused, by its name, before it is kept") {
    create("alone")
    for ((option, value) <- Seq("hoodie.index.type" -> "BUCKET", "hoodie.keep.max.commits" -> "5",
        "hoodie.parquet.max.file.size" -> "big", "hoodie.write.lock.provider" -> "org.other.Provider")) {
      val error = Raised.by(sql(s"ALTER TABLE alone SET TBLPROPERTIES ('$option' = '$value')"))
      assert(error.parameters.values.exists(_.contains(option)), error)
    }
    assertEquals(registered("alone").kept.keySet, Set("hoodie.clean.automatic"))
    assertEquals(
      condition(s"CREATE TABLE too USING hudilite LOCATION '$home/alone' " +
        "TBLPROPERTIES ('hoodie.index.type' = 'BUCKET', 'hoodie.bucket.index.num.buckets' = '4')"),
      condition("ALTER TABLE alone SET TBLPROPERTIES ('hoodie.index.type' = 'BUCKET', " +
        "'hoodie.bucket.index.num.buckets' = '4')"))
    sql("INSERT INTO alone VALUES (3, 3, 'a')")
    assertEquals(rows("alone").size, 3)
    sql("DROP TABLE alone")
  }

  test("a new table is not made among other files unless told, and files that no write has named are told of once") {
    def made(path: String, options: (String, String)*): Unit = frame("SELECT 1 AS id").write.format("hudilite")
      .option("hoodie.datasource.write.recordkey.field", "id").options(options.toMap).mode("append").save(path)
    val folder = Files.createDirectory(home.resolve("used"))
    Files.createFile(folder.resolve("_SUCCESS"))
    made(s"$home/used")
    delete("used")
    Files.createDirectory(folder)
    Files.createFile(folder.resolve("rows.csv"))
    val error = Raised.by(made(s"$home/used"))
    assertEquals(error.condition, "STATEMENT_NOT_SUPPORTED")
    assert(error.getMessage.contains("rows.csv"), error)
    assertEquals(condition(s"CREATE TABLE used (id INT) USING hudilite LOCATION '$home/used' $key"),
      "STATEMENT_NOT_SUPPORTED")
    assert(!Files.exists(folder.resolve(".hoodie")))
    made(s"$home/used", "hudilite.among.other.files" -> "true")
    val read = s"SELECT * FROM hudilite.`$home/used`"
    val told = Logged.during("io.hudilite.filegroup.OtherFiles") { sql(read); sql(read) }
    if (Logged.isHeard) assertEquals(told.map(_.contains("rows.csv")), Seq(true))
    assertEquals(sql(s"CALL hudilite.system.doctor(path => '$home/used')").map(_.getAs[String]("subject")),
      Seq("rows.csv"))
  }

  private def frame(query: String): DataFrame = {
    SparkSession.setActiveSession(spark)
    spark.sql(query)
  }

  private def delete(folder: String): Unit = {
    val paths = Files.walk(home.resolve(folder))
    try paths.sorted(java.util.Comparator.reverseOrder[java.nio.file.Path]()).forEach(path => Files.delete(path))
    finally paths.close()
  }
}
