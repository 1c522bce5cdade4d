package io.hudilite.storage

import java.util.concurrent.ConcurrentHashMap

/** Memory of one process: what its storages, which see the same files, have told it. Each part is declared once, as a
  * [[Cached]], by the code that uses it.
  */
final class Caches {

  private val parts = new ConcurrentHashMap[Cached[_], Any]()

  private[storage] def part[T](cached: Cached[T]): T =
    parts.computeIfAbsent(cached, _ => cached.empty()).asInstanceOf[T]
}

object Caches {

  /** Memory of this JVM: paths name the same files whichever configuration opens them. */
  val shared: Caches = new Caches
}

/** A part of the memory of each process, empty at first. */
private[hudilite] final class Cached[T](make: => T) {

  private[storage] def empty(): T = make

  /** The part in the process that uses this storage. */
  def of(storage: Storage): T = storage.caches.part(this)
}
