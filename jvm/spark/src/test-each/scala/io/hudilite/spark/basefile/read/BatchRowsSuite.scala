package io.hudilite.spark.basefile.read

import munit.FunSuite
import org.apache.parquet.hadoop.metadata.BlockMetaData
import org.apache.spark.sql.types.StructType

class BatchRowsSuite extends FunSuite {

  private def rows(groups: Long*): Int = BatchRows.of(
    groups.map { count =>
      val block = new BlockMetaData
      block.setRowCount(count)
      block
    }, new StructType(), 4096)

  test("a batch has no room for more rows than the largest row group has") {
    assertEquals(rows(20), 20)
    assertEquals(rows(20, 300, 7), 300)
    assertEquals(rows(4095, 1), 4095)
    assertEquals(rows(4096), 4096)
    assertEquals(rows(1000000, 20), 4096)
  }

  test("a batch of nothing has room for a row, as Spark's vectors need") {
    assertEquals(rows(), 1)
    assertEquals(rows(0), 1)
  }
}
