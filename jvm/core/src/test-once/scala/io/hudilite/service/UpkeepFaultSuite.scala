package io.hudilite.service

import io.hudilite.table.MetadataUse
import io.hudilite.config.{IndexesConf, TableType}
import io.hudilite.storage.Storage
import io.hudilite.table.Table
import io.hudilite.timeline.Action
import io.hudilite.transaction.{Fault, TextWrite, TextWrites, TransactionOptions, World}
import io.hudilite.upkeep.KeptMetadata

import munit.FunSuite

/** Each action fails, or is killed, at each of its storage calls, on a table whose metadata table is kept up. Reads by it
  * and by folders are the same at once, and both name the same files once the next writer has cleaned up.
  */
class UpkeepFaultSuite extends FunSuite {

  import Served.Path

  override val munitTimeout = scala.concurrent.duration.Duration(5, "min")

  private type Run = (Table, TransactionOptions) => Unit

  private def kept(world: World): KeptMetadata = new KeptMetadata(world.memory, Path)

  private def isListed(world: World): Boolean = world.table.config.metadataPartitions.nonEmpty

  private def checkReads(world: World, clue: String): Unit = if (isListed(world)) {
    kept(world).named // it can be trusted
    assertEquals(world.rows(world.table.readingMetadata(MetadataUse(isAsked = true))), world.rows(world.table), clue)
  }

  private def tried(origin: World, version: Int, action: Run): Unit = {
    def run(storage: Storage, options: TransactionOptions): Unit = action(Table.open(storage, Path), options)
    for (fault <- Fault.inTurn(origin.copy().calls(run(_, World.Gone)), version)) {
      val world = origin.copy()
      val failure = world.failing(fault)(run(_, if (fault.lasting) World.Gone else World.Next))
      val clue = s"${fault.name}: $failure"
      checkReads(world, clue)
      world.later()
      // A restore that was cut off is ended by another one alone.
      try TextWrites.insert("later").run(world.table, World.Last)
      catch { case _: io.hudilite.error.CommitConflict => run(world.memory, World.Last) }
      checkReads(world, clue)
      // One that has deleted files and not said so.
      if (world.timeline.pending.exists(_.action == Action.Clean)) run(world.memory, World.Last)
      if (isListed(world)) assertEquals(kept(world).named, kept(world).listed, clue)
      TextWrites.insert("last").run(world.table, World.Last.copy(keepsMetadata = Some(true)))
      TextWrites.insert("end").run(world.table, World.Last.copy(keepsMetadata = Some(true)))
      if (isListed(world)) {
        assertEquals(kept(world).named, kept(world).listed, clue)
        assertEquals(kept(world).differences, Nil, clue)
      }
      assert(isListed(world) || version < 8 && world.timeline.pending.nonEmpty, clue)
    }
  }

  private def origin(version: Int, tableType: TableType, prepare: Table => Unit, makes: Boolean = true,
      statistics: Boolean = false): World =
    new World(Path,
      storage => {
        val table = TextWrites.table(storage, Path, version, tableType)
        if (statistics) new KeptMetadata(storage, Path).initialiseAll(groups = 1)
        else if (makes) new KeptMetadata(storage, Path).initialise()
        prepare(table.refresh())
      })

  private val writes: Seq[(TextWrite, TableType)] = Seq(TextWrites.rewrite -> TableType.CopyOnWrite,
    TextWrites.append -> TableType.MergeOnRead, TextWrites.overwrite -> TableType.CopyOnWrite)

  // Those that say more than names, in either version.
  private val withStatistics = Set("a clustering", "a compaction that begins as it is planned",
    "a cleaning after a compaction", "a rollback of log files")

  // Each service of one version: their steps differ in the log files alone.
  for ((service, number) <- Served.all.zipWithIndex) {
    val version = if (number % 2 == 0) 6 else 9
    test(s"version $version: ${service.name} that fails or is killed at any call") {
      val statistics = withStatistics(service.name)
      tried(origin(version, service.tableType, service.prepare, statistics = statistics), version, service.run)
    }
  }

  for (version <- Seq(6, 9)) {

    for ((write, tableType) <- writes)
      test(s"version $version: ${write.name} of $tableType that fails or is killed at any call") {
        tried(origin(version, tableType, _ => (), statistics = write eq TextWrites.append), version, write.run(_, _))
      }

    test(s"version $version: a write that makes the metadata table and fails or is killed at any call") {
      tried(origin(version, TableType.CopyOnWrite, _ => (), makes = false), version,
        (table, options) => TextWrites.rewrite.run(table, options.copy(keepsMetadata = Some(true))))
    }

    test(s"version $version: a write that makes statistics and filters and fails or is killed at any call") {
      val asked = IndexesConf(columnStats = Some(true), bloomFilters = Some(true), bloomGroups = 1, columnGroups = 1)
      tried(origin(version, TableType.CopyOnWrite, _ => ()), version,
        (table, options) => TextWrites.rewrite.run(table, options.copy(indexes = asked)))
    }

    test(s"version $version: a write with services of the metadata table that fails or is killed at any call") {
      val many = origin(version, TableType.CopyOnWrite,
        table =>
          (1 to 13).foreach(_ =>
            TextWrites.rewrite.run(
              table.refresh(), TransactionOptions(metadataDeltas = 100))))
      tried(many, version, (table, options) => TextWrites.rewrite.run(table, options.copy(metadataDeltas = 2)))
    }
  }
}
