package io.hudilite.metadata.stored

import io.hudilite.metadata.MetadataPartition

/** Counts the records of an index over all rows, each of which newer ones replace as a whole. */
private[stored] final class IndexEntries(metadata: MetadataTable, partition: MetadataPartition) {

  import IndexEntries._

  /** Number of its records, or the reason why that is not known.
    *
    * @param strange
    *   tells of something wrong in some of the keys that its file groups have, by the ids of these in their order: keys of
    *   an index with one more file group, say, whose empty log file is gone, would not be found where they are
    */
  def counted(strange: (Seq[String], Seq[Set[String]]) => Option[String]): Either[String, Long] = {
    val groups = metadata.slices(partition)
    // Of the largest log file without a base file, as a load leaves it, little is read, as of a base file.
    val bytesInLogs = groups.map(g => g.logs.map(_.length).sorted.dropRight(if (g.base.isEmpty) 1 else 0).sum).sum
    val untold = metadata.ahead.map(i => s"it has the ${i.action} ${i.time}, which has not completed in the table")
    if (untold.isDefined) Left(untold.get)
    else if (groups.size > MostGroups) Left(s"it has ${groups.size} file groups")
    else if (bytesInLogs > MostLogBytes) Left(s"its log files have $bytesInLogs bytes and are not compacted")
    else {
      val tallies = metadata.tally(partition)
      strange(groups.map(_.fileId), tallies.map(_.keys)).toLeft(tallies.map(_.records).sum)
    }
  }
}

private object IndexEntries {

  // A request or two for each.
  val MostGroups = 1000

  // Some hundred thousand keys, which are in memory for a moment.
  val MostLogBytes: Long = 8L << 20
}
