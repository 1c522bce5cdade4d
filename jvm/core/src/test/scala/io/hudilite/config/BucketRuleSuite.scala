package io.hudilite.config

import io.hudilite.error.InvalidInput

import munit.FunSuite

class BucketRuleSuite extends FunSuite {

  test("the first expression that is found anywhere in the path of a partition says its number, as in Hudi 1.2") {
    val rule = BucketRule.of(" p,3; a\\d ,5 ;b,7;d.*,4;z,6;[a-z]1,9")
    val counts = Seq("p" -> 3, "p1" -> 3, "xp" -> 3, "a1" -> 5, "a12" -> 5, "b,c" -> 7, "d/e" -> 4, "z" -> 6, "c1" -> 9)
    for ((partition, count) <- counts) assertEquals(rule.countIn(partition), Some(count), partition)
    assertEquals(rule.countIn("B"), None)
    assertEquals(BucketRule.None.countIn("p"), None)
    assert(BucketRule.of("").isEmpty && !rule.isEmpty)
  }

  test("a rule that cannot be read is refused by the option's name") {
    for (text <- Seq("a", "a,0", "a,x", "a,65537", "(,3", "a{1,2},3", ",3", "a,3;b")) {
      val error = intercept[InvalidInput](WriteConf.of(Map(WriteOptions.BucketsInPartitions.name -> text)))
      assertEquals(error.parameters("option"), WriteOptions.BucketsInPartitions.name, text)
    }
    val other = intercept[InvalidInput](WriteConf.of(Map(WriteOptions.BucketRuleType.name -> "prefix")))
    assertEquals(other.parameters("option"), WriteOptions.BucketRuleType.name)
  }

  test("partitions get a number by themselves, whatever their paths hold, and no other does") {
    val paths = Seq("p 1", "a.b", "x,y;z", "d=2026-01-01/h=0", "(|)[$^]{2}*+?\\", "é😀", "")
    val rule = BucketRule.of("a,3").giving(paths, 7)
    for (path <- paths) assertEquals(BucketRule.of(rule.text).countIn(path), Some(7), path)
    assertEquals(Seq("aXb", "p 11", "xp 1", "x", "q").map(rule.countIn), Seq(Some(3), None, None, None, None))
    assertEquals(rule.giving(Seq("a.b"), 5).giving(Seq("a.b"), 9).text.split(';').count(_.contains("a\\.b")), 1)
    assertEquals(rule.giving(Seq("a.b"), 5).countIn("a.b"), Some(5))
    assertEquals(BucketRule.None.giving(Seq("2026-01-01"), 4).text, "^2026-01-01$,4")
  }
}
