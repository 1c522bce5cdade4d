package io.hudilite.record

import io.hudilite.config.{KeyGeneratorType, TableConfig, TableDefinition}
import io.hudilite.error.InvalidInput

import munit.FunSuite

class PartitionPathsSuite extends FunSuite {

  private val times = Map("hoodie.keygen.timebased.timestamp.type" -> "UNIX_TIMESTAMP",
    "hoodie.keygen.timebased.output.dateformat" -> "yyyy/MM/dd", "hoodie.keygen.timebased.timezone" -> "UTC")

  private def table(items: String*): TableDefinition = TableDefinition("t", Seq("id"), items)

  private def path(table: TableDefinition, values: Any*): String =
    PartitionPaths.of(TableConfig.create(table)).path(values.toArray)

  test("an unpartitioned table has the empty path") {
    assertEquals(path(table()), "")
  }

  test("several columns make several levels") {
    assertEquals(path(table("dt", "city"), "2026-01-01", null), "2026-01-01/__HIVE_DEFAULT_PARTITION__")
  }

  test("a time-based path keeps its slashes unless they are escaped") {
    val timed = table("p").copy(keyGenerator = Some(KeyGeneratorType.Timestamp), timeBased = times)
    assertEquals(path(timed, 1700000000L), "2023/11/14")
    assertEquals(path(timed.copy(hiveStyle = true, urlEncode = true), 1700000000L), "p=2023%2F11%2F14")
  }

  test("a custom key generator mixes plain and timed columns") {
    val custom = table("id:SIMPLE", "p:TIMESTAMP").copy(timeBased = times)
    assertEquals(path(custom, "0", 1700000000L), "0/2023/11/14")
    val escaped = table("p:timestamp", "id:simple").copy(timeBased = times, hiveStyle = true, urlEncode = true)
    assertEquals(path(escaped, null, "1"), "p=1970%2F01%2F01/id=1")
  }

  test("the types of a custom key generator are kept in a table of every version") {
    Seq(6, 8, 9).foreach { version =>
      val custom = table("id:SIMPLE", "p:TIMESTAMP").copy(timeBased = times, version = version)
      assertEquals(path(custom, "0", 1700000000L), "0/2023/11/14")
    }
  }

  test("what a table written by Hudi lacks is taken from the options") {
    val config = TableConfig(Map("hoodie.table.name" -> "t", "hoodie.table.version" -> "6",
        "hoodie.table.recordkey.fields" -> "id", "hoodie.table.partition.fields" -> "id,p",
        "hoodie.table.keygenerator.type" -> "CUSTOM"))
    val options = times + ("hoodie.datasource.write.partitionpath.field" -> "id:SIMPLE,p:TIMESTAMP")
    assertEquals(PartitionPaths.of(config, options).path(Array[Any]("0", 1700000000L)), "0/2023/11/14")
    assertEquals(intercept[InvalidInput](PartitionPaths.of(config)).condition, "INVALID_OPTION_VALUE")
    assertEquals(intercept[InvalidInput](PartitionPaths.of(config, options -- times.keys)).condition, "MISSING_OPTION")
  }
}
