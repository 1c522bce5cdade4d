package io.hudilite.spark.write

import io.hudilite.spark.{Interpreted, SharedSession}

import org.apache.spark.sql.DataFrame

/** Keys that a table holds several times, as `insert` and `bulk_insert` may leave them. */
class RepeatedKeysSuite extends MergeOnReadFixture with Interpreted {

  /** Rows (id, ts, v) of the one partition p. */
  private def copies(rows: (String, Long, String)*): DataFrame =
    spark.createDataFrame(rows).toDF("id", "ts", "v").selectExpr("id", "'p' p", "ts", "v").coalesce(1)

  private val three = copies(("a", 1, "0"), ("k", 1, "1"), ("k", 1, "2"), ("k", 1, "3"), ("z", 1, "9"))

  private val settings: Seq[(String, Map[String, String])] = Seq(
    "copy on write" -> (options(9) + ("hoodie.datasource.write.table.type" -> "COPY_ON_WRITE")),
    "merge on read, version 6" -> options(6),
    "merge on read, version 9" -> options(9),
    "merge on read without positions" -> (options(9) + ("hoodie.write.record.positions" -> "false")))

  private def holding(options: Map[String, String], rows: DataFrame = three): String = {
    val path = newPath()
    write(rows, path, "bulk_insert", options.toSeq: _*)
    path
  }

  private def more(options: Map[String, String]): Seq[(String, String)] =
    options.filter(_._1 == "hoodie.write.record.positions").toSeq

  private def shown(path: String): Seq[String] =
    read(path).collect().map(r => s"${r.getAs[String]("id")}${r.getAs[String]("v")}").sorted.toSeq

  private def sql(path: String, statement: String): Unit = {
    spark.sql(statement.replace("TABLE", s"hudilite.`$path`"))
    ()
  }

  for ((name, options) <- settings) {

    test(s"an upsert replaces every row of a key, and makes no more of them, $name") {
      val path = holding(options)
      for (round <- 1 to 3) {
        write(copies(("k", round + 1, s"new$round"), (s"n$round", 1, "")), path, "upsert", more(options): _*)
        assertEquals(shown(path).filter(_.startsWith("k")), Seq.fill(3)(s"knew$round"))
      }
      assertEquals(shown(path).filterNot(_.startsWith("k")), Seq("a0", "n1", "n2", "n3", "z9"))
      write(copies(("k", 9, "")).select("id", "p", "ts"), path, "delete", more(options): _*)
      assertEquals(shown(path), Seq("a0", "n1", "n2", "n3", "z9"))
    }

    test(s"a statement changes the rows that its condition names, $name") {
      val path = holding(options)
      SharedSession.withConf(more(options): _*) {
        sql(path, "UPDATE TABLE SET v = 'x' WHERE v = '2'")
        assertEquals(shown(path), Seq("a0", "k1", "k3", "kx", "z9"))
        sql(path, "DELETE FROM TABLE WHERE v = '3'")
        assertEquals(shown(path), Seq("a0", "k1", "kx", "z9"))
        copies(("k", 2, "m")).createOrReplaceTempView("one")
        sql(path,
          "MERGE INTO TABLE t USING one s ON t.id = s.id AND t.p = s.p AND t.v = '1' " +
            "WHEN MATCHED THEN UPDATE SET v = s.v")
        assertEquals(shown(path), Seq("a0", "km", "kx", "z9"))
        sql(path,
          "MERGE INTO TABLE t USING one s ON concat(t.id, '') = s.id " +
            "WHEN MATCHED AND t.v = 'm' THEN DELETE WHEN MATCHED THEN UPDATE SET v = 'y'")
        assertEquals(shown(path), Seq("a0", "ky", "z9"))
      }
    }
  }

  for (set <- Seq("spark.sql.parquet.enableVectorizedReader", "spark.sql.codegen.wholeStage"))
    test(s"rows are addressed through every kind of reader, $set = false") {
      SharedSession.withConf(set -> "false") {
        val path = holding(settings.head._2, three)
        sql(path, "UPDATE TABLE SET v = 'x' WHERE v = '2'")
        sql(path, "DELETE FROM TABLE WHERE v = '1'")
        assertEquals(shown(path), Seq("a0", "k3", "kx", "z9"))
      }
    }

  test("beside a log a key that the base file has more than once changes only after a compaction") {
    val path = holding(settings(2)._2, three)
    val log = copies(("a", 2, "l"))
    write(log, path, "upsert")
    assertEquals(shown(path), Seq("al", "k1", "k2", "k3", "z9"))
    val failure = intercept[Throwable](write(copies(("k", 3, "n")), path, "upsert"))
    val texts = Iterator.iterate(failure)(_.getCause).takeWhile(_ != null).map(_.toString).toSeq
    assert(texts.exists(_.contains("REPEATED_KEY")), texts.mkString("\n"))
    assertEquals(shown(path), Seq("al", "k1", "k2", "k3", "z9"))
    write(copies(("z", 3, "l")), path, "upsert", "hoodie.compact.inline" -> "true",
      "hoodie.compact.inline.max.delta.commits" -> "1")
    assertEquals(shown(path), Seq("al", "k1", "k2", "k3", "zl"))
    write(copies(("k", 3, "n")), path, "upsert")
    assertEquals(shown(path), Seq("al", "kn", "kn", "kn", "zl"))
  }

  private val buckets = Seq("hoodie.index.type" -> "BUCKET", "hoodie.bucket.index.num.buckets" -> "2")

  for (tableType <- Seq("COPY_ON_WRITE", "MERGE_ON_READ"); operation <- Seq("insert", "bulk_insert"))
    test(s"buckets keep what $operation brings, unless it is combined, and an upsert changes all of it, $tableType") {
      val of = options(9).toSeq ++ buckets :+ ("hoodie.datasource.write.table.type" -> tableType)
      val combine = "hoodie.combine.before.insert" -> "true"
      val combined = newPath()
      write(three, combined, operation, of :+ combine: _*)
      assertEquals(shown(combined), Seq("a0", "k3", "z9"))
      val path = newPath()
      write(three, path, operation, of: _*)
      assertEquals(shown(path), Seq("a0", "k1", "k2", "k3", "z9"))
      if (tableType == "COPY_ON_WRITE") {
        write(copies(("a", 1, "1")), path, operation, buckets: _*)
        assertEquals(shown(path), Seq("a0", "a1", "k1", "k2", "k3", "z9"))
      }
      write(copies(("a", 2, "n"), ("k", 2, "n"), ("y", 2, "n")), path, "upsert", buckets: _*)
      val copiesOfA = if (tableType == "COPY_ON_WRITE") Seq("an", "an") else Seq("an")
      assertEquals(shown(path), copiesOfA ++ Seq("kn", "kn", "kn", "yn", "z9"))
      SharedSession.withConf(buckets.map { case (k, v) => s"spark.datasource.hudilite.$k" -> v }: _*) {
        sql(path, "DELETE FROM TABLE WHERE id = 'k'")
      }
      assertEquals(shown(path), copiesOfA ++ Seq("yn", "z9"))
    }

  for (version <- Seq(6, 8, 9))
    test(
      s"foldings and compactions of a log beside keys that the base file repeats keep what is shown, version $version") {
      val path = newPath()
      write(three, path, "insert", options(version).toSeq ++ buckets: _*)
      // Rows that are inserted into a bucket that is there go to its log, and count for the first row of their key.
      for (i <- 2 to 4) write(copies(("k", i.toLong, s"log$i"), ("z", i.toLong, s"log$i")), path, "insert", buckets: _*)
      val before = shown(path)
      assertEquals(before, Seq("a0", "k2", "k3", "klog4", "zlog4"))
      if (version > 6) {
        val folded = spark.sql(s"CALL hudilite.system.run_compaction(op => 'run', path => '$path', kind => 'log', " +
          "options => 'hoodie.log.compaction.blocks.threshold=2')").count()
        assert(folded > 0, "nothing was folded")
        assertEquals(shown(path), before)
      }
      assert(
        spark.sql(s"CALL hudilite.system.run_compaction(op => 'run', path => '$path', " +
          "options => 'hoodie.compact.inline.max.delta.commits=1')").count() > 0, "nothing was compacted")
      assertEquals(logFiles(path).isEmpty || table(path).allSlices().values.flatten.forall(_.logs.isEmpty), true)
      assertEquals(shown(path), before)
    }

  for ((name, options) <- settings; operation <- Seq("insert", "bulk_insert"))
    test(s"$operation combines rows of a key where it is asked to, $name") {
      val path = newPath()
      write(three, path, operation, options.toSeq :+ ("hoodie.combine.before.insert" -> "true"): _*)
      assertEquals(shown(path), Seq("a0", "k3", "z9"))
    }

  test("a key that is in several files is updated in each of them") {
    val path = holding(settings.head._2)
    write(copies(("k", 1, "4"), ("k", 1, "5")), path, "bulk_insert")
    write(copies(("k", 2, "n")), path, "upsert")
    assertEquals(shown(path), Seq("a0", "kn", "kn", "kn", "kn", "kn", "z9"))
  }
}
