package io.hudilite.storage

/** A map that forgets what was used least recently once the weights of all entries exceed a bound; safe for threads. */
final class WeightedCache[K, V](maxWeight: Long) {

  private val entries = new java.util.LinkedHashMap[K, (V, Long)](16, 0.75f, true)
  private var weight = 0L

  def get(key: K): Option[V] = entries.synchronized(Option(entries.get(key)).map(_._1))

  /** The value, which is made and kept when there is none. */
  def getOrElsePut(key: K)(make: => V): V = get(key).getOrElse {
    val made = make
    put(key, made)
    made
  }

  def remove(key: K): Unit = entries.synchronized {
    Option(entries.remove(key)).foreach(old => weight -= old._2)
  }

  def put(key: K, value: V, itsWeight: Long = 1L): Unit = entries.synchronized {
    Option(entries.put(key, (value, itsWeight))).foreach(old => weight -= old._2)
    weight += itsWeight
    val oldest = entries.entrySet.iterator
    while (weight > maxWeight && entries.size > 1 && oldest.hasNext) {
      weight -= oldest.next().getValue._2
      oldest.remove()
    }
  }
}
