package io.hudilite.spark.slice.deliver

import io.hudilite.filegroup.FileSlice
import io.hudilite.log.OrderingValue
import io.hudilite.spark.SharedSession
import io.hudilite.spark.basefile.read.{ReaderContexts, ScanFilter}
import io.hudilite.spark.basefile.read.ScanFilter.{Comparison, Greater, IsNull, Negation}
import io.hudilite.spark.read.LoggedTable
import io.hudilite.spark.read.LoggedTable.{Data, Deletes}
import io.hudilite.spark.row.{SessionConf, SharedConf}
import io.hudilite.spark.scan.plan.{ScanPlanner, ScanSettings, TableState}
import io.hudilite.spark.scan.task.ScanTask
import io.hudilite.storage.HadoopStorage
import io.hudilite.table.Table

import munit.FunSuite
import org.apache.hadoop.conf.Configuration
import org.apache.spark.sql.types.StructType

/** How rows of base files are found that a log replaces by their positions. */
class SliceReaderSuite extends FunSuite {

  private val spark = SharedSession.spark

  private val schema = StructType.fromDDL("id STRING, v BIGINT, sparse BIGINT, empty BIGINT")

  private lazy val table: LoggedTable = {
    val base = spark.sql("SELECT concat('k', lpad(id, 3, '0')) AS id, id AS v, if(id % 2 = 0, null, id) AS sparse, " +
      "cast(null AS bigint) AS empty FROM range(100)")
    val made = new LoggedTable(Some(base), schema, None)
    made.append(Data(Seq(Seq("k003", -3L, null, null), Seq("k050", -50L, -50L, -50L)), Some(Seq(3L, 50L))))
    made.append(Deletes(Seq("k098", "k099").map(_ -> OrderingValue.CommitTime), Some(Seq(98L, 99L))))
    made
  }

  private def matcher(filters: ScanFilter*): String = {
    val state = new TableState(Table.open(new HadoopStorage(new Configuration()), table.path))
    val planner = new ScanPlanner(state, filters, SessionConf.parquet(spark))
    val job = planner.job(state.dataSchema, ScanSettings.reader(state.dataSchema, state.dataSchema))
    val (slice, conf) = (planner.files.merged.head, SharedConf(planner.conf))
    spark.sparkContext.parallelize(Seq(slice), 1).map(SliceReaderSuite.matcher(job, conf, _)).first()
  }

  private def notNull(column: String): ScanFilter = Negation(IsNull(Seq(column)))

  test("rows are counted, not numbered, where filters leave out nulls alone") {
    assertEquals(matcher(), "CountingMatcher")
    assertEquals(matcher(notNull("id"), notNull("sparse")), "CountingMatcher")
    assertEquals(matcher(ScanFilter.AllOf(Seq(notNull("v"), notNull("sparse")))), "CountingMatcher")
  }

  test("rows are numbered where a filter can leave out some by their values, or whole row groups of nulls") {
    assertEquals(matcher(Comparison(Seq("v"), Greater, 5L)), "PositionMatcher")
    assertEquals(matcher(notNull("v"), Comparison(Seq("v"), Greater, 5L)), "PositionMatcher")
    assertEquals(matcher(IsNull(Seq("sparse"))), "PositionMatcher")
    assertEquals(matcher(notNull("empty")), "PositionMatcher")
  }

  test("rows come out alike, counted and numbered") {
    def values(filter: String): Seq[Long] =
      table.read().where(filter).select("v").collect().map(_.getLong(0)).sorted.toSeq
    val odd = (1L to 97L by 2L).filter(_ != 3L)
    assertEquals(values("sparse IS NOT NULL"), (odd :+ -50L).sorted)
    assertEquals(values("sparse IS NOT NULL AND v > 5"), odd.filter(_ > 5))
    assertEquals(values("empty IS NOT NULL"), Seq(-50L))
    assertEquals(values("v IS NOT NULL").size, 98)
  }
}

object SliceReaderSuite {

  private def matcher(job: ScanTask, conf: SharedConf, slice: FileSlice): String = {
    val reader = new SliceReader(job.files, job.merge.get, new ReaderContexts(conf.value, false), new MergeCounts)
    reader.open(slice, None) match {
      case merged: MergedBatches =>
        try merged.matcher.getClass.getSimpleName
        finally merged.close()
      case other => throw new IllegalStateException(s"not merged: $other")
    }
  }
}
