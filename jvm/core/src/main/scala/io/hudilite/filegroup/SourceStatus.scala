package io.hudilite.filegroup

/** A file outside of the table as its file system lists it. Times are epoch milliseconds, lengths bytes.
  *
  * @param path
  *   absolute, with its scheme
  * @param permission
  *   names of what the owner, the group and others may do, as Hadoop spells them, and if the sticky bit is set
  */
final case class SourceStatus(path: String, length: Long, replication: Int, blockSize: Long, modifiedMs: Long,
    accessedMs: Long, permission: (String, String, String, Boolean), owner: String, group: String)

/** A skeleton and its source.
  *
  * @param sourcePartition
  *   path of the source's folder below that of all sources
  */
final case class MappedSource(partition: String, fileId: String, sourcePartition: String, source: SourceStatus)
