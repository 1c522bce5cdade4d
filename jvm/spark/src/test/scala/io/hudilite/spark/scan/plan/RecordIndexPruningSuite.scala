package io.hudilite.spark.scan.plan

import io.hudilite.filegroup.BaseFile
import io.hudilite.metadata.GoldenKeys
import io.hudilite.record.RecordKeys
import io.hudilite.stats.{BoundsWanted, FileBounds, FileStatistics, KeyBounds}
import io.hudilite.storage.HadoopStorage
import io.hudilite.table.{MetadataUse, Table}

import munit.FunSuite
import org.apache.hadoop.conf.Configuration

/** Places that a record index tells, held against what files say of their keys. */
class RecordIndexPruningSuite extends FunSuite {

  private final class AllAlike(keys: KeyBounds) extends FileStatistics {
    override def eachFile[A](files: Seq[BaseFile], wanted: BoundsWanted)(
        use: (BaseFile, FileBounds) => A): Map[BaseFile, A] =
      files.map(file => file -> use(file, FileBounds(1, keys))).toMap
  }

  test("a place of a key that its file cannot hold makes an index that is not used") {
    val path = GoldenKeys.after("keyed-v9", "moved")
    val table = Table.open(new HadoopStorage(new Configuration()), path).readingMetadata(MetadataUse(isAsked = true))
    val state = new TableState(table)
    val all = state.files
    def answer(bounds: KeyBounds, keys: String*): Either[String, Int] =
      new RecordIndexPruning(state, new AllAlike(bounds)).prune(Some(RecordKeys.of(keys)), Some(all), all).answer.get
    assertEquals(answer(KeyBounds(None, None), "k003"), Right(2))
    assertEquals(answer(KeyBounds(Some("k000"), Some("k009")), "k002", "k003"), Right(1))
    val elsewhere = answer(KeyBounds(Some("k004"), Some("k009")), "k003", "k004")
    assert(elsewhere.fold(_.endsWith(" does not have k003"), _ => false), elsewhere)
    assertEquals(answer(KeyBounds(Some("k004"), Some("k009")), "none"), Right(3))
  }

  test("an index that is large, by itself or beside the files that are left, is asked for few keys alone") {
    val mb = 1L << 20
    def asked(keys: Int, index: Long, files: Long): Boolean = RecordIndexPruning.tooMany(keys, index, files).isEmpty
    assert(asked(1000, 900 * mb, 1) && asked(100000, mb, 1) && asked(1001, 8 * mb, 32 * mb) &&
      asked(1001, 32 * mb, 900 * mb))
    assert(!asked(1001, 8 * mb, 31 * mb) && !asked(1001, 33 * mb, 9000 * mb))
    assertEquals(RecordIndexPruning.tooMany(1001, 2 * mb, 9),
      Some("1001 keys are too many for its 2097152 bytes beside files of 9"))
  }
}
