package io.hudilite.spark.read

import io.hudilite.GoldenFolder
import io.hudilite.codec.bloom.BloomFilter
import io.hudilite.config.TableProperties
import io.hudilite.filegroup.BaseFile
import io.hudilite.index.{KeyIndex, KeyVerdict, Locations, Scope, SearchedSlices}
import io.hudilite.record.RecordKeys
import io.hudilite.spark.scan.plan.{FileAggregates, KeyPruned, KeyPruning}
import io.hudilite.spark.scan.task.CheckedSplits
import io.hudilite.stats._
import io.hudilite.storage.HadoopStorage
import io.hudilite.table.Table

import java.nio.charset.StandardCharsets.UTF_8

import munit.FunSuite
import org.apache.hadoop.conf.Configuration
import org.apache.spark.sql.connector.expressions.Expressions
import org.apache.spark.sql.connector.expressions.aggregate.{AggregateFunc, Aggregation, Count, CountStar, Max, Min}
import org.apache.spark.sql.types.StructType

/** Questions about files, answered by somebody who opens none. */
class FileStatisticsSuite extends FunSuite {

  /** Facts on files are told in advance, as a metadata table could. */
  private final class Told(known: Map[BaseFile, FileBounds]) extends FileStatistics {
    var asked: Seq[(Seq[BaseFile], BoundsWanted)] = Nil

    override def eachFile[A](files: Seq[BaseFile], wanted: BoundsWanted)(
        use: (BaseFile, FileBounds) => A): Map[BaseFile, A] = {
      asked = asked :+ (files -> wanted)
      files.map(file => file -> use(file, known(file))).toMap
    }
  }

  private def file(name: String): BaseFile = BaseFile("p", s"$name.parquet", name, "0-0-0", "1", 100L)

  private def keys(min: String, max: String, held: String*): FileBounds = {
    val bloom = BloomFilter.create(BloomFilter.Simple, 100, 0.000001, 100)
    held.foreach(key => bloom.add(key.getBytes(UTF_8)))
    FileBounds(10, KeyBounds(Some(min), Some(max), if (held.isEmpty) None else Some(bloom)))
  }

  test("files are pruned by ranges and bloom filters of keys, whoever tells them") {
    val known = Map(file("far") -> keys("m", "z"), file("near") -> keys("a", "c"),
      file("without") -> keys("a", "z", "y"),
      file("holds") -> keys("a", "c", "b"), file("unknown") -> FileBounds(10, KeyBounds(None, None)))
    val told = new Told(known)
    val files = Seq("far", "near", "without", "holds", "unknown").map(file)
    val pruned = KeyPruning.prune(CheckedSplits.ByFiles, told, files, RecordKeys.of(Seq("b", "0")))
    assertEquals(pruned, KeyPruned(Seq("near", "holds", "unknown").map(file), byRange = 1, byBloom = 1))
    assertEquals(told.asked, Seq(files -> BoundsWanted.WithBlooms))
  }

  /** All keys are in one file. */
  private final class InOneFile(name: String) extends KeyIndex {
    override def scope: Scope = Scope.Table(moves = true)
    override def locate(keys: RecordKeys, within: SearchedSlices): Locations =
      Locations(within.slices.map(slice =>
          slice -> (if (slice.fileId == name) KeyVerdict.MayHold(keys) else KeyVerdict.OutOfRange)))
  }

  test("files are pruned by whatever index knows where the keys are, and no file is asked about") {
    val told = new Told(Map.empty)
    val pruned = KeyPruning.prune(new InOneFile("b"), told, Seq("a", "b", "c").map(file), RecordKeys.of(Seq("x")))
    assertEquals(pruned, KeyPruned(Seq(file("b")), byRange = 2, byBloom = 0))
    assertEquals(told.asked, Nil)
  }

  private val path = GoldenFolder.table("cow-basic-v9")
  private val storage = new HadoopStorage(new Configuration())
  private val table = Table.load(storage, path, TableProperties.read(storage, path))
  private val schema = StructType.fromDDL("n INT, d DATE, s STRING")

  private def aggregated(told: Told, files: Seq[BaseFile], functions: AggregateFunc*): Option[Seq[Any]] =
    FileAggregates.answer(told, table, files, new Aggregation(functions.toArray, Array.empty), schema, None)
      .map(scan => scan.row.toSeq(scan.schema))

  test("count, min and max are answered by whoever is certain of columns, and by nobody else") {
    def bounds(rows: Long, columns: (String, ColumnBounds)*): FileBounds =
      FileBounds(rows, KeyBounds(None, None), columns.toMap)
    val (one, two) = (file("one"), file("two"))
    val (n, s) = (Expressions.column("n"), Expressions.column("s"))
    val told = new Told(Map(
        one -> bounds(10, "n" -> ColumnBounds(4, Some(ValueBounds.Ints(-3, 7))), "s" -> ColumnBounds(1, None)),
        two -> bounds(5, "n" -> ColumnBounds(5, None))))
    assertEquals(aggregated(told, Seq(one, two), new Min(n), new Max(n), new Count(n, false), new CountStar),
      Some(Seq[Any](-3, 7, 6L, 15L)))
    assertEquals(aggregated(told, Seq(one), new Count(s, false)), Some(Seq[Any](9L)))
    assertEquals(aggregated(told, Seq(one, two), new Count(s, false)), None)
    assertEquals(aggregated(told, Seq(two), new Min(n)), Some(Seq[Any](null)))
    assertEquals(aggregated(told, Seq(one, two), new CountStar), Some(Seq[Any](15L)))
    assertEquals(told.asked.map(_._2.columns.toSet),
      Seq(Set("n"), Set("s"), Set("s"), Set("n"), Set.empty[String]))
  }
}
