package io.hudilite.spark

import munit.Suite

/** Tests whose queries Spark interprets, as to generate and compile code takes a fifth of their time: of services, logs and
  * names, which are hudilite's own, whichever way Spark comes to the rows. Reads, writes and plans are compiled in others.
  */
trait Interpreted extends Suite {

  private val mode = "spark.sql.codegen.factoryMode"
  private var before: Option[String] = None

  override def beforeAll(): Unit = {
    super.beforeAll()
    before = SharedSession.spark.conf.getOption(mode)
    SharedSession.spark.conf.set(mode, "NO_CODEGEN")
  }

  override def afterAll(): Unit = {
    before.fold(SharedSession.spark.conf.unset(mode))(SharedSession.spark.conf.set(mode, _))
    super.afterAll()
  }
}
