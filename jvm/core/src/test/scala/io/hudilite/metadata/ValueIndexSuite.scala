package io.hudilite.metadata

import io.hudilite.GoldenFolder
import io.hudilite.TestTables.storage
import io.hudilite.metadata.stored.ValueIndex
import io.hudilite.storage.{CountingStorage, Storage}
import io.hudilite.table.{MetadataUse, Table}

import com.fasterxml.jackson.databind.ObjectMapper

import java.nio.file.{Files, Path}

import munit.FunSuite

import scala.util.Random

/** Record keys that secondary indexes tell of values, and when a reader cannot go by them. */
class ValueIndexSuite extends FunSuite {

  private def open(basePath: String, storage: Storage = storage): Table =
    Table.open(storage, basePath).readingMetadata(MetadataUse(isAsked = true))

  private def index(table: Table): ValueIndex = table.valueIndexes.all match {
    case Seq(one) => one
    case other => fail(s"${other.size} indexes")
  }

  private def answer(basePath: String): Either[String, ValueIndex] = {
    val table = open(basePath)
    table.valueIndexes.whole(index(table))
  }

  private def reason(basePath: String): String = answer(basePath).fold(identity, _ => "")

  private def field(row: String, name: String): Option[String] =
    Option(new ObjectMapper().readTree(row).get(name)).filterNot(_.isNull).map(_.asText)

  private def rows(name: String): Seq[(Option[String], String)] = GoldenFolder.snapshot(name).map(row =>
    field(row, "colour") -> field(row, "_hoodie_record_key").get)

  for (version <- Seq(8, 9))
    test(s"in a table of Apache Hudi's of version $version each value has the keys of its rows") {
      val found = answer(GoldenFolder.table(s"metadata-indexes-v$version")).fold(fail(_), identity)
      assertEquals((found.name, found.column), ("by_colour", "colour"))
      val byValue = rows(s"metadata-indexes-v$version").groupBy(_._1).map { case (value, of) =>
        value -> of.map(_._2).toSet
      }
      val values = byValue.keySet.flatten
      assert(values.size > 2 && byValue.contains(None), byValue)
      values.foreach(value => assertEquals(found.keys(Set(value), 1000), Some(byValue(Some(value))), value))
      assertEquals(found.keys(values + "none", 1000), Some(values.flatMap(v => byValue(Some(v)))))
      assertEquals(found.keys(Set("none", "\u0000"), 1000), Some(Set.empty[String]))
      assertEquals(found.keys(values, 2), None)
      assertEquals(found.entries, Right(byValue.values.map(_.size).sum.toLong))
    }

  private val texts = Seq("", "a", "a$", "a$b", "a\\", "\u0000", "red", "re", "żółw 🐢", "ﬀ", "k$1").map(Option(_)) :+
    None

  /** Pairs of the keys of a table of Apache Hudi's, as they were made and after each of three writes. */
  private def lives(keys: Seq[String], random: Random): Seq[Map[String, Option[String]]] =
    Iterator.iterate(keys.map(_ -> texts(random.nextInt(texts.size))).toMap)(_.map { case (key, value) =>
      key -> (if (random.nextBoolean()) value else texts(random.nextInt(texts.size)))
    }).take(4).toList

  private def pairs(life: Map[String, Option[String]]): Set[SecondaryKey] =
    life.map { case (key, value) => SecondaryKey(value, key) }.toSet

  /** As a writer of them tells it. */
  private def changes(lives: Seq[Map[String, Option[String]]]): Seq[Seq[(SecondaryKey, Boolean)]] =
    lives.map(pairs).zip(lives.map(pairs).tail).map { case (a, b) =>
      (a -- b).toSeq.map(_ -> false) ++ (b -- a).toSeq.map(_ -> true)
    }

  for (version <-
      Seq(8, 9);
    shards <- Seq(1, 5))
    test(
      s"values that went and came again in logs count as the newest write says, in $shards groups of version $version") {
      val random = new Random(version * 10 + shards)
      val copy = new GoldenCopy(s"metadata-table-v$version")
      val keys = GoldenFolder.snapshot(s"metadata-table-v$version").map(field(_, "_hoodie_record_key").get)
      val all = lives(keys, random)
      new MadeValueIndex(copy.basePath, version, shards).of("made", "colour", pairs(all.head).toSeq, changes(all): _*)
      val counting = new CountingStorage(storage)
      val table = open(copy.basePath, counting)
      val found = table.valueIndexes.whole(index(table)).fold(fail(_), identity)
      texts.flatten.foreach { value =>
        val (told, calls) = counting.during(found.keys(Set(value), 1000))
        assertEquals(told, Some(all.last.collect { case (key, Some(`value`)) => key }.toSet), value)
        // A group of its own from version 2 of the index on: a read of its logs, one of the end and one of the blocks.
        assert(calls.count("list") == 0 && calls.count("get") <= (if (version == 9) 1 else shards) * 6, calls.details)
      }
      assertEquals(found.entries, Right(keys.size.toLong))
    }

  private def made(version: Int = 9, column: String = "colour")(
      change: Seq[SecondaryKey] => Seq[SecondaryKey]): GoldenCopy = {
    val copy = new GoldenCopy(s"metadata-table-v$version")
    val keys = GoldenFolder.snapshot(s"metadata-table-v$version").map(field(_, "_hoodie_record_key").get)
    val pairs = keys.zipWithIndex.map { case (key, n) => SecondaryKey(Some(s"v$n"), key) }
    new MadeValueIndex(copy.basePath, version, 3).of("made", column, change(pairs))
    copy
  }

  test("an index with fewer or more values than rows, or of another number of groups, is not used") {
    assertEquals(reason(made()(identity).basePath), "")
    assert(reason(made()(_.tail).basePath).matches("it has (\\d+) values for \\d+ rows"))
    assert(reason(made()(p => p :+ p.head.copy(value = Some("stale"))).basePath).contains("values for"))
    val fewer = made()(identity)
    fewer.files(".*secondary-index-made-0002-0.*").foreach(Files.delete(_))
    assert(reason(fewer.basePath).contains("is not that of its key"), reason(fewer.basePath))
    val gap = made()(identity)
    gap.files(".*secondary-index-made-0001-0.*").foreach(Files.delete(_))
    assert(reason(gap.basePath).contains("only the numbers 0, 2 are there"), reason(gap.basePath))
  }

  test("an index of a column that is not there by these letters, or of a type that has none, is none") {
    for (column <- Seq("Colour", "price", "none")) {
      val table = open(made(column = column)(identity).basePath)
      assertEquals(table.valueIndexes.all.map(_.column), Nil, column)
    }
    // Texts that are no numbers are not what a column of numbers is asked for.
    assert(reason(made(column = "ts")(identity).basePath).startsWith("it has the value 'v"))
    assertEquals(reason(made(column = "ts")(_.map(p => p.copy(value = p.value.map(_.drop(1))))).basePath), "")
  }

  test("damaged bytes anywhere in a file of the index make it an index that is not used, or change no key") {
    val copy = made()(identity)
    val file: Path = copy.files(".*secondary-index-made-0001-0.*hfile").head
    val right = Seq(1, 2, 3, 4).map(n => answer(copy.basePath).toOption.get.keys(Set(s"v$n"), 9))
    val whole = Files.readAllBytes(file)
    for (at <- whole.indices by 97) {
      Files.write(file, whole.updated(at, (whole(at) ^ 0x55).toByte))
      answer(copy.basePath).foreach(found =>
        try assertEquals(Seq(1, 2, 3, 4).map(n => found.keys(Set(s"v$n"), 9)), right, s"at $at")
        catch { case _: io.hudilite.error.HudiliteException => () })
    }
    Files.write(copy.file("\\.hoodie/\\.index_defs/index\\.json"), "{".getBytes)
    assertEquals(open(copy.basePath).valueIndexes.all, Nil)
  }
}
