package io.hudilite.spark.lookup

import munit.FunSuite
import org.apache.spark.broadcast.Broadcast
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.unsafe.types.UTF8String

import scala.reflect.ClassTag

/** Keys of a lookup, gathered once in a process. */
class ProbeKeysOfBroadcastSuite extends FunSuite {

  private final class Numbered(number: Long, rows: Array[InternalRow])
      extends Broadcast[Array[InternalRow]](number)(ClassTag(classOf[Array[InternalRow]])) {
    override protected def getValue(): Array[InternalRow] = rows
    override protected def doUnpersist(blocking: Boolean): Unit = ()
    override protected def doDestroy(blocking: Boolean): Unit = ()
  }

  private def rows(keys: String*): Array[InternalRow] =
    keys.map(key => InternalRow(UTF8String.fromString(key), UTF8String.fromString("p"))).toArray

  private def gathered(number: Long, rows: Array[InternalRow]): ProbeKeys =
    ProbeKeysOfBroadcast(new Numbered(number, rows), global = false).get

  private def keys(of: ProbeKeys): Seq[String] = of.of(UTF8String.fromString("p")).map(_.toString).toSeq

  test("broadcasts of two Spark contexts have their own keys, though both are numbered alike") {
    val (first, second) = (rows("b", "a"), rows("c"))
    assertEquals(keys(gathered(0, first)), Seq("a", "b"))
    assertEquals(keys(gathered(0, second)), Seq("c"))
    assertEquals(keys(gathered(0, first)), Seq("a", "b"))
  }

  test("tasks of one broadcast share its keys") {
    val some = rows("b", "a")
    assert(gathered(7, some) eq gathered(7, some))
  }
}
