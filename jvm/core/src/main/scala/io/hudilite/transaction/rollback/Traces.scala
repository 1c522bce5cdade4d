package io.hudilite.transaction.rollback

import io.hudilite.storage.Storage

/** What a running write leaves beside its data and the timeline: permits for its tasks, markers, heartbeat, owner. */
private[transaction] object Traces {

  /** Removes them, the owner last: until it is gone the next writer comes back to it. */
  def delete(storage: Storage, basePath: String, instant: String): Unit = {
    WritePermit.deleteAll(storage, basePath, instant)
    Markers.delete(storage, basePath, instant)
    Heartbeat.delete(storage, basePath, instant)
    Owner.delete(storage, basePath, instant)
  }
}
