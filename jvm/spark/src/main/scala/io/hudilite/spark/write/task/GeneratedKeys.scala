package io.hudilite.spark.write.task

import io.hudilite.spark.basefile.encode.SequenceNumbers

import org.apache.spark.unsafe.types.UTF8String

/** Record keys of new rows in a table that generates them: `<instant>_<task>_<number>`, as Hudi's generator spells them.
  *
  * The writer numbers the rows in the order in which it gets them, so that no two tasks make one key, and no two writes.
  * All that a task writes is taken from one of its attempts: keys of the others are in no file that counts. Numbers begin
  * at one of ten digits, for as texts they are in order then, and so are the keys of a file.
  */
private[write] final class GeneratedKeys(instant: String, task: Int) {

  private val numbers = new SequenceNumbers(instant, task, GeneratedKeys.First)

  /** The next key, valid until the next call. */
  def next(): UTF8String = {
    numbers.next()
    UTF8String.fromBytes(numbers.buffer, 0, numbers.length)
  }
}

private object GeneratedKeys {
  val First = 1000000000L
}
