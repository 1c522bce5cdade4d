package io.hudilite.upkeep

import io.hudilite.filegroup.FileGroupId
import io.hudilite.record.KeyChange
import io.hudilite.table.MetadataUse

import munit.Assertions

/** Changes of keys that tests tell, and a record index that has the place of each row. */
trait KeyChecks extends Assertions {

  protected def come(group: FileGroupId, keys: String*): Seq[KeyChange] =
    keys.map(KeyChange(_, group.partition, Some(group.fileId)))

  protected def leave(partition: String, keys: String*): Seq[KeyChange] = keys.map(KeyChange(_, partition, None))

  protected def assertWhole(table: KeyedTable, after: String)(implicit at: munit.Location): Unit = {
    assertEquals(table.kept.partitions.sorted, Seq("files", "record_index"), after)
    assertEquals(table.places, table.expected, after)
    assertEquals(table.kept.differences, Nil, after)
    val reading = table.table.readingMetadata(MetadataUse(isAsked = true))
    assertEquals(reading.recordIndex.fold(identity, _.entries.fold(identity, _.toString)),
      table.expected.size.toString, after)
  }
}
