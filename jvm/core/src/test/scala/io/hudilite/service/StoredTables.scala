package io.hudilite.service

import io.hudilite.config.TableType
import io.hudilite.storage.{MemoryStorage, Storage}
import io.hudilite.table.Table
import io.hudilite.transaction.TextWrites

import munit.FunSuite

/** Tests on a merge-on-read table in memory whose only file group was written twice, with a time of its own. */
trait StoredTables extends FunSuite {

  protected val path = "/t"

  /** The time of the storage, in epoch milliseconds. */
  protected var now = 0L

  /** A test for each of these table versions. */
  protected def versions(all: Int*)(name: String)(body: (Int, MemoryStorage) => Unit): Unit =
    for (version <- all) test(s"version $version: $name") {
      now = 0L
      val storage = new MemoryStorage(() => now)
      TextWrites.table(storage, path, version, TableType.MergeOnRead)
      TextWrites.rewrite.run(table(storage))
      body(version, storage)
    }

  protected def table(storage: Storage): Table = Table.open(storage, path)
}
