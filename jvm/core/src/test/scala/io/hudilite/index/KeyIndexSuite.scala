package io.hudilite.index

import io.hudilite.codec.bloom.BloomFilter
import io.hudilite.filegroup.{BaseFile, FileGroupId, FileSlice, LogFile}
import io.hudilite.record.RecordKeys
import io.hudilite.stats.{BoundsWanted, FileBounds, FileStatistics, KeyBounds}

import java.nio.charset.StandardCharsets.UTF_8

import munit.FunSuite

/** One question, where keys are, and the answers of each kind of index. */
class KeyIndexSuite extends FunSuite {

  /** An index that has been told where each key is, as a record index has. */
  private final class Told(places: Map[String, FileGroupId]) extends KeyIndex {
    override def scope: Scope = Scope.Table(moves = true)

    override def locate(keys: RecordKeys, within: SearchedSlices): Locations = {
      val inGroups = keys.sorted.filter(places.contains).groupBy(places)
      Locations(within.slices.map(slice =>
          slice -> inGroups.get(slice.groupId).fold(KeyVerdict.OutOfRange: KeyVerdict)(own =>
            KeyVerdict.MayHold(RecordKeys(own)))))
    }
  }

  private final class Known(bounds: Map[String, KeyBounds]) extends FileStatistics {
    var asked: Seq[String] = Nil
    override def eachFile[A](files: Seq[BaseFile], wanted: BoundsWanted)(
        use: (BaseFile, FileBounds) => A): Map[BaseFile, A] = {
      assertEquals(wanted, BoundsWanted.WithBlooms)
      asked = asked ++ files.map(_.fileId)
      files.map(file => file -> use(file, FileBounds(1, bounds(file.fileId)))).toMap
    }
  }

  private val nobody = new Known(Map.empty)

  private def slice(fileId: String, logs: Int = 0): FileSlice =
    FileSlice.ofBase(BaseFile("p", s"$fileId.parquet", fileId, "0-0-0", "1", 10L))
      .copy(logs = (1 to logs).map(n => LogFile("p", s".$fileId.log.$n", fileId, "1", n, None, 1L)))

  private def keys(texts: String*): RecordKeys = RecordKeys.of(texts)

  private def located(index: KeyIndex, slices: Seq[FileSlice], wanted: RecordKeys, statistics: FileStatistics = nobody)
      : Map[String, Seq[String]] = {
    val found = index.locate(wanted, SearchedSlices(slices, statistics))
    assertEquals(found.verdicts.map(_._1), slices)
    wanted.sorted.map(key => key -> found.of(key).map(_.fileId)).toMap
  }

  test("an index that nothing is known of has each key in each slice, and asks nobody") {
    val slices = Seq(slice("a"), slice("b", logs = 1))
    assertEquals(located(Index.Simple(Scope.Partition), slices, keys("x", "y")),
      Map("x" -> Seq("a", "b"), "y" -> Seq("a", "b")))
  }

  test("ranges and bloom filters rule base files out, but no slice with logs, of whose files nobody is asked") {
    val bloom = BloomFilter.create(BloomFilter.Simple, 100, 0.000001, 100)
    bloom.add("m".getBytes(UTF_8))
    val known = new Known(Map("low" -> KeyBounds(Some("a"), Some("f")), "all" -> KeyBounds(None, None),
        "m" -> KeyBounds(Some("a"), Some("z"), Some(bloom))))
    val index = Index.Bloom(Scope.Partition)
    val slices = Seq(slice("low"), slice("all"), slice("m"), slice("logged", logs = 2))
    assertEquals(located(index, slices, keys("c", "y"), known),
      Map("c" -> Seq("low", "all", "logged"), "y" -> Seq("all", "logged")))
    assertEquals(known.asked, Seq("low", "all", "m"))
    val found = index.locate(keys("m", "y"), SearchedSlices(slices, known))
    assertEquals(found.slices.map(_.fileId), Seq("all", "m", "logged"))
    assertEquals(found.ruledOut(KeyVerdict.OutOfRange) -> found.ruledOut(KeyVerdict.NotInBloom), 1 -> 0)
    val neither = index.locate(keys("x", "y"), SearchedSlices(slices, known))
    assertEquals(neither.ruledOut(KeyVerdict.OutOfRange) -> neither.ruledOut(KeyVerdict.NotInBloom), 1 -> 1)
  }

  test("buckets say by the key alone which file group it is in, with logs or without") {
    val (by, plain) = (BucketIndex(4, Seq("id")), "abcdefab-0000-0")
    val slices = Seq(0, 1, 2, 3).map(b => slice(BucketIndex.newFileId(b, plain), logs = b)) :+
      slice("of-no-bucket") :+ slice(BucketIndex.newFileId(9, plain))
    val found = located(Index.Bucket(by), slices, keys("0", "1", "2"))
    for ((key, files) <- found)
      assertEquals(files, Seq(slices(by.bucketOf(key)), slices(4), slices(5)).map(_.fileId), key)
    val other = Index.Bucket(by).locate(keys("0", "1", "2"), SearchedSlices(slices, nobody))
    assertEquals(other.ruledOut(KeyVerdict.OtherBucket), 1)
  }

  test("an index of another kind answers in the same words, and says itself how a write goes by it") {
    val index = new Told(Map("x" -> FileGroupId("p", "a"), "y" -> FileGroupId("p", "b"), "z" -> FileGroupId("q", "a")))
    assertEquals(located(index, Seq(slice("a"), slice("b", logs = 1)), keys("x", "y", "z", "new")),
      Map("x" -> Seq("a"), "y" -> Seq("b"), "z" -> Nil, "new" -> Nil))
    assert(index.isGlobal && index.movesRows && !index.keepsPlaces)
    assert(index.buckets.isEmpty && !index.asksBlooms)
  }
}
