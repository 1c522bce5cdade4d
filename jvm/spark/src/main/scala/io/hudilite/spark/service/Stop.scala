package io.hudilite.spark.service

import java.util.concurrent.CancellationException

/** A wish that a service stops, asked where it has no tasks that could be stopped. */
private[spark] final class Stop(isAsked: () => Boolean) {

  /** Raises `CancellationException` when the service is to stop.
    *
    * @param what
    *   would come next; nothing of it has begun
    */
  def check(what: => String): Unit = if (isAsked()) throw new CancellationException(s"$what was stopped")
}

private[spark] object Stop {
  val Never: Stop = new Stop(() => false)
}
