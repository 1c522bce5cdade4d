package io.hudilite.codec.hfile

import java.nio.charset.StandardCharsets.{US_ASCII, UTF_8}

/** Facts that a writer left beside the records, by name: `PBUF` and a message of pairs in protobuf's encoding. */
private[hfile] object HFileInfo {

  private val Magic = "PBUF"
  private val PairField = 1
  private val NameField = 1
  private val ValueField = 2

  def read(block: HFileBlock): Map[String, Array[Byte]] = {
    val magic = new Array[Byte](Magic.length)
    block.content.get(magic)
    if (new String(magic, US_ASCII) != Magic) throw new IllegalArgumentException("the facts of an HFile have no magic")
    ProtoFields.read(ProtoFields.delimited(block.content)).bytes.collect { case (PairField, pair) =>
      val fields = ProtoFields.read(pair)
      new String(fields.bytesOf(NameField), UTF_8) -> fields.bytesOf(ValueField)
    }.toMap
  }

  /** The content of the block. */
  def bytes(facts: Seq[(String, Array[Byte])]): Array[Byte] = {
    // Hudi's writer keeps them in a map of this kind, whose order becomes that of the file.
    val ordered = new java.util.HashMap[String, Array[Byte]]()
    facts.foreach { case (name, value) => ordered.put(name, value) }
    val message = new ProtoMessage
    ordered.forEach((name, value) => {
      message.bytes(PairField, new ProtoMessage().text(NameField, name).bytes(ValueField, value).result)
      ()
    })
    Magic.getBytes(US_ASCII) ++ message.delimited
  }
}
