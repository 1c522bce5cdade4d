package io.hudilite.spark.logfile.read

import io.hudilite.error.UnsupportedTable
import io.hudilite.schema.ColumnNames
import io.hudilite.spark.SharedSession
import io.hudilite.spark.read.StoredFile
import io.hudilite.spark.read.StoredFile.unscaled

import java.nio.file.Files

import org.apache.spark.sql.types.StructType

import munit.FunSuite

class ParquetBlockRowsSuite extends FunSuite {

  private val conf = SharedSession.spark.sessionState.newHadoopConf()

  private def rows(column: String, values: Seq[Any], wanted: String): Seq[String] = {
    val file = StoredFile.write(StoredFile.schema(column),
      values.map(v => "k" -> (row => StoredFile.put(row, "c", v))))("1", "f")
    val schema = StructType.fromDDL(s"c $wanted")
    val block = new ParquetBlockRows(Files.readAllBytes(file), "f.log.1", schema, ColumnNames.Same, conf, "UTC")
    try Iterator.continually(block.next()).takeWhile(_ != null).map(r =>
        String.valueOf(r.get(0, schema.head.dataType))).toList
    finally block.close()
  }

  test("decimals of blocks are right, however they are stored") {
    val numbers = Seq(0L, 127L, 128L, -129L, 999999999L)
    val right = numbers.map(n => java.math.BigDecimal.valueOf(n, 2).toPlainString)
    assertEquals(rows("optional binary c (DECIMAL(9,2));", numbers.map(unscaled(_)), "DECIMAL(9,2)"), right)
    for (length <- Seq(4, 9, 13, 16))
      assertEquals(rows(s"optional fixed_len_byte_array($length) c (DECIMAL(9,2));", numbers.map(unscaled(_, length)),
          "DECIMAL(9,2)"), right)
    assertEquals(rows("optional int32 c (DECIMAL(9,2));", numbers.map(_.toInt), "DECIMAL(11,2)"), right)
    assertEquals(rows("optional int64 c (DECIMAL(9,2));", numbers, "DECIMAL(9,2)"), right)
  }

  test("a type that cannot be read as that of the table is refused by the name of the log file") {
    val error = intercept[UnsupportedTable](rows("optional int64 c (TIME(MICROS,true));", Seq(1L), "BIGINT"))
    assertEquals(error.parameters("column"), "c in the log file f.log.1")
    assertEquals(error.parameters("type"), "INT64 (TIME(MICROS,true))")
  }
}
