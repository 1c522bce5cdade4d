package io.hudilite.storage

import java.time.{Clock, Duration, Instant => EpochInstant, ZoneId, ZoneOffset}

/** A storage as a machine sees it whose clock is set by the test, and which remembers nothing of what others read. */
final class Machine(to: Storage, start: EpochInstant, zone: ZoneId = ZoneOffset.UTC) extends ForwardingStorage(to) {

  private var present = start

  def set(time: EpochInstant): Unit = present = time

  def pass(time: Duration): Unit = present = present.plus(time)

  override val clock: Clock = in(zone)

  override val caches: Caches = new Caches

  private def in(zone: ZoneId): Clock = new Clock {
    override def instant(): EpochInstant = present
    override def getZone: ZoneId = zone
    override def withZone(other: ZoneId): Clock = in(other)
  }
}
