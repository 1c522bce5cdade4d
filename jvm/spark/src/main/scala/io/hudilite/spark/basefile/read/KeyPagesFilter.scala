package io.hudilite.spark.basefile.read

import org.apache.parquet.filter2.predicate.{FilterApi, FilterPredicate}
import org.apache.parquet.io.api.Binary
import org.apache.spark.unsafe.types.UTF8String

/** Filter by which parquet skips row groups and pages whose range of keys holds none of the wanted keys.
  *
  * It is built of parquet's own predicates, because parquet loads the class of any other one with a class loader that
  * does not see jars given to a Spark session.
  */
private[spark] object KeyPagesFilter {

  private val FineRanges = 64
  private val CoarseRanges = 16

  /** The filter for these keys.
    *
    * @param keys
    *   keys in the order of their UTF-8 bytes, at least one; few keys are looked for one by one, many are gathered into
    *   ranges
    * @param fine
    *   true for more ranges, which tell pages apart that few keys fall into; each costs time, since Parquet writes each
    *   predicate out as text, several times
    */
  def apply(column: String, keys: Array[UTF8String], fine: Boolean): FilterPredicate = {
    val most = if (fine) FineRanges else CoarseRanges
    val perRange = (keys.length + most - 1) / most
    val name = FilterApi.binaryColumn(column)
    def binary(key: UTF8String): Binary = Binary.fromConstantByteArray(key.getBytes)
    val ranges = keys.grouped(perRange).map { group =>
      if (group.length == 1) FilterApi.eq(name, binary(group.head))
      else FilterApi.and(FilterApi.gtEq(name, binary(group.head)), FilterApi.ltEq(name, binary(group.last)))
    }.toArray
    anyOf(ranges, 0, ranges.length)
  }

  // The tree is balanced, since parquet walks it by recursion.
  private def anyOf(ranges: Array[FilterPredicate], from: Int, until: Int): FilterPredicate =
    if (until - from == 1) ranges(from)
    else {
      val middle = (from + until) >>> 1
      FilterApi.or(anyOf(ranges, from, middle), anyOf(ranges, middle, until))
    }
}
