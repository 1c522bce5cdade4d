package io.hudilite.spark.basefile.read

import io.hudilite.filegroup.BaseFileFooter

import java.nio.charset.StandardCharsets

/** Record keys that a query asks for, in the string order of footers. */
final case class RecordKeys(sorted: IndexedSeq[String]) {

  /** The keys inside the bounds, both inclusive. */
  def between(min: Option[String], max: Option[String]): IndexedSeq[String] = {
    val from = min.fold(0)(bound => firstFrom(0, sorted.size)(_ >= bound))
    val until = max.fold(sorted.size)(bound => firstFrom(from, sorted.size)(_ > bound))
    sorted.slice(from, until)
  }

  @annotation.tailrec
  private def firstFrom(low: Int, high: Int)(holds: String => Boolean): Int =
    if (low >= high) low
    else {
      val middle = (low + high) >>> 1
      if (holds(sorted(middle))) firstFrom(low, middle)(holds) else firstFrom(middle + 1, high)(holds)
    }
}

object RecordKeys {
  def of(keys: Iterable[String]): RecordKeys = RecordKeys(keys.toArray.distinct.sorted.toVector)
}

/** Whether a base file can hold one of some record keys, and what says that it cannot. */
sealed trait KeyVerdict

object KeyVerdict {
  case object MayHold extends KeyVerdict
  case object OutOfRange extends KeyVerdict
  case object NotInBloom extends KeyVerdict

  /** @param keys
    *   record keys that are asked for
    */
  def of(footer: BaseFileFooter, keys: RecordKeys): KeyVerdict = {
    val inRange = keys.between(footer.minKey, footer.maxKey)
    if (inRange.isEmpty) OutOfRange
    else footer.bloom match {
      case Some(bloom) if !inRange.exists(k => bloom.mightContain(k.getBytes(StandardCharsets.UTF_8))) => NotInBloom
      case _ => MayHold
    }
  }
}

private[spark] object FilePaths {
  def absolute(basePath: String, relativePath: String): String = s"${basePath.stripSuffix("/")}/$relativePath"
}
