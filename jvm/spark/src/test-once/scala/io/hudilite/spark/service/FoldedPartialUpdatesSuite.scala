package io.hudilite.spark.service

import io.hudilite.filegroup.SliceLogs
import io.hudilite.log.{BlockSelection, LogBlock, LogFiles, OrderingKind, OrderingValue}
import io.hudilite.record.MetaFields
import io.hudilite.service.compact.CompactionKind
import io.hudilite.spark.{Interpreted, SharedSession}
import io.hudilite.spark.procedure.{CompactionRun, ServiceCall}
import io.hudilite.spark.read.LoggedTable
import io.hudilite.spark.read.LoggedTable.{Content, Data, Deletes}
import io.hudilite.spark.row.SchemaConversion
import io.hudilite.storage.HadoopStorage
import io.hudilite.table.Table

import munit.FunSuite
import org.apache.avro.Schema
import org.apache.hadoop.conf.Configuration
import org.apache.spark.sql.types._

import scala.collection.JavaConverters._
import scala.concurrent.duration.{Duration, DurationInt}
import scala.util.Random

/** Log compactions of slices whose records have only some columns, beside twins of the tables that are not folded. */
class FoldedPartialUpdatesSuite extends FunSuite with Interpreted {

  override val munitTimeout: Duration = 10.minutes

  private val spark = SharedSession.spark
  import spark.implicits._

  private val schema = new StructType().add("id", StringType).add("ts", LongType).add("a", StringType)
    .add("b", new StructType().add("x", IntegerType).add("y", StringType)).add("c", DoubleType)
    .add(MetaFields.IsDeleted, BooleanType)
  private val keys = (0 until 12).map(i => f"k$i%02d")
  private val inBase = 8

  private def base = keys.take(inBase).zipWithIndex.map { case (k, i) => (k, 10L, s"old $i", i.toDouble) }
    .toDF("id", "ts", "a", "c").selectExpr("id", "ts", "a", "named_struct('x', 0, 'y', id) b", "c",
      s"false ${MetaFields.IsDeleted}")

  private def avro(columns: Seq[String]): Schema =
    new Schema.Parser().parse(SchemaConversion.toAvro(StructType(columns.map(schema(_))), "logged", withMeta = true))

  private def value(column: String, random: Random): Any = column match {
    case _ if column != "ts" && random.nextInt(5) == 0 => null
    case "ts" => Long.box(random.nextInt(20).toLong)
    case "a" => s"a${random.nextInt(100)}"
    case "b" =>
      val struct = avro(Seq("b")).getField("b").schema.getTypes.asScala.find(_.getType == Schema.Type.RECORD).get
      val record = new org.apache.avro.generic.GenericData.Record(struct)
      record.put("x", random.nextInt(9))
      record.put("y", s"y${random.nextInt(9)}")
      record
    case "c" => Double.box(random.nextInt(1000).toDouble)
    case _ => Boolean.box(random.nextInt(4) == 0)
  }

  /** A block of a write: whole records, some columns of them, or deletes; with positions where the base has all keys. */
  private def block(random: Random, ordered: Boolean): Content = {
    val some = keys.filter(_ => random.nextInt(3) == 0)
    val placed = random.nextBoolean()
    val of = if (placed) some.take(inBase).filter(keys.indexOf(_) < inBase) else some
    val positions = if (placed) Some(of.map(k => keys.indexOf(k).toLong)) else None
    random.nextInt(6) match {
      case 0 => Deletes(
          of.map(_ ->
              (if (ordered && random.nextBoolean())
                 OrderingValue.of(OrderingKind.LongKind, Long.box(random.nextInt(20).toLong))
               else OrderingValue.CommitTime)),
          positions)
      case kind =>
        val columns = schema.fieldNames.toSeq.tail
          .filter(c => kind == 1 || random.nextBoolean() || (ordered && c == "ts"))
        Data(of.map(k => k +: columns.map(value(_, random))), positions, Some(avro("id" +: columns)), kind != 1)
    }
  }

  private def blocks(table: LoggedTable): Seq[LogBlock] = {
    val opened = Table.open(new HadoopStorage(new Configuration()), table.path)
    BlockSelection.select(SliceLogs.blocks(new LogFiles(opened.storage), table.path, table.slice.get),
      opened.blockInstants())
  }

  private def rows(table: LoggedTable, columns: String*): Seq[String] =
    table.read().selectExpr(columns ++ schema.fieldNames: _*).collect().map(_.toString).sorted.toSeq

  private def fold(table: LoggedTable): Int = {
    val call = ServiceCall(spark, table.path, Map("hoodie.log.compaction.blocks.threshold" -> "2"))
    CompactionRun(call, CompactionKind.Log).start().result().size
  }

  for (ordered <- Seq(true, false); hasBase <- Seq(true, false)) {
    val order = if (ordered) "of events" else "of commits"
    test(s"folded, random updates of some columns come to the same rows, in the order $order, base file: $hasBase") {
      var partial = 0
      (1 to 2).foreach { seed =>
        val random = new Random(seed * 4 + (if (ordered) 1 else 0) + (if (hasBase) 2 else 0))
        def open = new LoggedTable(Some(base).filter(_ => hasBase), schema, Some("ts").filter(_ => ordered))
        val (folded, twin) = (open, open)
        def append(content: Content*): Unit = Seq(folded, twin).foreach(_.append(content: _*))
        if (!hasBase) append(Data(keys.take(4).map(k => Seq(k, 10L, "first", null, 1.0, false))))
        for (round <- 1 to 2) {
          (1 to 3).foreach(_ => append(Seq.fill(1 + random.nextInt(2))(block(random, ordered)): _*))
          val before = rows(folded, MetaFields.CommitTime, MetaFields.CommitSeqno)
          assertEquals(fold(folded), 1, s"seed $seed, round $round")
          assertEquals(rows(folded, MetaFields.CommitTime, MetaFields.CommitSeqno), before, s"seed $seed, round $round")
          assertEquals(rows(folded), rows(twin), s"seed $seed, round $round")
          val result = blocks(folded)
          assertEquals(result.map(_.instant).distinct.size, 1)
          partial += result.count(_.isPartial)
        }
        append(block(random, ordered))
        assertEquals(rows(folded), rows(twin), s"seed $seed")
        CompactionRun(ServiceCall(spark, folded.path)).start().result()
        assertEquals(rows(folded), rows(twin), s"seed $seed, compacted")
      }
      assert(partial > 3, s"$partial blocks of some columns")
    }
  }

  test("a fold has one block for each set of columns, and of records that are whole by now") {
    val table = new LoggedTable(Some(base), schema, None)
    def part(columns: String*)(ids: Int*): Data =
      Data(ids.map(i => keys(i) +: columns.map(value(_, new Random(i)))), Some(ids.map(_.toLong)),
        Some(avro("id" +: columns)), isPartial = true)
    table.append(part("ts", "a")(0, 1, 2))
    table.append(part("ts", "c")(1, 2, 3))
    table.append(part("a", "b", MetaFields.IsDeleted)(2, 4))
    val before = rows(table)
    assertEquals(fold(table), 1)
    assertEquals(rows(table), before)
    val written = blocks(table).map(b =>
      b.isPartial ->
        new Schema.Parser().parse(b.schemaJson).getFields.asScala.map(_.name).filterNot(MetaFields.all.contains).toSet)
    assertEquals(written.toSet,
      Set(true -> Set("id", "ts", "a"), true -> Set("id", "ts", "a", "c"),
        true -> Set("id", "ts", "c"), true -> Set("id", "a", "b", MetaFields.IsDeleted),
        false -> schema.fieldNames.toSet))
    assertEquals(written.size, 5)
    assert(blocks(table).forall(_.positionsBase.isDefined))
  }
}
