package io.hudilite.metadata.stored

import io.hudilite.metadata.{MetadataPayload, MetadataRecord, RecordCodec}
import io.hudilite.metadata.MetadataPayload.Place

import java.util.Arrays

/** Decodes records one after the other. Those of places are alike for all keys that one write has brought to a file group:
  * these are decoded once.
  */
private[stored] final class RepeatedRecords(codec: RecordCodec) {

  import RepeatedRecords._

  private val known = new Array[Known](Slots)

  // hot path
  /** As `RecordCodec.decode`. */
  def decode(key: String, bytes: Array[Byte], offset: Int, length: Int): MetadataRecord =
    if (length > MostBytes) codec.decode(key, bytes, offset, length)
    else {
      val slot = slotOf(bytes, offset, length)
      val last = known(slot)
      if (last != null && Arrays.equals(last.bytes, 0, last.bytes.length, bytes, offset, offset + length))
        MetadataRecord(key, last.payload)
      else {
        val record = codec.decode(key, bytes, offset, length)
        if (record.payload.isInstanceOf[Place])
          known(slot) = new Known(Arrays.copyOfRange(bytes, offset, offset + length), record.payload)
        record
      }
    }
}

private object RepeatedRecords {

  private final class Known(val bytes: Array[Byte], val payload: MetadataPayload)

  private val Slots = 1024
  private val MostBytes = 256

  private def slotOf(bytes: Array[Byte], offset: Int, length: Int): Int = {
    var (hash, at) = (1, offset)
    while (at < offset + length) { // hot path
      hash = 31 * hash + bytes(at)
      at += 1
    }
    (hash ^ hash >>> 15) & (Slots - 1)
  }
}
