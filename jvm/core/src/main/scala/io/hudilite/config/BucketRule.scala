package io.hudilite.config

import java.util.regex.{Pattern, PatternSyntaxException}

/** Partitions that have a number of buckets of their own (docs/format.md#indexes): the first expression that is found in
  * the path of a partition says it.
  *
  * @param text
  *   `expression,number;expression,number`; empty where all partitions have as many
  */
final case class BucketRule(text: String) {

  def isEmpty: Boolean = text.isEmpty

  @transient private lazy val items: Seq[(Pattern, Int)] = BucketRule.items(text)

  /** The number of buckets of a partition that the rule is about. */
  def countIn(partition: String): Option[Int] =
    items.collectFirst { case (pattern, count) if pattern.matcher(partition).find() => count }
}

object BucketRule {

  val None: BucketRule = BucketRule("")

  /** The one kind of expression that there is. */
  val Regex = "regex"

  /** Raises `IllegalArgumentException` with the reason when the text is not valid. */
  def of(text: String): BucketRule = {
    items(text)
    BucketRule(text.trim)
  }

  private def items(text: String): Seq[(Pattern, Int)] =
    text.split(';').map(_.trim).filter(_.nonEmpty).toSeq.map { item =>
      item.split(",", -1).map(_.trim) match {
        case Array(pattern, number) if pattern.nonEmpty => compiled(pattern) -> count(number)
        case _ => throw new IllegalArgumentException(
            s"'$item' must be a regular expression without a comma, a comma, and a number of buckets")
      }
    }

  private def compiled(pattern: String): Pattern =
    try Pattern.compile(pattern)
    catch {
      case e: PatternSyntaxException =>
        throw new IllegalArgumentException(s"'$pattern' is no regular expression: ${e.getDescription}")
    }

  private def count(number: String): Int =
    scala.util.Try(number.toInt).toOption.filter(n => n >= 1 && n <= WriteOptions.MostBuckets).getOrElse(
      throw new IllegalArgumentException(s"'$number' must be a number from 1 to ${WriteOptions.MostBuckets}"))
}

/** Buckets to which a planned clustering deals the rows of its table, or in which they lie by the word of a reader.
  *
  * @param hashFields
  *   record key fields that are hashed; none for all
  */
final case class PlannedBuckets(count: Int, hashFields: Seq[String])

object PlannedBuckets {

  /** Buckets from the options of a read, which name the index and the number as Hudi's readers do. */
  def ofRead(options: Map[String, String]): Option[PlannedBuckets] =
    if (WriteOptions.IndexType(options) == WriteOptions.ByBuckets) of(options) else None

  /** Buckets from the parameters of a plan, by names of options. */
  def of(params: Map[String, String]): Option[PlannedBuckets] =
    if (!WriteOptions.Buckets.isSet(params)) None
    else Some(PlannedBuckets(WriteOptions.Buckets(params), WriteOptions.BucketHashFields.get(params).getOrElse(Nil)))
}
