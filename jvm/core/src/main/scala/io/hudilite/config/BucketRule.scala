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

  /** The rule by which these partitions have this number, and all others what they had. */
  def giving(partitions: Seq[String], count: Int): BucketRule = {
    val own = partitions.distinct.sorted.map(BucketRule.exactly)
    val others = BucketRule.texts(text).filterNot(item => own.contains(item.take(item.lastIndexOf(',')).trim))
    BucketRule((own.map(pattern => s"$pattern,$count") ++ others).mkString(";"))
  }
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

  private def texts(text: String): Seq[String] = text.split(';').map(_.trim).filter(_.nonEmpty).toSeq

  /** An expression that is found in this path alone. Commas and semicolons, which part the items of a rule, go by number. */
  private def exactly(path: String): String = path.flatMap {
    case c if c.isLetterOrDigit || c > 127 || "/=_- ".contains(c) => c.toString
    case c if c < ' ' || c == ',' || c == ';' => f"\\x${c.toInt}%02x"
    case c => s"\\$c"
  }.mkString("^", "", "$")

  private def items(text: String): Seq[(Pattern, Int)] =
    texts(text).map { item =>
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
  * @param rule
  *   of a plan that moves some partitions: all that have a number of their own from then on
  * @param consistent
  *   by hash rings, which lie with the table
  */
final case class PlannedBuckets(count: Int, hashFields: Seq[String], rule: BucketRule = BucketRule.None,
    consistent: Boolean = false)

object PlannedBuckets {

  /** Buckets from the options of a read, which name the index and the number as Hudi's readers do. */
  def ofRead(options: Map[String, String]): Option[PlannedBuckets] =
    if (WriteOptions.IndexType(options) != WriteOptions.ByBuckets) None
    else if (WriteOptions.BucketEngine(options) == WriteOptions.ConsistentHashing)
      Some(PlannedBuckets(WriteOptions.Buckets(options), hashed(options), consistent = true))
    else of(options).filter(_.rule.isEmpty)

  /** Buckets from the parameters of a plan, by names of options. */
  def of(params: Map[String, String]): Option[PlannedBuckets] =
    if (!WriteOptions.Buckets.isSet(params)) None
    else Some(PlannedBuckets(WriteOptions.Buckets(params), hashed(params),
        WriteOptions.BucketsInPartitions.get(params).getOrElse(BucketRule.None)))

  private def hashed(options: Map[String, String]): Seq[String] =
    WriteOptions.BucketHashFields.get(options).getOrElse(Nil)
}
