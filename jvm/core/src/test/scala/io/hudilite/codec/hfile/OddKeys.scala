package io.hudilite.codec.hfile

import java.util.Random

/** Record keys as they seldom are: empty, beginning with each other, of letters whose order depends on the encoding. */
object OddKeys {

  private val Letters = Seq("a", "b", "\u0000", "\u007f", "é", "퟿", "\ue000", "～", "\uffff", "😀", "𐀀")

  def of(random: Random): String =
    if (random.nextInt(20) == 0) "x" * (100 + random.nextInt(300)) + random.nextInt(5)
    else Seq.fill(random.nextInt(4))(Letters(random.nextInt(Letters.size))).mkString
}
