package io.hudilite.config

import munit.FunSuite

/** Settings of a session that begin like those of Apache Hudi. */
class HudiSettingsSuite extends FunSuite {

  private def told(settings: (String, String)*): Seq[String] =
    HudiSettings.ineffective(settings.toMap).map(_.text)

  test("reads take options of reads, and writes those of writes, and nobody facts of a table") {
    val settings = Map("hoodie.datasource.query.type" -> "snapshot", "hoodie.metadata.enable" -> "true",
      "hoodie.datasource.write.operation" -> "upsert", "hoodie.keep.max.commits" -> "40",
      "hoodie.write.lock.provider" -> "x.Y", "hoodie.datasource.write.recordkey.field" -> "id",
      "hoodie.datasource.write.payload.class" -> "x.Y", "hoodie.hfile.block.size" -> "1", "hoodie.other" -> "1")
    assertEquals(HudiSettings.ofReads(settings).keySet, Set("hoodie.datasource.query.type", "hoodie.metadata.enable"))
    assertEquals(HudiSettings.ofWrites(settings).keySet,
      Set("hoodie.datasource.write.operation", "hoodie.keep.max.commits", "hoodie.write.lock.provider"))
  }

  test("a setting that no statement heeds is told of with the reason, and is no error") {
    assertEquals(told("hoodie.datasource.write.operation" -> "nonsense", "hoodie.auto.commit" -> "TRUE"), Nil)
    assertEquals(told("hoodie.table.name" -> "t"),
      Seq("The option hoodie.table.name has no effect in hudilite: a table takes it from the statement or write that " +
        "makes it."))
    assertEquals(told("hoodie.table.cdc.enabled" -> "true"),
      Seq("The option hoodie.table.cdc.enabled has no effect in hudilite: change records are not written."))
    assertEquals(told("hoodie.datasource.write.operatoin" -> "x"),
      Seq(
        "The option hoodie.datasource.write.operatoin has no effect in hudilite: it is not known; the nearest known " +
          "option is hoodie.datasource.write.operation."))
    assertEquals(told("hoodie.metadata.async" -> "true").size, 1)
  }
}
