package io.hudilite.config

import io.hudilite.error.InvalidInput

import munit.FunSuite

class ReadConfSuite extends FunSuite {

  private def conf(options: (String, String)*): ReadConf = ReadConf.of(options.toMap)

  test("a read without options is one of the newest rows") {
    assertEquals(conf(),
      ReadConf(Map.empty, QueryType.Snapshot, Nil, None, None, None, orWhatIsLeft = false,
        showsMeta = false, usesMetadata = true, asksForMetadata = false))
  }

  test("each option of reads comes to its place, in any case and from older spellings") {
    val asked = Map(
      "Hoodie.datasource.view.type" -> "Incremental",
      "hoodie.datasource.read.begin.instanttime" -> " 000 ",
      "HOODIE.DATASOURCE.READ.END.INSTANTTIME" -> "2026",
      "hoodie.datasource.read.incr.path.glob" -> "/oslo/*",
      "hoodie.datasource.read.incr.fallback.fulltablescan.enable" -> "true",
      "hoodie.datasource.read.meta.columns" -> "true",
      "hoodie.metadata.enable" -> "true",
      "as.of.instant" -> "a",
      "versionasof" -> "b",
      "timestampAsOf" -> "c")
    assertEquals(
      ReadConf.of(asked),
      ReadConf(
        asked,
        QueryType.Incremental,
        Seq(NamedState(GivenOption("as.of.instant", "a"), bySession = false),
          NamedState(GivenOption("versionAsOf", "b"), bySession = false),
          NamedState(GivenOption("timestampAsOf", "c"), bySession = true)),
        Some(GivenOption("hoodie.datasource.read.begin.instanttime", " 000 ")),
        Some(GivenOption("hoodie.datasource.read.end.instanttime", "2026")),
        Some(GivenOption("hoodie.datasource.read.incr.path.glob", "/oslo/*")),
        orWhatIsLeft = true,
        showsMeta = true, usesMetadata = true, asksForMetadata = true))
    val read = asked.keySet.map(_.toLowerCase)
    assertEquals(ReadOptions.all.filterNot(_.names.exists(name => read(name.toLowerCase))), Nil, "not in this test")
  }

  test("every choice of the query type is one") {
    for (query <- QueryType.all) assertEquals(conf(ReadOptions.QueryType.name -> query.name).query, query)
    assertEquals(ReadOptions.QueryType.valueType.split(" or ").toSet, QueryType.all.map(_.name).toSet)
  }

  test("options are checked before they are read") {
    assertEquals(intercept[InvalidInput](conf("as.of.instnt" -> "a")).condition, "UNKNOWN_OPTION")
    assertEquals(intercept[InvalidInput](conf(ReadOptions.QueryType.name -> "cdc")).condition, "INVALID_OPTION_VALUE")
  }

  test("a read that names a state takes none from the session, and all else") {
    val session = Map("as.of.instant" -> "a", "timestampasof" -> "c", "hoodie.datasource.read.meta.columns" -> "true")
    assertEquals(ReadConf.inherited(session, Map("x" -> "y")), session)
    assertEquals(ReadConf.inherited(session, Map("VersionAsOf" -> "b")),
      Map("hoodie.datasource.read.meta.columns" -> "true"))
  }

  test("a session chooses rows by naming a state, a range or another query, not by the default in words") {
    def chosen(options: (String, String)*): Option[String] = ReadConf.chosenRows(options.toMap).map(_.name)
    assertEquals(chosen(), None)
    assertEquals(chosen(ReadOptions.QueryType.name -> "snapshot"), None)
    assertEquals(chosen(ReadOptions.MetaColumns.name -> "true"), None)
    for (key <- ReadOptions.ChoosesRows) {
      val text = if (key == ReadOptions.QueryType) "read_optimized" else "x"
      assertEquals(chosen(key.name -> text), Some(key.name))
    }
  }
}
