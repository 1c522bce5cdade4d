package io.hudilite

import io.hudilite.error.HudiliteException

import java.lang.management.ManagementFactory
import java.nio.ByteBuffer
import java.util.Random

import munit.Assertions.assert

/** Bytes as a failing disk, a hostile hand or a cut connection may leave them, and a bound for the cost of reading
  * them.
  */
object Damage {

  private val extremes = Seq(0, 1, -1, Int.MaxValue, Int.MinValue, 1 << 20, 0x23485544)

  def extreme(random: Random): Int = extremes(random.nextInt(extremes.size))

  /** The bytes with one thing wrong: a bit, a byte, a number, bytes missing, bytes added, or bytes twice. */
  def of(bytes: Array[Byte], random: Random): Array[Byte] = {
    val at = random.nextInt(bytes.length)
    random.nextInt(6) match {
      case 0 => bytes.updated(at, (bytes(at) ^ (1 << random.nextInt(8))).toByte)
      case 1 => bytes.updated(at, random.nextInt(256).toByte)
      case 2 if at + 4 <= bytes.length =>
        val changed = bytes.clone()
        ByteBuffer.wrap(changed).putInt(at, extreme(random))
        changed
      case 3 => bytes.take(at) ++ bytes.drop(at + 1 + random.nextInt(64))
      case 4 => bytes.take(at) ++ Array.fill(1 + random.nextInt(64))(random.nextInt(256).toByte) ++ bytes.drop(at)
      case _ => bytes.take(at) ++ bytes.slice(at / 2, at / 2 + random.nextInt(512)) ++ bytes.drop(at)
    }
  }

  private val threads =
    ManagementFactory.getThreadMXBean.asInstanceOf[com.sun.management.ThreadMXBean]

  /** Runs `work`, which may allocate `most` bytes and may fail only with an error of ours: `None` then. */
  def tried[T](clue: String, most: Long)(work: => T): Option[T] = {
    val thread = Thread.currentThread.getId
    val before = threads.getThreadAllocatedBytes(thread)
    val result =
      try Some(work)
      catch {
        case _: HudiliteException => None
        case e: Throwable => throw new AssertionError(s"$clue: $e", e)
      }
    val allocated = threads.getThreadAllocatedBytes(thread) - before
    assert(allocated < most, s"$clue: $allocated bytes allocated")
    result
  }
}
