package io.hudilite.transaction

import io.hudilite.TestTables
import io.hudilite.config.{TableConfig, TableDefinition, TableType}
import io.hudilite.storage.Storage
import io.hudilite.table.Table
import io.hudilite.timeline.{Action, WriteStat}

/** Work of a test's write between its begin and its commit, with data files that hold text.
  *
  * @param action
  *   under which it begins
  * @param stage
  *   writes the files
  * @param replaced
  *   file groups that it takes out
  * @param assumption
  *   assumption of the write
  */
final case class TextWrite(
    name: String, action: String, stage: (Table, String) => Seq[WriteStat],
    replaced: Table => Map[String, Seq[String]] = _ => Map.empty, assumption: Assumption = Assumption.Nothing) {

  def begin(table: Table, options: TransactionOptions = TransactionOptions()): Transaction =
    Transaction.begin(table, action, name.toUpperCase, options)

  def commit(table: Table, transaction: Transaction): Unit = {
    transaction.commit(stage(table, transaction.instant), replaced(table), assumption = assumption)
    ()
  }

  /** The whole write; what was begun is rolled back when it fails. */
  def run(table: Table, options: TransactionOptions = TransactionOptions()): Unit = {
    val transaction = begin(table, options)
    try commit(table, transaction)
    finally transaction.rollback()
  }
}

object TextWrites {

  val facts: TableDefinition = TableDefinition("t", Seq("id"), Seq("p"), createSchema = Some(TestTables.schema))

  def facts(version: Int, tableType: TableType): TableConfig =
    TableConfig.create(facts.copy(version = version, tableType = tableType))

  /** A table with the file group `g-0` in the partition `p`. */
  def table(storage: Storage, path: String, version: Int, tableType: TableType): Table = {
    val made = TestTables.create(storage, path, version, tableType)
    insert("g-0").run(made)
    made.refresh()
  }

  /** The table as it is in this storage, whose calls count from here on. */
  def reopened(storage: Storage, path: String): Table = Table.open(storage, path)

  /** New rows into a new file group of `p`. */
  def insert(fileId: String, assumption: Assumption = Assumption.Nothing): TextWrite =
    TextWrite("insert", Action.Commit, (t, instant) => Seq(TestTables.writeFile(t, instant, "p", fileId)),
      assumption = assumption)

  /** Changes of rows of `g-0`, in a new base file. */
  val rewrite: TextWrite = TextWrite("upsert", Action.Commit, (t, instant) => Seq(rewritten(t, instant)),
    assumption = Assumption.KeysAbsent(anywhere = false))

  /** An upsert to a log file. */
  val append: TextWrite = TextWrite("upsert", Action.DeltaCommit,
    (t, instant) => Seq(TestTables.appendLog(t, instant, t.slices(Seq("p"))("p").head)),
    assumption = Assumption.KeysAbsent(anywhere = false))

  /** The row of one key, in the file group that has it, or in a new one when none has. */
  val keyed: TextWrite = TextWrite("keyed", Action.Commit,
    (t, instant) =>
      Seq(t.slices(Seq("p")).getOrElse("p", Nil).find(_.fileId.startsWith("k")) match {
        case Some(slice) =>
          TestTables.writeFile(t, instant, "p", slice.fileId, Some(slice.instant)).copy(numInserts = 0)
        case None => TestTables.writeFile(t, instant, "p", s"k$instant")
      }),
    assumption = Assumption.KeysAbsent(anywhere = false))

  /** New rows in the place of all of `p`. */
  val overwrite: TextWrite = TextWrite("insert_overwrite", Action.ReplaceCommit,
    (t, instant) => Seq(TestTables.writeFile(t, instant, "p", s"over-$instant")), groupsOfPartition,
    Assumption.Replaces(Set("p")))

  def groupsOfPartition(table: Table): Map[String, Seq[String]] = Map("p" -> table.slices(Seq("p"))("p").map(_.fileId))

  private def rewritten(table: Table, instant: String): WriteStat = {
    val before = table.slices(Seq("p"))("p").find(_.fileId == "g-0").get.instant
    TestTables.writeFile(table, instant, "p", "g-0", Some(before)).copy(numInserts = 0, numUpdateWrites = 1)
  }
}
