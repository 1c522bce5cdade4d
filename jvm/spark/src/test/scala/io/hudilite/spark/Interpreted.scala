package io.hudilite.spark

import munit.Suite

/** Tests whose queries Spark interprets, as to generate and compile code takes up to half of their time: of services,
  * logs, names, catalogs, damage and of what writes leave in files. All that is hudilite's own, whichever way Spark
  * comes to the rows. Plans, readers, lookups and encoders are compiled in others, and so are random lives.
  */
trait Interpreted extends FactoryMode {

  override protected def mode: (String, String) = Interpreted.Setting
}

object Interpreted {

  /** Of a session that interprets. */
  val Setting: (String, String) = "spark.sql.codegen.factoryMode" -> "NO_CODEGEN"
}

/** Tests of so many rows that to interpret them takes longer than to compile, on those Sparks, too, where most have
  * Spark interpret.
  */
trait Compiled extends FactoryMode {

  override protected def mode: (String, String) = SharedSession.Compiling
}

/** A suite that says how Spark comes from plans to rows. */
trait FactoryMode extends Suite {

  private var before: Option[String] = None

  protected def mode: (String, String)

  override def beforeAll(): Unit = {
    super.beforeAll()
    before = SharedSession.spark.conf.getOption(mode._1)
    SharedSession.spark.conf.set(mode._1, mode._2)
  }

  override def afterAll(): Unit = {
    before.fold(SharedSession.spark.conf.unset(mode._1))(SharedSession.spark.conf.set(mode._1, _))
    super.afterAll()
  }
}
