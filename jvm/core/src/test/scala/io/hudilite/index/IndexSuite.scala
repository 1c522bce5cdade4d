package io.hudilite.index

import io.hudilite.config.{TableConfig, TableDefinition, WriteConf, WriteOptions}
import io.hudilite.error.InvalidInput

import munit.FunSuite

class IndexSuite extends FunSuite {

  private val config = TableConfig.create(TableDefinition("t", recordKeyFields = Seq("id", "name")))

  private def index(options: (String, String)*): Index = Index.of(config, WriteConf.of(options.toMap).index)

  private def named(name: String, options: (String, String)*): Index =
    index(options :+ (WriteOptions.IndexType.name -> name): _*)

  test("every choice of the option is an index of its own, and the first is the one without it") {
    val choices = WriteOptions.IndexType.valueType.split(" or ").toSeq
    // One index has two names.
    assertEquals(choices.map(named(_)).distinct.size, choices.size - 1)
    assertEquals(named("RECORD_INDEX"), named("GLOBAL_RECORD_LEVEL_INDEX"))
    assertEquals(index(), named(choices.head))
  }

  test("only the global indexes take a key for one row wherever it lies, and move rows unless they are told not to") {
    assertEquals(Seq("SIMPLE", "BLOOM", "BUCKET").filter(named(_).isGlobal), Nil)
    for ((name, option) <- Seq("GLOBAL_SIMPLE" -> WriteOptions.SimpleUpdatePartition,
        "GLOBAL_BLOOM" -> WriteOptions.BloomUpdatePartition)) {
      assert(named(name).isGlobal && named(name).movesRows && !named(name).keepsPlaces, name)
      val keeping = named(name, option.name -> "false")
      assert(keeping.isGlobal && !keeping.movesRows && keeping.keepsPlaces, name)
    }
  }

  test("a record index of the whole table keeps rows where they are unless it is told to move them") {
    assert(named("record_index").keepsPlaces && named("RECORD_INDEX").isGlobal)
    assert(named("RECORD_INDEX", WriteOptions.RecordUpdatePartition.name -> "true").movesRows)
    assert(!named("RECORD_LEVEL_INDEX", WriteOptions.RecordUpdatePartition.name -> "true").isGlobal)
  }

  test("the option of one global index does not speak for the other, nor for an index of partitions") {
    assert(named("GLOBAL_SIMPLE", WriteOptions.BloomUpdatePartition.name -> "false").movesRows)
    assert(named("GLOBAL_BLOOM", WriteOptions.SimpleUpdatePartition.name -> "false").movesRows)
    for (name <- Seq("SIMPLE", "BLOOM", "BUCKET"); moves <- Seq("true", "false")) {
      val found = named(name, WriteOptions.SimpleUpdatePartition.name -> moves,
        WriteOptions.BloomUpdatePartition.name -> moves)
      assert(!found.movesRows && !found.keepsPlaces, name)
    }
  }

  test("buckets are dealt by all fields of the record key, or by some of them, and by no others") {
    def bucket(fields: String): Index = named("BUCKET", WriteOptions.Buckets.name -> "7",
      WriteOptions.BucketHashFields.name -> fields)
    assertEquals(named("BUCKET"), Index.Bucket(BucketIndex(256, Seq("id", "name"))))
    assertEquals(bucket("name"), Index.Bucket(BucketIndex(7, Seq("name"))))
    for (fields <- Seq("name,age", ",")) {
      val error = intercept[InvalidInput](bucket(fields))
      assertEquals(error.parameters("option"), WriteOptions.BucketHashFields.name)
    }
  }
}
