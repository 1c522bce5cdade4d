package io.hudilite.upkeep

import io.hudilite.record.KeyChange
import io.hudilite.storage.Storage
import io.hudilite.timeline.WriteStat

import java.nio.charset.StandardCharsets.UTF_8
import java.util.{Arrays, Comparator}

import scala.collection.mutable

/** Jobs on the driver alone. Of many changes some shards are written at a time, so that few are in memory: each source is
  * read once for each of these passes.
  */
object DriverKeyJobs extends KeyJobs {

  /** Changes in memory at a time. */
  val MostAtOnce = 1000000L

  override def run(sources: Seq[KeySource], shards: KeyShards, storage: Storage): Seq[WriteStat] = {
    val changes = sources.map(_.estimate).sum
    val passes = math.max(1L, math.min(shards.count.toLong, (changes + MostAtOnce - 1) / MostAtOnce)).toInt
    (0 until passes).flatMap { pass =>
      val dealt = mutable.TreeMap.empty[Int, mutable.ArrayBuffer[KeyChange]]
      for (source <- sources; change <- source.changes(storage)) { // hot path
        val number = shards.numberOf(change.key, change.partition)
        if (number % passes == pass) dealt.getOrElseUpdate(number, mutable.ArrayBuffer.empty) += change
      }
      dealt.keys.toList.flatMap(n => shards.write(storage, n, sorted(dealt.remove(n).get)))
    }
  }

  private def sorted(changes: mutable.ArrayBuffer[KeyChange]): Iterator[KeyChange] = {
    val decorated = changes.iterator.map(c => (c.key.getBytes(UTF_8), c)).toArray
    Arrays.sort(decorated, ByBytes)
    decorated.iterator.map(_._2)
  }

  private object ByBytes extends Comparator[(Array[Byte], KeyChange)] {
    override def compare(a: (Array[Byte], KeyChange), b: (Array[Byte], KeyChange)): Int =
      Arrays.compareUnsigned(a._1, b._1)
  }
}
