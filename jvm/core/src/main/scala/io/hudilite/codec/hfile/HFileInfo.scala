package io.hudilite.codec.hfile

import java.nio.charset.StandardCharsets.{US_ASCII, UTF_8}

/** Facts that a writer left beside the records, by name: `PBUF` and a message of pairs in protobuf's encoding. */
private[hfile] object HFileInfo {

  val Magic = "PBUF"
  val PairField = 1
  val NameField = 1
  val ValueField = 2

  def read(block: HFileBlock): Map[String, Array[Byte]] = {
    val magic = new Array[Byte](Magic.length)
    block.content.get(magic)
    if (new String(magic, US_ASCII) != Magic) throw new IllegalArgumentException("the facts of an HFile have no magic")
    ProtoFields.read(ProtoFields.delimited(block.content)).bytes.collect { case (PairField, pair) =>
      val fields = ProtoFields.read(pair)
      new String(fields.bytesOf(NameField), UTF_8) -> fields.bytesOf(ValueField)
    }.toMap
  }
}
