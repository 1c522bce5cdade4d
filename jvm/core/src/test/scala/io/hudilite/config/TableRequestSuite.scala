package io.hudilite.config

import io.hudilite.error.InvalidInput

import munit.FunSuite

class TableRequestSuite extends FunSuite {

  private val options = Map(
    "hoodie.datasource.write.recordkey.field" -> "id",
    "hoodie.datasource.write.partitionpath.field" -> "dt",
    "hoodie.datasource.write.precombine.field" -> "ts",
    "hoodie.datasource.write.hive_style_partitioning" -> "true")

  private val table = TableConfig.create(TableRequest.newTable(options, "flights"))

  test("the options of the first write make the table") {
    val request = TableRequest.newTable(options ++ Map("hoodie.table.name" -> "f", "hoodie.write.table.version" -> "6",
        "hoodie.datasource.write.payload.class" -> "org.apache.hudi.common.model.OverwriteWithLatestAvroPayload"),
      "flights")
    assertEquals(request,
      TableDefinition("f", Seq("id"), Seq("dt"), Seq("ts"), version = 6, hiveStyle = true,
        mergeMode = Some(MergeMode.CommitTime)))
    assertEquals(table.name, "flights")
    assertEquals(table.version, 9)
  }

  test("the key generator is asked for by class or by name, and both must agree") {
    val byClass = "hoodie.datasource.write.keygenerator.class" -> "org.apache.hudi.keygen.ComplexKeyGenerator"
    val byName = "hoodie.datasource.write.keygenerator.type"
    assertEquals(TableRequest.keyGenerator(Map(byClass)), Some(KeyGeneratorType.Complex))
    assertEquals(TableRequest.keyGenerator(Map(byName -> "timestamp")), Some(KeyGeneratorType.Timestamp))
    assertEquals(TableRequest.keyGenerator(Map(byClass, byName -> "COMPLEX")), Some(KeyGeneratorType.Complex))
    Seq(Map(byClass, byName -> "SIMPLE"), Map(byName -> "GLOBAL_DELETE"),
      Map(byClass._1 -> "com.acme.Keys")).foreach { wrong =>
      assertEquals(intercept[InvalidInput](TableRequest.keyGenerator(wrong)).condition, "INVALID_OPTION_VALUE")
    }
  }

  test("options that repeat the table's facts are accepted, also in their old spelling") {
    TableRequest.checkAgainst(table, Map.empty)
    TableRequest.checkAgainst(table, options)
    TableRequest.checkAgainst(table,
      Map("hoodie.table.recordkey.fields" -> " id ", "hoodie.table.type" -> "copy_on_write",
        "hoodie.table.version" -> "9", "hoodie.table.ordering.fields" -> "ts", "hoodie.database.name" -> "any",
        "hoodie.record.merge.mode" -> "event_time_ordering", "hoodie.table.keygenerator.type" -> "SIMPLE"))
  }

  test("a payload class that needs a newer table version is named where it is asked for") {
    val payload = "hoodie.datasource.write.payload.class"
    for (version <- Seq("6", "8"); asked <- Payload.all.filter(_.isNew)) {
      val options = Map("hoodie.write.table.version" -> version, payload -> asked.className,
        "hoodie.datasource.write.recordkey.field" -> "id")
      val error = intercept[InvalidInput](TableConfig.create(TableRequest.newTable(options, "t")))
      assertEquals((error.parameters("option"), error.parameters("value")), (payload, asked.className))
    }
  }

  test("a payload class that is repeated is that of the table, by its rule or by its name") {
    val payload = "hoodie.datasource.write.payload.class"
    for (version <- Seq("6", "9"); own <- Seq(Payload.OverwriteNonDefaults, Payload.AwsDms)) {
      val asked = options + ("hoodie.write.table.version" -> version)
      val table = TableConfig.create(TableRequest.newTable(asked + (payload -> own.className), "t"))
      TableRequest.checkAgainst(table, asked + (payload -> own.className))
      Seq(Payload.PartialUpdate.className, "org.apache.hudi.common.model.OverwriteWithLatestAvroPayload").foreach(
        other =>
          assertEquals(intercept[InvalidInput](TableRequest.checkAgainst(table, asked + (payload -> other))).condition,
            "OPTION_CONTRADICTS_TABLE"))
    }
    assertEquals(intercept[InvalidInput](
        TableRequest.checkAgainst(table, options + (payload -> Payload.PartialUpdate.className))).condition,
      "OPTION_CONTRADICTS_TABLE")
  }

  test("options that name columns get the spelling of these, and others stay as they are") {
    val columns = Map("ID" -> "id", "Day" -> "day", "s.X" -> "S.x")
    assertEquals(
      TableRequest.spelt(
        Map("hoodie.datasource.write.recordkey.field" -> "ID, s.X", "Hoodie.Table.Partition.Fields" -> "Day:TIMESTAMP",
          "hoodie.table.ordering.fields" -> "nobody", "hoodie.bucket.index.hash.field" -> "ID",
          "hoodie.table.name" -> "ID"),
        name => columns.getOrElse(name, name)),
      Map("hoodie.datasource.write.recordkey.field" -> "id,S.x", "Hoodie.Table.Partition.Fields" -> "day:TIMESTAMP",
        "hoodie.table.ordering.fields" -> "nobody", "hoodie.bucket.index.hash.field" -> "id",
        "hoodie.table.name" -> "ID"))
  }

  private val contradictions = Seq(
    ("hoodie.table.name", "other", "flights"),
    ("hoodie.datasource.write.table.type", "MERGE_ON_READ", "COPY_ON_WRITE"),
    ("hoodie.write.table.version", "6", "9"),
    ("hoodie.datasource.write.recordkey.field", "id,dt", "id"),
    ("hoodie.datasource.write.partitionpath.field", "day", "dt"),
    ("hoodie.table.precombine.field", "time", "ts"),
    ("hoodie.datasource.write.hive_style_partitioning", "false", "true"),
    ("hoodie.datasource.write.partitionpath.urlencode", "true", "false"),
    ("hoodie.datasource.write.keygenerator.type", "COMPLEX", "SIMPLE"),
    ("hoodie.payload.delete.field", "Op", ""),
    ("hoodie.payload.delete.marker", "D", ""),
    ("hoodie.record.merge.mode", "COMMIT_TIME_ORDERING", "EVENT_TIME_ORDERING"))

  contradictions.foreach { case (option, value, actual) =>
    test(s"an option that states another fact than the table is refused: $option") {
      val e = intercept[InvalidInput](TableRequest.checkAgainst(table, Map(option -> value)))
      assertEquals(e.condition, "OPTION_CONTRADICTS_TABLE")
      assertEquals(e.parameters, Map("option" -> option, "value" -> value, "actual" -> actual))
    }
  }

  test("a table without record key fields is made where none are named, and not where the option is empty") {
    assertEquals(TableRequest.newTable(Map.empty, "t").recordKeyFields, Nil)
    Seq("", " , ").foreach { text =>
      val e = intercept[InvalidInput](
        TableRequest.newTable(Map("hoodie.datasource.write.recordkey.field" -> text), "t"))
      assertEquals(e.condition -> e.parameters("value"), "INVALID_OPTION_VALUE" -> text)
    }
  }

  test("record key fields contradict a table that generates keys") {
    val keyless = TableConfig.create(TableDefinition("t", Nil))
    val e = intercept[InvalidInput](
      TableRequest.checkAgainst(keyless, Map("hoodie.datasource.write.recordkey.field" -> "id")))
    assertEquals(e.parameters("actual"), "generated record keys")
    TableRequest.checkAgainst(keyless, Map.empty)
  }

  private val deleteMarker = Map("hoodie.payload.delete.field" -> "Op", "hoodie.payload.delete.marker" -> "D")

  test("a delete marker is asked for by its column and its value, never by one alone") {
    assertEquals(TableRequest.newTable(options ++ deleteMarker, "t").deleteMarker, Some(DeleteMarker("Op", "D")))
    assertEquals(TableRequest.newTable(options, "t").deleteMarker, None)
    deleteMarker.keys.foreach { missing =>
      val e = intercept[InvalidInput](TableRequest.newTable(options ++ (deleteMarker - missing), "t"))
      assertEquals((e.condition, e.parameters("option")), ("MISSING_OPTION", missing))
    }
  }

  test("a delete marker may be repeated and not changed") {
    val marked = TableConfig.create(TableRequest.newTable(options ++ deleteMarker, "t"))
    TableRequest.checkAgainst(marked, deleteMarker)
    TableRequest.checkAgainst(marked, deleteMarker.map { case (k, v) => s"hoodie.record.merge.property.$k" -> v })
    val e = intercept[InvalidInput](TableRequest.checkAgainst(marked, Map("hoodie.payload.delete.marker" -> "X")))
    assertEquals(e.parameters, Map("option" -> "hoodie.payload.delete.marker", "value" -> "X", "actual" -> "D"))
  }

  test("partition fields are compared with their types where the table has them") {
    def custom(
        stored: String): TableConfig = TableConfig(table.properties ++ Map("hoodie.table.partition.fields" -> stored,
      "hoodie.table.keygenerator.type" -> "CUSTOM"))
    val field = "hoodie.datasource.write.partitionpath.field"
    TableRequest.checkAgainst(custom("a:SIMPLE,b:TIMESTAMP"), Map(field -> "a:simple,b:timestamp"))
    TableRequest.checkAgainst(custom("a:SIMPLE,b:TIMESTAMP"), Map(field -> "a,b"))
    TableRequest.checkAgainst(custom("a,b"), Map(field -> "a:SIMPLE,b:TIMESTAMP"))
    Seq("a:SIMPLE,b:TIMESTAMP" -> "a:TIMESTAMP,b:TIMESTAMP", "a,b" -> "a:SIMPLE,c:SIMPLE").foreach {
      case (stored, asked) =>
        intercept[InvalidInput](TableRequest.checkAgainst(custom(stored), Map(field -> asked)))
    }
  }

  test("settings of a time-based key generator are compared where the table has them") {
    val pattern = "hoodie.keygen.timebased.output.dateformat"
    val timed = TableConfig(table.properties + (pattern -> "yyyy"))
    TableRequest.checkAgainst(timed, Map(pattern -> "yyyy", "hoodie.keygen.timebased.timezone" -> "UTC"))
    intercept[InvalidInput](TableRequest.checkAgainst(timed,
        Map("hoodie.deltastreamer.keygen.timebased.output.dateformat" -> "MM")))
  }

  test("a table that is redefined keeps what is not stated, but what followed from other fields") {
    def redefined(from: TableConfig, stated: (String, String)*): TableConfig =
      TableConfig.create(TableRequest.newTable(TableRequest.redefined(from, stated.toMap), from.name))
    val (key, partition, ordering) = ("hoodie.datasource.write.recordkey.field",
      "hoodie.datasource.write.partitionpath.field", "hoodie.datasource.write.precombine.field")
    assertEquals(redefined(table), table)
    val keyed = redefined(table, key -> "a,b", "hoodie.table.type" -> "MERGE_ON_READ")
    assertEquals((keyed.recordKeyFields, keyed.keyGenerator, keyed.partitionFields, keyed.orderingFields),
      (Seq("a", "b"), KeyGeneratorType.Complex, Seq("dt"), Seq("ts")): Any)
    assertEquals((keyed.tableType, keyed.hiveStyle, keyed.mergeMode),
      (TableType.MergeOnRead, true,
        MergeMode.EventTime): Any)
    assertEquals(redefined(table, ordering -> "").mergeMode, MergeMode.CommitTime)
    val timed = TableConfig.create(TableRequest.newTable(
        options ++ Map(
          "hoodie.datasource.write.keygenerator.type" -> "TIMESTAMP",
          "hoodie.keygen.timebased.timestamp.type" -> "DATE_STRING",
          "hoodie.keygen.timebased.output.dateformat" -> "yyyy"), "timed"))
    assertEquals(redefined(timed, key -> "a"), redefined(timed, key -> "a", partition -> "dt"))
    assertEquals(redefined(timed, key -> "a").keyGenerator, KeyGeneratorType.Timestamp)
    val other = redefined(timed, partition -> "town")
    assertEquals((other.keyGenerator, other.timeBased), (KeyGeneratorType.Simple, Map.empty): Any)
    assert(!TableRequest.isKept(table, Map(key -> "x"), TableOptions.all))
    assert(TableRequest.isKept(table, Map(key -> "id"), TableOptions.all))
  }
}
