package io.hudilite.upkeep

import io.hudilite.metadata.MetadataKeys
import io.hudilite.storage.Storage
import io.hudilite.timeline.WriteStat

/** Does all work on a record index on the driver. */
object DriverKeyJobs extends KeyJobs {

  override def run(sources: Seq[KeySource], shards: KeyShards, storage: Storage): Seq[WriteStat] =
    sources.flatMap(_.changes(storage)).groupBy(c => shards.numberOf(c.key, c.partition)).toSeq.sortBy(_._1).flatMap {
      case (number, changes) => shards.write(storage, number, changes.sortBy(_.key)(MetadataKeys.order).iterator)
    }
}
