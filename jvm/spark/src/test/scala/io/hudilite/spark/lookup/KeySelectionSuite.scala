package io.hudilite.spark.lookup

import munit.FunSuite
import org.apache.spark.sql.execution.vectorized.OnHeapColumnVector
import org.apache.spark.sql.types.StringType
import org.apache.spark.unsafe.types.UTF8String

import scala.util.Random

class KeySelectionSuite extends FunSuite {

  private def text(n: Int): UTF8String = UTF8String.fromString(f"key-$n%05d")

  private def found(selection: KeySelection, file: Seq[UTF8String], batchRows: Int): Seq[Int] =
    file.grouped(batchRows).zipWithIndex.flatMap { case (batch, b) =>
      val column = new OnHeapColumnVector(batch.size, StringType)
      try {
        batch.indices.foreach(i => column.putByteArray(i, batch(i).getBytes))
        val into = new Array[Int](batch.size)
        into.take(selection.select(column, batch.size, into)).map(_ + b * batchRows).toList
      } finally column.close()
    }.toList

  private def expected(file: Seq[UTF8String], wanted: Seq[UTF8String]): Seq[Int] =
    file.indices.filter(i => wanted.contains(file(i)))

  test("rows in the order of the keys are found, repeated ones too, wherever batches end") {
    val file = Seq(1, 3, 3, 3, 5, 8, 8, 9).map(text)
    for {
      wanted <- Seq(Seq(3, 8), Seq(0, 1), Seq(9), Seq(10), Seq(0), Seq(4), Seq(1, 2, 3, 4, 5, 6, 7, 8, 9, 10))
      batchRows <- 1 to 9
    } assertEquals(found(new InOrder(wanted.map(text).toArray), file, batchRows), expected(file, wanted.map(text)),
      s"$wanted in batches of $batchRows")
  }

  test("both ways find the same rows of random files") {
    val random = new Random(7)
    for (_ <- 1 to 200) {
      val file = Seq.fill(random.nextInt(300))(random.nextInt(400)).sorted.map(text)
      val wanted = Seq.fill(1 + random.nextInt(60))(random.nextInt(400)).distinct.sorted.map(text)
      val batchRows = 1 + random.nextInt(100)
      assertEquals(found(new InOrder(wanted.toArray), file, batchRows), expected(file, wanted))
      val shuffled = random.shuffle(file)
      assertEquals(found(new AnyOrder(wanted.toArray), shuffled, batchRows), expected(shuffled, wanted))
    }
  }
}
