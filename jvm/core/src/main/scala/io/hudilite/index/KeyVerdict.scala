package io.hudilite.index

import io.hudilite.record.RecordKeys
import io.hudilite.stats.KeyBounds

import java.nio.charset.StandardCharsets.UTF_8

/** A verdict on a file slice: it can hold some of the record keys that are asked for, or a reason why it cannot. */
sealed trait KeyVerdict

object KeyVerdict {

  /** The slice can hold some keys.
    *
    * @param keys
    *   keys that it can hold; all others are elsewhere
    */
  final case class MayHold(keys: RecordKeys) extends KeyVerdict

  /** The keys lie outside of those of the base file. */
  case object OutOfRange extends KeyVerdict

  /** The bloom filter of the base file lets none of the keys through. */
  case object NotInBloom extends KeyVerdict

  /** The keys belong to other buckets. */
  case object OtherBucket extends KeyVerdict

  /** Those of the keys that a base file with these bounds can hold. */
  def possible(bounds: KeyBounds, keys: RecordKeys): IndexedSeq[String] =
    keys.between(bounds.min, bounds.max).filter(k => bounds.bloom.forall(_.mightContain(k.getBytes(UTF_8))))

  /** A verdict on a base file alone. */
  private[index] def of(bounds: KeyBounds, keys: RecordKeys): KeyVerdict = {
    val inRange = keys.between(bounds.min, bounds.max)
    if (inRange.isEmpty) OutOfRange
    else bounds.bloom match {
      case Some(bloom) if !inRange.exists(k => bloom.mightContain(k.getBytes(UTF_8))) => NotInBloom
      case _ => MayHold(RecordKeys(inRange))
    }
  }
}
