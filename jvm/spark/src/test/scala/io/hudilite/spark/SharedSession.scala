package io.hudilite.spark

import org.apache.spark.sql.SparkSession

/** One local session for all suites of a JVM. */
object SharedSession {

  private val CompactInline = "spark.datasource.hudilite.hoodie.compact.inline"

  lazy val spark: SparkSession = {
    val session = SparkSession.builder().master("local[2]").appName("hudilite-tests")
      .config("spark.ui.enabled", "false")
      .config("spark.sql.ui.explainMode", "simple") // of each plan a page is written that nobody opens
      .config("spark.sql.shuffle.partitions", "2")
      .config("spark.sql.session.timeZone", "UTC")
      .config("spark.driver.bindAddress", "127.0.0.1")
      .config("spark.driver.host", "127.0.0.1")
      .config(CompactInline, "false") // most suites look at what is in logs
      .getOrCreate()
    session.sparkContext.setLogLevel("ERROR")
    session
  }

  /** Has Spark compile what it generates of a plan, on those Sparks, too, where most tests have it interpreted. */
  val Compiling: (String, String) = "spark.sql.codegen.factoryMode" -> "FALLBACK"

  /** Runs `body` where writes to merge-on-read tables compact them by default. */
  def compacting[T](body: => T): T = {
    spark.conf.unset(CompactInline)
    try body
    finally spark.conf.set(CompactInline, "false")
  }

  /** Runs `body` with these settings of the session, which are what they were again afterwards: to unset those that the
    * session began with would leave Spark's own defaults, such as 200 partitions of each shuffle, to all suites to come.
    */
  def withConf[T](settings: (String, String)*)(body: => T): T = {
    SparkSession.setActiveSession(spark) // suites that work with other sessions leave one of these
    val before = spark.conf.getAll
    settings.foreach { case (key, value) => spark.conf.set(key, value) }
    try body
    finally settings.foreach { case (key, _) =>
        before.get(key).fold(spark.conf.unset(key))(spark.conf.set(key, _))
      }
  }
}
