package io.hudilite.stats

import io.hudilite.codec.bloom.BloomFilter
import io.hudilite.filegroup.BaseFile

import munit.FunSuite

/** Facts on keys of files of which somebody knows some. */
class KeyFactsSuite extends FunSuite {

  private def file(name: String): BaseFile = BaseFile("p", s"$name.parquet", name, "0-0-0", "1", 10L)

  private val footer = KeyBounds(Some("0"), Some("9"), sorted = true)
  private val filter = BloomFilter.create(BloomFilter.Simple, 10, 0.01, 10)

  private final class Footers(atHand: Set[String] = Set.empty) extends FileStatistics {
    override def isAtHand(file: BaseFile, wanted: BoundsWanted): Boolean = wanted.blooms && atHand(file.fileId)
    var asked: Seq[String] = Nil
    override def eachFile[A](files: Seq[BaseFile], wanted: BoundsWanted)(
        use: (BaseFile, FileBounds) => A): Map[BaseFile, A] = {
      asked = asked ++ files.map(_.fileId)
      files.map(file => file -> use(file, FileBounds(1, footer))).toMap
    }
  }

  private final class Filters(of: Set[String]) extends FilterReader {
    var asked: Seq[String] = Nil
    override def each[A](files: Seq[BaseFile])(use: (BaseFile, BloomFilter) => A): Map[BaseFile, A] = {
      asked = asked ++ files.map(_.fileId)
      files.filter(file => of(file.fileId)).map(file => file -> use(file, filter)).toMap
    }
  }

  private val files = Seq("far", "near", "unbounded", "unfiltered", "unknown").map(file)
  private val bounds =
    Map(file("far") -> KeyBounds(Some("x"), Some("z")), file("near") -> KeyBounds(Some("a"), Some("c")),
      file("unfiltered") -> KeyBounds(Some("a"), Some("c")))

  private def mayHold(file: BaseFile, of: KeyBounds): Boolean = of.min.exists(_ < "m")

  test("a footer is asked where a filter is missing, and nobody is asked of a file without keys in its range") {
    val (footers, filters) = (new Footers, new Filters(Set("far", "near", "unbounded")))
    val facts = new KeyFacts(footers, Some(filters), blooms = true)
    val found = facts.each(files, bounds, mayHold)((_, of) => of)
    assertEquals(found,
      Map(file("far") -> bounds(file("far")),
        file("near") -> bounds(file("near")).copy(bloom =
          Some(filter)), file("unbounded") -> KeyBounds(None, None, Some(filter)), file("unfiltered") -> footer,
        file("unknown") -> footer))
    assertEquals(filters.asked, Seq("near", "unbounded", "unfiltered", "unknown"))
    assertEquals(footers.asked, Seq("unfiltered", "unknown"))
    assertEquals(facts.asked, FactsAsked(filters = 2, footers = 2))
  }

  test("filters are asked for where a footer is not in memory, and are not even looked for where nobody needs one") {
    val (footers, filters) = (new Footers(Set("near")), new Filters(Set("near", "unbounded")))
    val found = new KeyFacts(footers, Some(filters), blooms = true).each(files, bounds, mayHold)((_, of) => of)
    assertEquals((found(file("near")), filters.asked), (footer, Seq("unbounded", "unfiltered", "unknown")))
    val none = new KeyFacts(footers, fail("filters are looked for"), blooms = true)
    assertEquals(none.each(files.take(2), bounds, mayHold)((_, of) => of).keySet, files.take(2).toSet)
  }

  test("a range is enough for who asks for no filters") {
    val (footers, filters) = (new Footers, new Filters(Set("near")))
    val facts = new KeyFacts(footers, Some(filters), blooms = false)
    assertEquals(facts.each(files, bounds, mayHold)((_, of) => of)(file("near")), bounds(file("near")))
    assertEquals(filters.asked, Nil)
    assertEquals(footers.asked, Seq("unbounded", "unknown"))
    assertEquals(facts.asked, FactsAsked(filters = 0, footers = 2))
  }
}
