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
}
