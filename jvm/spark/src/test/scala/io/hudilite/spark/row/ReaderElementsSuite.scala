package io.hudilite.spark.row

import io.hudilite.spark.SharedSession

import java.util.concurrent.atomic.AtomicInteger

import munit.FunSuite
import org.apache.spark.sql.connector.read.PartitionReader

class ReaderElementsSuite extends FunSuite {

  import ReaderElementsSuite._

  /** Numbers of a reader as a task takes them, and how often the reader is closed by the end of the task. */
  private def taken(until: Int, failsAt: Int = -1)(take: Iterator[Int] => Seq[Int]): (Seq[Int], Int) = {
    closed.set(0)
    val rows = SharedSession.spark.sparkContext.parallelize(Seq(0), 1).mapPartitions(_ =>
      take(ReaderElements.of(new Numbers(until, failsAt))).iterator).collect().toSeq
    (rows, closed.get())
  }

  test("a reader is closed once, whether all of it is taken, some, or none, and where it fails or its task does") {
    assertEquals(taken(3)(_.toList), (Seq(0, 1, 2), 1))
    assertEquals(taken(0)(_.toList), (Nil, 1))
    assertEquals(taken(3)(rows => Seq(rows.next(), rows.next())), (Seq(0, 1), 1))
    assertEquals(taken(3)(_ => Nil), (Nil, 1))
    assertEquals(taken(3) { rows =>
        val all = rows.toList
        all ++ Seq(rows.hasNext, rows.hasNext).map(if (_) 1 else 0) // asked again, it reads no further
      },
      (Seq(0, 1, 2, 0, 0), 1))
    intercept[Exception](taken(3, failsAt = 1)(_.toList))
    assertEquals(closed.get(), 1)
    intercept[Exception](taken(3)(rows => throw new IllegalStateException(s"of the task, at ${rows.next()}")))
    assertEquals(closed.get(), 1)
  }

  test("without a task it is closed behind the last row") {
    closed.set(0)
    val rows = ReaderElements.of(new Numbers(2, -1))
    assertEquals((rows.next(), rows.next(), closed.get()), (0, 1, 0))
    assertEquals((rows.hasNext, closed.get()), (false, 1))
    intercept[NoSuchElementException](rows.next())
  }
}

object ReaderElementsSuite {

  private val closed = new AtomicInteger

  /** Numbers from 0 on; none can be had any more where it was closed. */
  private final class Numbers(until: Int, failsAt: Int) extends PartitionReader[Int] {
    private var at = -1
    private var isOpen = true
    override def next(): Boolean = {
      if (!isOpen) throw new IllegalStateException("read when it was closed")
      at += 1
      if (at == failsAt) throw new IllegalStateException(s"no number $at")
      at < until
    }
    override def get(): Int = at
    override def close(): Unit = {
      isOpen = false
      closed.incrementAndGet()
      ()
    }
  }
}
