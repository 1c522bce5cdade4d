package io.hudilite.spark.write

import io.hudilite.spark.{Interpreted, NewestSpark}

import org.apache.spark.sql.DataFrame

/** Which of several rows of a key in one batch is written. */
class LaterRowSuite extends MergeOnReadFixture with Interpreted {

  private val buckets = Seq("hoodie.index.type" -> "BUCKET", "hoodie.bucket.index.num.buckets" -> "2")

  /** Of two keys: an older one, then two that are equal but for their text, in the order of the list. */
  private def batch(ts: Long): DataFrame = spark.createDataFrame(
    Seq("k0001", "new01").flatMap(id =>
      Seq((id, "p1", ts, "first"), (id, "p1", ts, "second"), (id, "p1", ts - 1, "old")))
  ).toDF("id", "p", "ts", "v")

  private def shown(path: String): Map[String, String] =
    read(path).where("id in ('k0001', 'new01')").collect().map(r => r.getAs[String]("id") -> r.getAs[String]("v")).toMap

  private val everywhere = Set(("COPY_ON_WRITE", 6, "BLOOM"), ("COPY_ON_WRITE", 9, "GLOBAL_SIMPLE"),
    ("MERGE_ON_READ", 6, "BUCKET"), ("MERGE_ON_READ", 9, "BLOOM"))

  for {
    // Each pair of them; that the version decides nothing is what this is about, too.
    (tableType, version, mode) <- Seq(("COPY_ON_WRITE", 6, "EVENT_TIME_ORDERING"),
      ("COPY_ON_WRITE", 9, "COMMIT_TIME_ORDERING"), ("MERGE_ON_READ", 6, "COMMIT_TIME_ORDERING"),
      ("MERGE_ON_READ", 9, "EVENT_TIME_ORDERING"))
    index <- Seq(Seq("hoodie.index.type" -> "BLOOM"), Seq("hoodie.index.type" -> "GLOBAL_SIMPLE"), buckets)
  } test(NewestSpark.unless(everywhere((tableType, version, index.head._2)))(
      s"the later of equal rows of an upsert wins, $tableType, version $version, $mode, ${index.head._2}")) {
    val path = newPath()
    val of = options(version, mode).toSeq ++ index :+ ("hoodie.datasource.write.table.type" -> tableType)
    write(rows(0 until 10, 10, "there"), path, "upsert", of: _*)
    write(batch(20).repartition(1), path, "upsert", index: _*)
    assertEquals(shown(path), Map("k0001" -> "second", "new01" -> "second"))
    write(batch(30), path, "upsert", index: _*)
    assertEquals(shown(path), Map("k0001" -> "second", "new01" -> "second"))
  }

  test("so it does where an insert combines its rows") {
    val path = newPath()
    write(batch(20), path, "insert", (options(9) + ("hoodie.combine.before.insert" -> "true")).toSeq: _*)
    assertEquals(read(path).count(), 2L)
    assertEquals(shown(path), Map("k0001" -> "second", "new01" -> "second"))
  }
}
