package io.hudilite.metadata.stored

import io.hudilite.GoldenFolder
import io.hudilite.TestTables.storage
import io.hudilite.storage.CountingStorage
import io.hudilite.table.Table

import java.io.IOException
import java.net.SocketTimeoutException
import java.nio.channels.ClosedByInterruptException

import munit.FunSuite

/** Bloom filters that tasks read from metadata tables of Apache Hudi's. */
class StoredFiltersSuite extends FunSuite {

  test("a task that is to end does so, and a storage that does not answer leaves the filters to footers") {
    val path = GoldenFolder.table("metadata-table-v9")
    val table = Table.open(storage, path)
    val files = table.allSlices().values.flatten.flatMap(_.base).toSeq
    val of = new MetadataTable(table.store, table.timeline).filters(path)
    def failing(failure: => Exception): Set[String] =
      new StoredFilterReader(new CountingStorage(storage, _ => throw failure), of).each(files)((file, _) =>
        file.name).values.toSet
    intercept[ClosedByInterruptException](failing(new ClosedByInterruptException))
    intercept[IOException](failing(new IOException(new InterruptedException)))
    assertEquals(failing(new SocketTimeoutException("no answer")), Set.empty[String])
    val found = new StoredFilterReader(storage, of).each(files)((file, _) => file.name)
    assertEquals(found.values.toSet, files.map(_.name).toSet)
  }
}
