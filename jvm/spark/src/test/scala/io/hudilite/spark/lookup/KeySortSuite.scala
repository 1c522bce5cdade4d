package io.hudilite.spark.lookup

import munit.FunSuite
import org.apache.spark.unsafe.types.UTF8String

import scala.util.Random

class KeySortSuite extends FunSuite {

  private def check(name: String)(text: Int => String): Unit = test(s"$name are sorted by their bytes") {
    for (count <- Seq(0, 1, 2, 63, 64, 65, 1000, 20000)) {
      val keys = new Random(7).shuffle((0 until count).toVector).map(i => UTF8String.fromString(text(i))).toArray
      val sorted = keys.clone()
      KeySort.sort(sorted)
      assertEquals(sorted.toSeq, keys.sortWith((a, b) => a.compareTo(b) < 0).toSeq, s"$count")
    }
  }

  check("numbers of one length")(i => f"order-$i%020d")
  check("numbers")(_.toString)
  check("keys that come twice")(i => s"key${i / 2}")
  check("equal keys")(_ => "same")
  check("keys of which some are the begin of others")(i => "a" * (i % 50) + "\u0000" * (i % 3))
  check("letters with and without a sign bit")(i => Seq("", "z", "é", "漢", "😀")(i % 5) + (i * 31) % 977)
}
