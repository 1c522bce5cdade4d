package io.hudilite.stats

import io.hudilite.record.RecordKeys

import java.nio.charset.StandardCharsets.UTF_8

/** A judgement if a base file can hold one of some record keys, and what says that it cannot. */
sealed trait KeyVerdict

object KeyVerdict {
  case object MayHold extends KeyVerdict
  case object OutOfRange extends KeyVerdict
  case object NotInBloom extends KeyVerdict

  /** @param keys
    *   record keys that are asked for
    */
  def of(bounds: KeyBounds, keys: RecordKeys): KeyVerdict = {
    val inRange = keys.between(bounds.min, bounds.max)
    if (inRange.isEmpty) OutOfRange
    else bounds.bloom match {
      case Some(bloom) if !inRange.exists(k => bloom.mightContain(k.getBytes(UTF_8))) => NotInBloom
      case _ => MayHold
    }
  }
}
