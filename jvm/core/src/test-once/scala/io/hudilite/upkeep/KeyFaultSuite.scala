package io.hudilite.upkeep

import io.hudilite.storage.Storage
import io.hudilite.transaction.{Fault, MetadataTablePolicy, TransactionOptions, World}
import io.hudilite.transaction.named.NamedValues

import munit.FunSuite

/** A write of a table with a record index fails, or is killed, at each of its storage calls. The index has the place of each
  * row that readers see and no other, at once and after the next writer.
  */
class KeyFaultSuite extends FunSuite with KeyChecks {

  import KeyedTable.group

  override val munitTimeout = scala.concurrent.duration.Duration(5, "min")

  private val path = "/t"
  private val (p1, p2, q1) = (group("p", 1), group("p", 2), group("q_1", 1))

  private def filled(kind: KindOfIndex)(storage: Storage): Unit = {
    val table = kind.table(storage).create()
    table.write("INSERT", Seq(p1 -> Seq("a", "b"), q1 -> Seq("c")), come(p1, "a", "b") ++ come(q1, "c"))
    ()
  }

  private def check(kind: KindOfIndex, world: World, clue: String): Unit = {
    val table = kind.table(world.memory)
    if (table.kept.partitions.contains("record_index")) assertEquals(table.places, table.expected, clue)
    if (table.kept.partitions.contains("secondary_index_v"))
      assertEquals(table.pairs("v"), table.expectedPairs, clue)
  }

  private def tried(kind: KindOfIndex, prepare: Storage => Unit, kept: Seq[String] = Seq("files", "record_index"))(
      run: KeyedTable => Unit): Unit = {
    def on(storage: Storage, options: TransactionOptions): Unit = run(kind.table(storage, options, deltas = 2))
    val origin = new World(path, prepare)
    for (fault <- Fault.inTurn(origin.copy().calls(on(_, World.Gone)), kind.version)) {
      val world = origin.copy()
      val failure = world.failing(fault)(on(_, if (fault.lasting) World.Gone else World.Next))
      val clue = s"${fault.name}: $failure"
      check(kind, world, clue)
      world.later()
      val last = kind.table(world.memory, World.Last)
      last.write("INSERT", Seq(group("z", 1) -> Seq("z")), come(group("z", 1), "z"))
      check(kind, world, clue)
      last.write("UPSERT", Seq(group("z", 1) -> Seq("y", "z")), come(group("z", 1), "y"))
      check(kind, world, clue)
      assertEquals(last.kept.partitions.sorted, kept, clue)
      assertEquals(last.kept.differences, Nil, clue)
    }
  }

  for (kind <-
      Seq(KindOfIndex(6, isPartitioned = false, tells = true), KindOfIndex(9, isPartitioned = false, tells = false),
        KindOfIndex(9, isPartitioned = true, tells = true))) {

    test(s"${kind.name}: rows that come, move and go") {
      tried(kind, filled(kind))(_.write("UPSERT", Seq(p1 -> Seq("a"), p2 -> Seq("d"), q1 -> Seq("b")),
          leave("p", "b") ++ come(p2, "d") ++ come(q1, "b") ++ leave("q_1", "c")))
    }

    test(s"${kind.name}: rows in the place of others") {
      tried(kind, filled(kind))(_.write("INSERT_OVERWRITE", Seq(p2 -> Seq("a", "n")), come(p2, "a", "n"),
          Map("p" -> Seq(p1.fileId))))
    }

    if (kind.hasValues) test(s"${kind.name}: values that change, move and go") {
      def paired(storage: Storage): Unit = {
        val table = kind.table(storage).create()
        table.write("INSERT", Seq(p1 -> Seq("a=red", "b=blue", "c"), q1 -> Seq("d=red")),
          come(p1, "a", "b", "c") ++ come(q1, "d"))
        NamedValues.create(table.table, "v", "id", table.options, byBuckets = false)
      }
      tried(kind, paired, Seq("files", "record_index", "secondary_index_v")) { table =>
        table.write("UPSERT", Seq(p1 -> Seq("a", "c=red"), p2 -> Seq("e=blue"), q1 -> Seq("b=blue")),
          leave("p", "b") ++ come(p2, "e") ++ come(q1, "b") ++ leave("q_1", "d"))
        assertEquals(table.pairs("v"), Seq("\u0000$a", "blue$b", "blue$e", "red$c"))
      }
    }

    test(s"${kind.name}: an index that is made beside a write") {
      def without(storage: Storage): Unit = {
        filled(kind)(storage)
        MetadataTablePolicy.clear(storage, path, kind.table(storage).table.config)
      }
      tried(kind, without)(_.write("INSERT", Seq(p2 -> Seq("d")), come(p2, "d")))
    }
  }
}

/** A kind of record index, and of writes that keep it up. */
private final case class KindOfIndex(version: Int, isPartitioned: Boolean, tells: Boolean) {

  def table(storage: Storage, options: TransactionOptions = TransactionOptions(), deltas: Int = 10): KeyedTable =
    new KeyedTable(storage, "/t", version, isPartitioned, tells, deltas, options)

  def hasValues: Boolean = version >= 8 && !isPartitioned

  def name: String =
    s"version $version${if (isPartitioned) " by partition" else ""}, keys ${if (tells) "told" else "read"}"
}
