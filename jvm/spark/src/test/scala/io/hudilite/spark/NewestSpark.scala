package io.hudilite.spark

import munit.{Tag, TestOptions}

/** Marks what the newest Spark alone runs of tests that are the same for all combinations of some values: every Spark runs
  * so many of them that each value comes, and what the combinations decide is hudilite's own, whichever Spark runs it.
  */
object NewestSpark extends Tag("NewestSpark") {

  def unless(everywhere: Boolean)(test: TestOptions): TestOptions = if (everywhere) test else test.tag(this)
}
