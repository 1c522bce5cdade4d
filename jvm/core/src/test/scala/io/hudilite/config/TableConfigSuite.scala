package io.hudilite.config

import io.hudilite.error.{CorruptTable, HudiliteException, InvalidInput, UnsupportedTable}
import io.hudilite.storage.GoldenTables
import io.hudilite.table.TableSupport

import java.time.{ZoneId, ZoneOffset}

import munit.FunSuite

class TableConfigSuite extends FunSuite {

  private val basics = Map("hoodie.table.name" -> "t", "hoodie.table.type" -> "COPY_ON_WRITE",
    "hoodie.table.recordkey.fields" -> "id", "hoodie.table.partition.fields" -> "dt",
    "hoodie.table.ordering.fields" -> "ts")

  private def config(version: Int, more: (String, String)*): TableConfig =
    TableConfig(basics + ("hoodie.table.version" -> version.toString) ++ more)

  GoldenTables.names.foreach { name =>
    test(s"the facts of a table written by Hudi are found: $name") {
      val table = TableProperties.read(GoldenTables.storage, GoldenTables.basePath(name))
      val scenario = name.take(name.lastIndexOf("-v"))
      // SQL names its tables itself.
      assertEquals(table.name,
        if (scenario == "partial-updates") s"g_${name.replace('-', '_')}_1" else scenario.replace('-', '_'))
      // A savepoint of Hudi 1.2 upgrades a version 8 table.
      assertEquals(table.version, if (name == "savepoint-rollback-v8") 9 else GoldenTables.version(name))
      assertEquals(table.layout, if (GoldenTables.version(name) == 6) 1 else 2)
      assertEquals(table.orderingFields,
        if (table.properties.contains("hoodie.table.ordering.fields")) Seq("ts") else Nil)
      assertEquals(table.recordKeyFields.head, "id")
      assertEquals(table.zone, ZoneId.systemDefault())
      assertEquals(table.timelinePath, "timeline")
      assertEquals(table.historyPath, "history")
      assertEquals(table.archiveFolder, if (scenario == "partial-updates") "archived" else "history")
      assert(table.populateMetaFields && !table.markerInBaseFormat)
      assertEquals(table.cdcEnabled, scenario == "cdc")
      assertEquals(table.mergeMode, if (scenario == "mor-commit-time") MergeMode.CommitTime else MergeMode.EventTime)
      val expectedKeys = scenario match {
        case "cow-complex-key" | "bucket-two-fields" => KeyGeneratorType.Complex
        case "cow-nonpartitioned" => KeyGeneratorType.NonPartitioned
        case _ => KeyGeneratorType.Simple
      }
      assertEquals(table.keyGenerator, expectedKeys)
      assertEquals(table.hiveStyle && table.urlEncode, scenario == "cow-complex-key")
      if (table.tableType == TableType.CopyOnWrite) TableSupport.checkReadable(table, "/t")
    }
  }

  test("the merge mode is taken from itself, the payload, the strategy, the ordering field, in that order") {
    val payload = "hoodie.compaction.payload.class"
    val eventTime = "org.apache.hudi.common.model.DefaultHoodieRecordPayload"
    val latest = "org.apache.hudi.common.model.OverwriteWithLatestAvroPayload"
    assertEquals(config(9, "hoodie.record.merge.mode" -> "COMMIT_TIME_ORDERING").mergeMode, MergeMode.CommitTime)
    assertEquals(config(9, "hoodie.record.merge.mode" -> "event_time_ordering").mergeMode, MergeMode.EventTime)
    assertEquals(config(6, payload -> latest).mergeMode, MergeMode.CommitTime)
    assertEquals(config(6, payload -> eventTime).mergeMode, MergeMode.EventTime)
    assertEquals(config(6, payload -> "org.apache.hudi.common.model.EventTimeAvroPayload").mergeMode,
      MergeMode.EventTime)
    assertEquals(config(6, "hoodie.record.merge.strategy.id" -> MergeMode.CommitTime.strategyId).mergeMode,
      MergeMode.CommitTime)
    // 0.x writes one strategy for every payload
    assertEquals(config(6, payload -> latest,
        "hoodie.compaction.record.merger.strategy" -> MergeMode.EventTime.strategyId)
        .mergeMode, MergeMode.CommitTime)
    assertEquals(config(6).mergeMode, MergeMode.EventTime)
    assertEquals(TableConfig(config(6).properties - "hoodie.table.ordering.fields").mergeMode, MergeMode.CommitTime)
    intercept[UnsupportedTable](config(9, "hoodie.record.merge.mode" -> "CUSTOM").mergeMode)
  }

  test("the key generator is taken from class, type or the number of fields") {
    val byClass = "hoodie.table.keygenerator.class"
    val byType = "hoodie.table.keygenerator.type"
    assertEquals(config(6, byClass -> "org.apache.hudi.keygen.ComplexAvroKeyGenerator").keyGenerator,
      KeyGeneratorType.Complex)
    assertEquals(config(9, byType -> "TIMESTAMP_AVRO").keyGenerator, KeyGeneratorType.Timestamp)
    assertEquals(config(9, byClass -> "org.apache.spark.sql.hudi.command.SqlKeyGenerator").keyGenerator,
      KeyGeneratorType.Simple)
    assertEquals(config(9).keyGenerator, KeyGeneratorType.Simple)
    assertEquals(config(9, "hoodie.table.partition.fields" -> "").keyGenerator, KeyGeneratorType.NonPartitioned)
    assertEquals(config(9, "hoodie.table.partition.fields" -> "a,b").keyGenerator, KeyGeneratorType.Complex)
    assertEquals(config(9, "hoodie.table.partition.fields" -> "a:SIMPLE").keyGenerator, KeyGeneratorType.Custom)
    intercept[UnsupportedTable](config(9, byType -> "GLOBAL_DELETE").keyGenerator)
  }

  test("a partition is found by its value and by `column=value`, whichever its path has") {
    def spelt(fields: String, hiveStyle: Boolean, name: String, there: String*): String =
      config(9, "hoodie.table.partition.fields" -> fields,
        "hoodie.datasource.write.hive_style_partitioning" -> hiveStyle.toString).spelt(name)(there.contains)
    for ((name, paths) <- Seq("oslo" -> ("oslo" -> "town=oslo"), "town=oslo" -> ("oslo" -> "town=oslo"),
        "o*" -> ("o*" -> "town=o*"), "2026/01" -> ("2026/01" -> "town=2026/01")))
      assertEquals((spelt("town", hiveStyle = false, name), spelt("town", hiveStyle = true, name)), paths)
    assertEquals(spelt("dt,hh", hiveStyle = true, "2026/hh=10"), "dt=2026/hh=10")
    assertEquals(spelt("dt,hh", hiveStyle = true, "2026*"), "dt=2026*")
    assertEquals(spelt("dt,hh", hiveStyle = true, "1/2/3"), "1/2/3")
    // A value that looks like a name of its column stands for itself where there is such a partition.
    assertEquals(spelt("town", hiveStyle = false, "town=oslo", "town=oslo"), "town=oslo")
  }

  test("defaults, old spellings and types of partition fields") {
    val bare = TableConfig(Map("hoodie.table.name" -> "t", "hoodie.table.version" -> "6",
        "hoodie.table.precombine.field" -> "ts"))
    assertEquals(bare.tableType, TableType.CopyOnWrite)
    assertEquals(bare.orderingFields, Seq("ts"))
    assertEquals(bare.archiveFolder, "archived")
    assertEquals(bare.layout, 1)
    assertEquals(bare.recordKeyFields, Nil)
    assertEquals(config(9, "hoodie.table.timeline.timezone" -> "utc").zone, ZoneOffset.UTC)
    assertEquals(config(9, "hoodie.table.partition.fields" -> "a:SIMPLE, b:TIMESTAMP").partitionFields, Seq("a", "b"))
    assertEquals(config(9, "hoodie.table.metadata.partitions" -> "column_stats,files").metadataPartitions,
      Seq("column_stats", "files"))
    assertEquals(TableConfig(Map("hoodie.deltastreamer.keygen.timebased.timezone" -> "UTC")).timeBased,
      Map("hoodie.keygen.timebased.timezone" -> "UTC"))
  }

  test("properties that make no sense are reported as damage") {
    intercept[CorruptTable](config(9, "hoodie.table.version" -> "nine").version)
    intercept[CorruptTable](config(9, "hoodie.table.type" -> "COPY_ON_READ").tableType)
  }

  private def refusal(body: => Unit): String = intercept[HudiliteException](body) match {
    case e: UnsupportedTable if e.condition == "UNSUPPORTED_TABLE_FEATURE" => e.parameters("feature")
    case e => e.condition
  }

  private val unreadable = Seq(
    "the bootstrap index NO_OP" -> Seq("hoodie.bootstrap.base.path" -> "/old",
      "hoodie.bootstrap.index.type" -> "NO_OP"),
    "the bootstrap index com.acme.Index" -> Seq("hoodie.bootstrap.base.path" -> "/old",
      "hoodie.bootstrap.index.class" -> "com.acme.Index"),
    "the bootstrap index that is switched off" -> Seq("hoodie.bootstrap.base.path" -> "/old",
      "hoodie.bootstrap.index.enable" -> "false"),
    "ORC base files" -> Seq("hoodie.table.base.file.format" -> "ORC"),
    "HFILE base files" -> Seq("hoodie.table.base.file.format" -> "HFILE"),
    "LANCE base files" -> Seq("hoodie.table.base.file.format" -> "LANCE"),
    "several base file formats" -> Seq("hoodie.table.multiple.base.file.formats.enable" -> "true"),
    "the table format 'iceberg'" -> Seq("hoodie.table.format" -> "iceberg"),
    "dropped partition columns of slash-separated dates" ->
      Seq("hoodie.datasource.write.drop.partition.columns" -> "true", "hoodie.table.partition.fields" -> "day",
        "hoodie.datasource.write.slash.separated.date.partitioning" -> "true"),
    "timeline layout 1" -> Seq("hoodie.timeline.layout.version" -> "1"))

  unreadable.foreach { case (feature, properties) =>
    test(s"tables with $feature are neither read nor written") {
      assertEquals(refusal(TableSupport.checkReadable(config(9, properties: _*), "/t")), feature)
      assertEquals(refusal(TableSupport.checkWritable(config(9, properties: _*), "/t")), feature)
    }
  }

  private val latestPayload = "org.apache.hudi.common.model.OverwriteWithLatestAvroPayload"

  private val deleteField = "hoodie.record.merge.property.hoodie.payload.delete.field"
  private val deleteMarker = "hoodie.record.merge.property.hoodie.payload.delete.marker"

  private val readOnly = Seq(
    "generated record keys without meta columns" ->
      Seq("hoodie.populate.meta.fields" -> "false", "hoodie.table.recordkey.fields" -> ""),
    "dropped partition columns without meta columns" ->
      Seq("hoodie.populate.meta.fields" -> "false", "hoodie.datasource.write.drop.partition.columns" -> "true",
        "hoodie.table.partition.fields" -> "p"),
    "the dropped partition column p as an ordering or delete field" ->
      Seq("hoodie.datasource.write.drop.partition.columns" -> "true", "hoodie.table.partition.fields" -> "p",
        "hoodie.table.ordering.fields" -> "p"),
    "dropped partition columns with the nested field s.p" ->
      Seq("hoodie.datasource.write.drop.partition.columns" -> "true", "hoodie.table.partition.fields" -> "s.p"),
    "dropped partition columns of a time-based key generator" ->
      Seq("hoodie.datasource.write.drop.partition.columns" -> "true", "hoodie.table.partition.fields" -> "p",
        "hoodie.table.keygenerator.type" -> "TIMESTAMP"),
    "the key generator com.acme.Keys" -> Seq("hoodie.table.keygenerator.class" -> "com.acme.Keys"),
    "the merge mode CUSTOM with the payload class com.acme.Sum" ->
      Seq("hoodie.record.merge.mode" -> "CUSTOM", "hoodie.compaction.payload.class" -> "com.acme.Sum"),
    "the payload class com.acme.Sum" -> Seq("hoodie.compaction.payload.class" -> "com.acme.Sum"),
    "the strategy 1897ef5f-18bc-4557-939c-9d6a8afd1519" ->
      Seq("hoodie.record.merge.strategy.id" -> "1897ef5f-18bc-4557-939c-9d6a8afd1519"),
    s"the merge mode EVENT_TIME_ORDERING with the payload class $latestPayload" ->
      Seq("hoodie.record.merge.mode" -> "EVENT_TIME_ORDERING", "hoodie.compaction.payload.class" -> latestPayload),
    "the nested ordering field ts.at" -> Seq("hoodie.table.ordering.fields" -> "ts.at"),
    "partial updates in the mode KEEP_VALUES" -> Seq("hoodie.table.partial.update.mode" -> "KEEP_VALUES"),
    "partial updates in the mode FILL_UNAVAILABLE" -> Seq("hoodie.table.partial.update.mode" -> "FILL_UNAVAILABLE"),
    "the merge property hoodie.record.merge.property.hoodie.x" -> Seq("hoodie.record.merge.property.hoodie.x" -> "y"),
    s"the merge property $deleteField" -> Seq(deleteField -> "Op"),
    s"the merge property $deleteMarker" -> Seq(deleteMarker -> "D"),
    "change data capture" -> Seq("hoodie.table.cdc.enabled" -> "true"),
    "slash-separated date partitions" -> Seq("hoodie.datasource.write.slash.separated.date.partitioning" -> "true"))

  readOnly.foreach { case (feature, properties) =>
    test(s"tables with $feature are read but not written") {
      TableSupport.checkReadable(config(9, properties: _*), "/t")
      assertEquals(refusal(TableSupport.checkWritable(config(9, properties: _*), "/t")), feature)
    }
  }

  test("a version that is not known, or none, is refused") {
    Seq(5, 7, 10).foreach(v =>
      assertEquals(refusal(TableSupport.checkReadable(config(v), "/t")), "UNSUPPORTED_TABLE_VERSION"))
    assertEquals(refusal(TableSupport.checkReadable(TableConfig(basics), "/t")), "UNSUPPORTED_TABLE_VERSION")
    Seq(6, 8, 9).foreach(v => TableSupport.checkWritable(config(v), "/t"))
  }

  test("a delete marker is a column with a value, and tables have it from version 9 on") {
    val properties = Seq(deleteField -> "Op", deleteMarker -> "D")
    TableSupport.checkWritable(config(9, properties: _*), "/t")
    assertEquals(config(9, properties: _*).deleteMarker, Some(DeleteMarker("Op", "D")))
    assertEquals(config(9, properties.take(1): _*).deleteMarker, None)
    assertEquals(config(9).deleteMarker, None)
    Seq(6, 8).foreach { version =>
      assertEquals(config(version, properties: _*).deleteMarker, None)
      assertEquals(refusal(TableSupport.checkWritable(config(version, properties: _*), "/t")),
        s"the merge property $deleteField")
    }
  }

  private val fresh = TableDefinition("t", Seq("id"), Seq("dt"), Seq("ts"))

  // The properties by which Hudi 1.2 knows such a table.
  private val ofPayloads = Map(
    (Payload.OverwriteNonDefaults, 9) -> Map("hoodie.record.merge.mode" -> "COMMIT_TIME_ORDERING",
      "hoodie.table.partial.update.mode" -> "IGNORE_DEFAULTS"),
    (Payload.PartialUpdate, 9) -> Map("hoodie.record.merge.mode" -> "EVENT_TIME_ORDERING",
      "hoodie.table.partial.update.mode" -> "IGNORE_DEFAULTS"),
    (Payload.AwsDms, 9) ->
      Map("hoodie.record.merge.mode" -> "COMMIT_TIME_ORDERING", deleteField -> "Op", deleteMarker -> "D"),
    (Payload.PostgresDebezium, 9) -> Map("hoodie.record.merge.mode" -> "EVENT_TIME_ORDERING",
      "hoodie.table.partial.update.mode" -> "FILL_UNAVAILABLE", deleteField -> "_change_operation_type",
      deleteMarker -> "d",
      "hoodie.record.merge.property.hoodie.write.partial.update.unavailable.value" ->
        "__debezium_unavailable_value"),
    (Payload.MySqlDebezium, 9) -> Map("hoodie.record.merge.mode" -> "EVENT_TIME_ORDERING",
      deleteField -> "_change_operation_type", deleteMarker -> "d"),
    (Payload.OverwriteNonDefaults, 8) -> Map("hoodie.record.merge.mode" -> "CUSTOM"),
    (Payload.AwsDms, 8) -> Map("hoodie.record.merge.mode" -> "CUSTOM"),
    (Payload.OverwriteNonDefaults, 6) -> Map.empty[String, String],
    (Payload.AwsDms, 6) -> Map.empty[String, String])

  ofPayloads.foreach { case ((payload, version), properties) =>
    val name = payload.className.split('.').last
    test(s"a table of version $version with $name has the properties that Hudi gives it, and its rule") {
      val ordering = if (payload.ordering.isEmpty) Seq("ts") else payload.ordering
      val made = TableConfig.create(fresh.copy(version = version, payload = Some(payload), orderingFields = ordering))
      val ofMerge = made.properties.filter { case (key, _) =>
        key.contains("merge") || key.contains("payload") || key.contains("partial")
      }
      val named =
        if (version == 9) Map("hoodie.table.legacy.payload.class" -> payload.className)
        else Map("hoodie.compaction.payload.class" -> payload.className,
          "hoodie.record.merge.strategy.id" -> "00000000-0000-0000-0000-000000000000")
      assertEquals(ofMerge, properties ++ named)
      TableSupport.checkWritable(made, "/t")
      assertEquals(made.payload, Some(payload))
      assertEquals((made.mergeMode, made.partialUpdates), (payload.mode, payload.partial))
      assertEquals(made.deleteMarker.map(_.copy(anyCase = false)), payload.deletes)
      assertEquals(made.deleteMarker.exists(_.isMark(payload.deletes.get.value.toLowerCase)),
        payload.deletes.exists(_.value == "d") || (version < 9 && payload.deletes.isDefined))
    }
  }

  test("a payload goes by its own ordering fields, and some need a version that has their rule") {
    def create(payload: Payload, version: Int, ordering: String*): TableConfig =
      TableConfig.create(fresh.copy(version = version, payload = Some(payload), orderingFields = ordering))
    intercept[InvalidInput](create(Payload.PostgresDebezium, 9, "ts"))
    intercept[InvalidInput](create(Payload.PostgresDebezium, 8, "_event_lsn"))
    intercept[InvalidInput](create(Payload.MySqlDebezium, 9, "_event_pos"))
  }

  test("a new table can be written, in every version, and has the facts that were asked for") {
    Seq(6, 8, 9).foreach { version =>
      val made = TableConfig.create(fresh.copy(version = version, hiveStyle = true, urlEncode = true, database = "db"))
      TableSupport.checkWritable(made, "/t")
      assertEquals((made.name, made.database, made.version), ("t", "db", version))
      assertEquals(made.layout, if (version == 6) 1 else 2)
      assertEquals((made.recordKeyFields, made.partitionFields, made.orderingFields), (Seq("id"), Seq("dt"), Seq("ts")))
      assertEquals((made.keyGenerator, made.mergeMode, made.hiveStyle, made.urlEncode),
        (KeyGeneratorType.Simple, MergeMode.EventTime, true, true))
      assertEquals(made.zone, ZoneId.systemDefault())
      assertEquals(TableConfig.create(fresh.copy(version = version, timelineZone = "UTC")).zone, ZoneOffset.UTC)
    }
  }

  test("each version gets the properties that its readers look for, and no others") {
    def keys(version: Int): Set[String] = TableConfig.create(fresh.copy(version = version)).properties.keySet
    val old = Set("hoodie.table.precombine.field", "hoodie.compaction.payload.class")
    val new_ = Set("hoodie.record.merge.mode", "hoodie.table.initial.version", "hoodie.timeline.path")
    assert(old.subsetOf(keys(6)) && keys(6)("hoodie.table.keygenerator.class") && new_.intersect(keys(6)).isEmpty)
    assert(old.subsetOf(keys(8)) && new_.subsetOf(keys(8)) && keys(8)("hoodie.record.merge.strategy.id"))
    assert(old.intersect(keys(9)).isEmpty && new_.subsetOf(keys(9)) && !keys(9)("hoodie.record.merge.strategy.id"))
  }

  test("the delete marker of a new table is a property for its readers") {
    val marked = fresh.copy(deleteMarker = Some(DeleteMarker("Op", "D")))
    val made = TableConfig.create(marked)
    assertEquals((made.properties.get(deleteField), made.properties.get(deleteMarker)), (Some("Op"), Some("D")))
    TableSupport.checkWritable(made, "/t")
    Seq(6, 8).foreach(version =>
      assertEquals(intercept[InvalidInput](TableConfig.create(marked.copy(version = version))).parameters("option"),
        "hoodie.payload.delete.field"))
  }

  test("without an ordering field the later write wins") {
    assertEquals(TableConfig.create(fresh.copy(orderingFields = Nil)).mergeMode, MergeMode.CommitTime)
  }

  test("a table without record key fields has no such property, and the key generator of its partitions") {
    Seq(Nil -> "NON_PARTITION", Seq("p") -> "SIMPLE", Seq("p", "q") -> "COMPLEX").foreach {
      case (partitions, generator) =>
        TableConfig.Versions.foreach { version =>
          val made =
            TableConfig.create(fresh.copy(recordKeyFields = Nil, partitionItems = partitions, version = version,
                orderingFields = Nil))
          assert(made.generatesKeys && !made.properties.contains("hoodie.table.recordkey.fields"))
          assertEquals(made.properties("hoodie.table.keygenerator.type"), generator)
        }
    }
    assert(!TableConfig.create(fresh).generatesKeys)
  }

  test("facts that do not go together are refused before anything is written") {
    def condition(table: TableDefinition): String = intercept[InvalidInput](TableConfig.create(table)).condition
    val invalid = Seq(fresh.copy(name = ""), fresh.copy(version = 7),
      fresh.copy(version = 8, orderingFields = Seq("a", "b")),
      fresh.copy(orderingFields = Nil, mergeMode = Some(MergeMode.EventTime)),
      fresh.copy(keyGenerator = Some(KeyGeneratorType.Simple), recordKeyFields = Seq("a", "b")),
      fresh.copy(keyGenerator = Some(KeyGeneratorType.Simple), partitionItems = Nil),
      fresh.copy(keyGenerator = Some(KeyGeneratorType.NonPartitioned)),
      fresh.copy(keyGenerator = Some(KeyGeneratorType.Complex), version = 8),
      fresh.copy(keyGenerator = Some(KeyGeneratorType.Custom)),
      fresh.copy(metaFields = false, recordKeyFields = Nil))
    invalid.foreach(table => assertEquals(condition(table), "INVALID_OPTION_VALUE", table))
    assertEquals(condition(fresh.copy(keyGenerator = Some(KeyGeneratorType.Timestamp))), "MISSING_OPTION")
    TableSupport.checkWritable(TableConfig.create(fresh.copy(keyGenerator = Some(KeyGeneratorType.Complex),
          version = 9)), "/t")
  }

  test("a folder of the table that the properties put elsewhere is damage") {
    val keys = Seq[(String, TableConfig => String)]("hoodie.timeline.path" -> (_.timelinePath),
      "hoodie.timeline.history.path" -> (_.historyPath), "hoodie.archivelog.folder" -> (_.archiveFolder))
    for ((key, folder) <- keys) {
      Seq("../../elsewhere", "..", ".", "/etc", "a//b", "a/../b", "file:/etc", "hdfs://n/t", "x/").foreach { value =>
        val e = intercept[CorruptTable](folder(TableConfig(Map(key -> value))))
        assertEquals(e.condition, "CORRUPT_TABLE_PROPERTIES")
        assert(e.getMessage.contains(s"$key is '$value'"), e.getMessage)
      }
      assertEquals(folder(TableConfig(Map(key -> "a/b"))), "a/b")
    }
  }
}
