package io.hudilite.spark.write

import io.hudilite.error.InvalidInput
import io.hudilite.filegroup.BaseFileFooter
import io.hudilite.record.MetaFields
import io.hudilite.spark.Interpreted

import java.nio.file.{Files, Paths}

import org.apache.parquet.hadoop.ParquetFileReader
import org.apache.parquet.hadoop.util.HadoopInputFile
import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.functions.expr

/** Tables without record key fields: the writer of a row generates its key. */
final class GeneratedKeysSuite extends MergeOnReadFixture with Interpreted {

  private val Kinds = Seq(("COPY_ON_WRITE", 9), ("MERGE_ON_READ", 9), ("COPY_ON_WRITE", 6), ("MERGE_ON_READ", 8))

  private def facts(kind: String, version: Int): Seq[(String, String)] = Seq(
    "hoodie.datasource.write.table.type" -> kind, "hoodie.write.table.version" -> version.toString,
    "hoodie.datasource.write.partitionpath.field" -> "p")

  private def append(frame: DataFrame, path: String, options: (String, String)*): Unit =
    frame.write.format("hudilite").options(options.toMap).mode("append").save(path)

  private def numbers(from: Int, until: Int): DataFrame =
    spark.range(from.toLong, until.toLong).selectExpr("id", "concat('p', id % 2) p", "concat('v', id) v")

  private def keys(path: String): Map[String, (Long, String)] =
    read(path).select(MetaFields.RecordKey, "id", "v").collect()
      .map(r => r.getString(0) -> (r.getLong(1) -> r.getString(2))).toMap

  private def values(path: String): Seq[(Long, String, String)] =
    read(path).select("id", "p", "v").collect().map(r => (r.getLong(0), r.getString(1), r.getString(2))).sorted.toSeq

  private def refused(condition: String, told: String*)(body: => Any): Unit = {
    val e = intercept[InvalidInput](body)
    assertEquals(e.condition, condition, e.getMessage)
    told.foreach(text => assert(e.getMessage.contains(text), e.getMessage))
    assert(!e.getMessage.contains("\n"))
  }

  test("every row gets a key that no other has, keeps it when it is changed, and rows of equal values stay apart") {
    Kinds.foreach { case (kind, version) =>
      val path = newPath()
      append(numbers(0, 20), path, facts(kind, version): _*)
      append(numbers(0, 20).repartition(3), path)
      assertEquals(table(path).config.text("hoodie.table.recordkey.fields"), None)
      assertEquals(lastCommit(path).operation, "BULK_INSERT")
      val before = keys(path)
      assertEquals(before.size, 40)
      before.keys.foreach(key => assert(key.matches("\\d{17}_\\d+_\\d{10}"), key))

      spark.sql(s"UPDATE hudilite.`$path` SET v = 'new' WHERE id IN (3, 4)")
      spark.sql(s"DELETE FROM hudilite.`$path` WHERE id = 5 OR id = 6")
      val kept = before.collect {
        case (key, (id, v)) if id != 5 && id != 6 =>
          key -> (id -> (if (id == 3 || id == 4) "new" else v))
      }
      assertEquals(keys(path), kept, s"$kind $version")

      spark.sql(s"UPDATE hudilite.`$path` SET p = 'p7' WHERE id = 7")
      assertEquals(read(path).where("p = 'p7'").select(MetaFields.PartitionPath, "id").distinct().collect().toSeq
          .map(_.toString), Seq("[p7,7]"))
      assertEquals(keys(path).values.toSeq.sorted, kept.values.toSeq.sorted)
      spark.sql(s"""MERGE INTO hudilite.`$path` t USING (SELECT * FROM VALUES (8L, 'p0', 'merged'),
        (90L, 'p0', 'first'), (90L, 'p0', 'first'), (91L, 'p9', 'other') AS s(id, p, v)) s ON t.id = s.id
        WHEN MATCHED THEN UPDATE SET v = s.v WHEN NOT MATCHED THEN INSERT *""")
      assertEquals(values(path).filter(r => r._1 == 8 || r._1 >= 90),
        Seq((8L, "p0", "merged"), (8L, "p0", "merged"),
          (90L, "p0", "first"), (90L, "p0", "first"), (91L, "p9", "other")))
      assertEquals(keys(path).size, 39)
    }
  }

  test("inserts fill small files, whose keys stay in order and are found again") {
    val path = newPath()
    append(numbers(0, 20), path, facts("COPY_ON_WRITE", 9): _*)
    val first = table(path).timeline.writes.last.time
    append(numbers(20, 60).repartition(2), path, "hoodie.datasource.write.operation" -> "insert")
    assertEquals(lastCommit(path).operation, "INSERT")
    assertEquals(table(path).allSlices().values.map(_.size).toSeq.sorted, Seq(2, 2))
    spark.sql(s"""MERGE INTO hudilite.`$path` t USING (SELECT id, p, 'merged' v FROM hudilite.`$path` WHERE id < 4
      UNION ALL SELECT id + 100, p, v FROM hudilite.`$path` WHERE id < 30) s ON t.id = s.id
      WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *""")
    assertEquals(keys(path).size, 90)
    assertEquals(keys(path).values.count(_._2 == "merged"), 4)
    table(path).allSlices().values.flatten.flatMap(_.base).foreach { file =>
      val footer = ParquetFileReader.open(HadoopInputFile.fromPath(
          new org.apache.hadoop.fs.Path(Paths.get(path, file.relativePath).toUri), spark.sessionState.newHadoopConf()))
      val told = try footer.getFileMetaData.getKeyValueMetaData
      finally footer.close()
      assertEquals(told.get(BaseFileFooter.SortedByKey) -> told.get(BaseFileFooter.UniqueKeys), "true" -> "true")
    }
    val (key, (id, _)) = keys(path).head
    assertEquals(read(path).where(s"${MetaFields.RecordKey} = '$key'").select("id").collect().map(_.getLong(0)).toSeq,
      Seq(id))
    assertEquals(spark.read.format("hudilite").option("as.of.instant", first).load(path).count(), 20L)
  }

  test("services and an overwrite leave generated keys as they are, or generate them anew with the rows") {
    val path = newPath()
    append(numbers(0, 20), path, facts("MERGE_ON_READ", 9): _*)
    append(numbers(20, 40), path)
    spark.sql(s"UPDATE hudilite.`$path` SET v = 'new' WHERE id % 3 = 0")
    spark.sql(s"DELETE FROM hudilite.`$path` WHERE id % 5 = 0")
    val before = keys(path)
    spark.sql(s"CALL hudilite.system.run_compaction(table => '$path')")
    assertEquals(keys(path), before)
    spark.sql(s"CALL hudilite.system.run_clustering(table => '$path', order => 'v')")
    assertEquals(keys(path), before)
    spark.sql(s"UPDATE hudilite.`$path` SET v = 'again' WHERE id = 7")
    assertEquals(keys(path), before.map { case (key, (id, v)) => key -> (id -> (if (id == 7) "again" else v)) })
    spark.sql(s"INSERT OVERWRITE hudilite.`$path` SELECT id, p, v FROM hudilite.`$path` WHERE id < 10")
    assertEquals(values(path).map(_._1), Seq(1L, 2L, 3L, 4L, 6L, 7L, 8L, 9L))
    assert(keys(path).keySet.intersect(before.keySet).isEmpty)
  }

  test("rows that were read with their keys and partitions are upserted and deleted by these") {
    Kinds.foreach { case (kind, version) =>
      val path = newPath()
      append(numbers(0, 20), path, facts(kind, version): _*)
      append(numbers(0, 20), path)
      val before = keys(path)
      def named(condition: String): DataFrame =
        read(path).select("*", MetaFields.RecordKey, MetaFields.PartitionPath).where(condition)
      val operation = "hoodie.datasource.write.operation"
      val changed = named("id IN (3, 4)").withColumn("v", expr("'new'"))
      append(changed.withColumn("v", expr("'late'")).limit(1).union(changed), path, operation -> "upsert")
      append(named("id = 7").withColumn("p", expr("'p9'")), path, operation -> "upsert")
      append(named("id = 5"), path, operation -> "delete")
      val expected = before.collect {
        case (key, (id, v)) if id != 5 =>
          key -> (id -> (if (id == 3 || id == 4) "new" else v))
      }
      assertEquals(keys(path), expected, s"$kind $version")
      assertEquals(read(path).where(s"${MetaFields.PartitionPath} = 'p9'").select("id", "p").collect().map(_.toString)
          .toSeq, Seq("[7,p9]", "[7,p9]"))
      append(changed.limit(1).withColumn(MetaFields.RecordKey, expr("'of another'")), path, operation -> "upsert")
      assertEquals(keys(path).size, 39)
      assert(!keys(path).contains("of another"))
    }
  }

  test("a DataFrame of rows that were read, filtered and changed changes them, and all others add rows") {
    val path = newPath()
    append(numbers(0, 6), path, facts("MERGE_ON_READ", 9): _*)
    val before = keys(path)
    append(read(path).where("id = 3").withColumn("v", expr("'new'")), path)
    append(read(path).where("id = 5"), path, "hoodie.datasource.write.operation" -> "delete")
    val after = before.collect { case (key, (id, v)) if id != 5 => key -> (id -> (if (id == 3) "new" else v)) }
    assertEquals(keys(path), after)
    // A column is left out, rows are put together, another table's, or to be added.
    append(read(path).where("id = 1").select("id", "p"), path, "hoodie.write.set.null.for.missing.columns" -> "true")
    append(read(path).where("id = 1 AND v IS NOT NULL").distinct(), path)
    append(read(path).where("id = 2"), path, "hoodie.datasource.write.operation" -> "insert")
    val other = newPath()
    append(read(path).where("id = 4"), other)
    append(read(other), path)
    assertEquals(keys(path).values.map(_._1).toSeq.sorted, Seq(0L, 1L, 1L, 1L, 2L, 2L, 3L, 4L, 4L))
  }

  test("rows that are kept with random values are not computed again to change those that they came from") {
    val path = newPath()
    append(numbers(0, 6), path, facts("COPY_ON_WRITE", 9): _*)
    def changed(id: Int, value: String): DataFrame = read(path).where(s"id = $id").withColumn("v", expr(value))
    def values(id: Int): Set[String] = read(path).where(s"id = $id").collect().map(_.getAs[String]("v")).toSet
    val random = changed(1, "uuid()").cache()
    val same = changed(2, "concat(v, '!')").cache()
    try {
      val kept = random.collect().map(_.getAs[String]("v")).toSet
      same.collect()
      val before = values(1)
      assertEquals(intercept[InvalidInput](append(random, path)).condition, "STATEMENT_NOT_SUPPORTED")
      assertEquals(values(1), before)
      append(random, path, "hoodie.datasource.write.operation" -> "insert")
      assertEquals(values(1), before ++ kept)
      val wanted = values(2).map(_ + "!")
      append(same, path)
      assertEquals(values(2), wanted)
    } finally Seq(random, same).foreach(_.unpersist())
    append(changed(3, "uuid()"), path)
    assertEquals(values(3).map(_.length), Set(36))
  }

  test("what needs a record key is refused by name, and makes no table") {
    def made(options: (String, String)*): String = {
      val path = newPath()
      try append(numbers(0, 2), path, options: _*)
      finally assert(!Files.exists(Paths.get(path)))
      path
    }
    val operation = "hoodie.datasource.write.operation"
    refused("INVALID_OPTION_VALUE", "upsert needs record keys")(made(operation -> "upsert"))
    refused("INVALID_OPTION_VALUE", "names no column")(made("hoodie.datasource.write.recordkey.field" -> " "))
    Seq("BUCKET", "GLOBAL_BLOOM").foreach(kind =>
      refused("INVALID_OPTION_VALUE", kind, "record key fields")(made("hoodie.index.type" -> kind)))
    val path = newPath()
    append(numbers(0, 4), path, facts("COPY_ON_WRITE", 9): _*)
    refused("INVALID_OPTION_VALUE", "delete needs record keys")(append(numbers(0, 1), path, operation -> "delete"))
    refused("OPTION_CONTRADICTS_TABLE", "generated record keys")(
      append(numbers(0, 1), path, "hoodie.datasource.write.recordkey.field" -> "id"))
    refused("STATEMENT_NOT_SUPPORTED", MetaFields.RecordKey)(spark.sql(
        s"MERGE INTO hudilite.`$path` t USING (SELECT 'k' k, 1L id, 'p' p, 'v' v) s ON t._hoodie_record_key = s.k " +
          "WHEN MATCHED THEN DELETE WHEN NOT MATCHED THEN INSERT (id, p, v) VALUES (s.id, s.p, s.v)"))
    assertEquals(values(path).size, 4)
    // One that only changes rows may name them by their generated keys.
    val one = keys(path).head._1
    spark.sql(s"MERGE INTO hudilite.`$path` t USING (SELECT '$one' k) s ON t._hoodie_record_key = s.k " +
      "WHEN MATCHED THEN DELETE")
    assertEquals(keys(path).size -> keys(path).contains(one), 3 -> false)
  }
}
