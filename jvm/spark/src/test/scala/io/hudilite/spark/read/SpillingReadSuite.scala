package io.hudilite.spark.read

import io.hudilite.log.OrderingValue
import io.hudilite.spark.SharedSession
import io.hudilite.spark.read.LoggedTable.{Data, Deletes}
import munit.FunSuite
import org.apache.spark.TaskContext
import org.apache.spark.sql.connector.read.{InputPartition, PartitionReaderFactory}
import org.apache.spark.sql.execution.hudilite.ScarceMemory
import org.apache.spark.sql.types.StructType

import scala.collection.JavaConverters._

/** Tasks that are granted less memory than the log of their slice takes. */
class SpillingReadSuite extends FunSuite {

  private val spark = SharedSession.spark
  import spark.implicits._

  override def munitTimeout: scala.concurrent.duration.Duration = scala.concurrent.duration.Duration(5, "min")

  private val schema = StructType.fromDDL("id STRING, ts BIGINT, v STRING")
  private val filler = "x" * 150
  private val size = 60000
  private def key(i: Int): String = f"k${(i * 7919L) % 1000003}%07d"

  /** Rows, the sum of `ts`, and the bytes of memory that the one task freed by spilling. */
  private def readShort(table: LoggedTable): (Long, Long, Long) = {
    val scan = PlanProbe.scan(table.read().select("ts", "v")).batch
    val factory = scan.createReaderFactory()
    val partitions = scan.planInputPartitions()
    assertEquals(partitions.length, 1)
    spark.sparkContext.parallelize(Seq(partitions.head), 1)
      .mapPartitions(one => SpillingReadSuite.readAll(factory, one.next())).collect().head
  }

  for ((sorted, placed) <- Seq((true, false), (false, false), (true, true)))
    test(s"a log larger than the memory of its task is spilled, sorted=$sorted, with positions=$placed") {
      val old = (0 until size).map(i => (key(i), 10L, "old")).sortBy(_._1)
      val table = new LoggedTable(Some(old.toDF("id", "ts", "v")), schema, Some("ts"), sorted)
      val places = if (placed) Some((0L until size.toLong)) else None
      val updates = old.map(_._1).zipWithIndex
      table.append(Data(updates.map { case (k, i) => Seq[Any](k, if (i % 2 == 0) 11L else 9L, filler) }, places))
      val (rows, sum, spilled) = readShort(table)
      assertEquals(rows, size.toLong)
      assertEquals(sum, size / 2 * 21L)
      assert(spilled > 5000000L, s"$spilled bytes")
      table.append(Deletes(updates.take(100).map(_._1 -> (OrderingValue.CommitTime: OrderingValue)),
          if (placed) Some(0L until 100L) else None))
      assertEquals(readShort(table)._1, size - 100L)
    }
}

private object SpillingReadSuite {

  def readAll(factory: PartitionReaderFactory, partition: InputPartition): Iterator[(Long, Long, Long)] = {
    val scarce = ScarceMemory.leave(pages = 6)
    val reader = factory.createColumnarReader(partition)
    var rows = 0L
    var sum = 0L
    try while (reader.next()) reader.get().rowIterator().asScala.foreach { row =>
        rows += 1
        sum += row.getLong(0) + (if (row.getUTF8String(1).numBytes() < 3) 1 else 0)
      }
    finally {
      reader.close()
      scarce.free()
    }
    Iterator.single((rows, sum, TaskContext.get().taskMetrics().memoryBytesSpilled))
  }
}
