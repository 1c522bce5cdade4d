package io.hudilite.spark.lookup

import io.hudilite.config.WriteConf
import io.hudilite.metadata.GoldenKeys
import io.hudilite.spark.SharedSession
import io.hudilite.spark.row.SharedConf
import io.hudilite.storage.HadoopStorage
import io.hudilite.table.{LookupShards, RecordIndexChoice, Table}

import munit.FunSuite
import org.apache.hadoop.conf.Configuration
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.execution.metric.SQLMetrics
import org.apache.spark.unsafe.types.UTF8String

/** Keys that a task looks up some at once. */
class FoundInShardsSuite extends FunSuite {

  private def shards: LookupShards = {
    val path = GoldenKeys.after("keyed-v9", "upsert-again")
    new RecordIndexChoice(Table.open(new HadoopStorage(new Configuration()), path))
      .toLookUp(WriteConf.of(Map("hoodie.index.type" -> "RECORD_INDEX"))).get
  }

  test("a key that comes more than once is found once, wherever the keys that are looked up at once end") {
    val index = shards
    val keys = Seq("k001", "k002", "k002", "k003", "k003", "k003", "k005", "absent", "absent", "k021", "k021")
    val rows = keys.map(key => (index.of(key, ""), key)).sorted
    def metric = SQLMetrics.createMetric(SharedSession.spark.sparkContext, "n")
    (1 to keys.size).foreach { most =>
      val input = rows.iterator.map { case (shard, key) => InternalRow(UTF8String.fromString(key), shard) }
      val found = new FoundInShards(input, 0, 1, index, SharedConf(new Configuration()),
        ShardMetrics(metric, metric, metric), most).map(_.getUTF8String(0).toString).toSeq
      assertEquals(found.sorted, found.distinct.sorted, most)
      assert(found.contains("k021") && found.contains("k003") && !found.contains("absent"), s"$most $found")
    }
  }
}
