package io.hudilite.spark.write

import io.hudilite.spark.Interpreted

import java.nio.file.{Files, Path, Paths}

/** Tables whose partitions have file groups of the same id, as Hudi's writers of buckets name them that need not wait for
  * each other.
  */
class SameFileIdsSuite extends MergeOnReadFixture with Interpreted {

  /** A table of 20 rows, every other one in p0 and in p1, with one file group in each, both of one id. */
  private def sharing(tableType: String): String = {
    val path = newPath()
    write(rows(0 until 20, 1, "old").coalesce(1), path, "bulk_insert",
      (options(6) + ("hoodie.datasource.write.table.type" -> tableType)).toSeq: _*)
    val slices = table(path).allSlices().toSeq.sortBy(_._1).flatMap(_._2)
    assertEquals(slices.map(_.partition), Seq("p0", "p1"))
    val (kept, renamed) = (slices.head.fileId, slices.last.fileId)
    val folder = Paths.get(path, "p1")
    val old = slices.last.base.get.name
    Files.move(folder.resolve(old), folder.resolve(old.replace(renamed, kept)))
    Files.deleteIfExists(folder.resolve(s".$old.crc"))
    commits(path).foreach { file =>
      // Of another length, as this process knows the commit that it has written.
      Files.write(file, (new String(Files.readAllBytes(file), "UTF-8").replace(renamed, kept) + "\n").getBytes("UTF-8"))
      Files.deleteIfExists(file.resolveSibling(s".${file.getFileName}.crc"))
    }
    assertEquals(table(path).allSlices().values.flatten.map(_.fileId).toSet, Set(kept))
    path
  }

  private def commits(path: String): Seq[Path] = {
    val listed = Files.list(Paths.get(path, ".hoodie"))
    try listed.toArray.toSeq.collect { case p: Path if p.toString.endsWith("commit") => p }
    finally listed.close()
  }

  private def shown(path: String): Seq[String] =
    read(path).selectExpr("concat_ws(' ', id, p, _hoodie_partition_path, v)").collect().map(_.getString(0)).sorted.toSeq

  for (tableType <- Seq("COPY_ON_WRITE", "MERGE_ON_READ"))
    test(s"statements change rows in the partition where they are, and no others, $tableType") {
      val path = sharing(tableType)
      val table = s"hudilite.`$path`"
      spark.sql(s"UPDATE $table SET v = 'set' WHERE p = 'p1' AND id < 'k0010'")
      spark.sql(s"DELETE FROM $table WHERE p = 'p0' AND id >= 'k0014'")
      rows(10 until 14, 2, "merged").createOrReplaceTempView("changes")
      spark.sql(s"MERGE INTO $table t USING changes s ON t.id = s.id WHEN MATCHED AND t.p = 'p1' THEN DELETE " +
        "WHEN MATCHED THEN UPDATE SET v = s.v")
      val expected = (0 until 20).flatMap { i =>
        val v = if (i % 2 == 1) if (i < 10) Some("set") else if (i < 14) None else Some("old")
        else if (i >= 14) None else if (i >= 10) Some("merged") else Some("old")
        v.map(value => f"k$i%04d p${i % 2} p${i % 2} $value")
      }
      assertEquals(shown(path), expected)
      write(rows(0 until 20, 3, "new"), path, "upsert")
      assertEquals(read(path).where("v = 'new'").count(), 20L)
      assertEquals(read(path).count(), 20L)
    }
}
