package io.hudilite.spark.service

import io.hudilite.service.doctor.{Doctor, Finding}
import io.hudilite.transaction.TransactionOptions

import java.util.{Map => JMap}

import org.apache.spark.sql.SparkSession

/** What is wrong with the table at a path: what programs call, in Scala, in Java or from Python. Options are those of
  * docs/options.md; raises `TABLE_NOT_FOUND`.
  */
object Doctors {

  /** @param fix
    *   mend what is safe to mend
    */
  def examine(session: SparkSession, path: String, options: JMap[String, String], fix: Boolean): Seq[Finding] =
    Compactions.atPath(session, path, options) { (storage, basePath, conf) =>
      val deletion = new FileDeletion(session, session.sparkContext.longAccumulator)
      new Doctor(storage, basePath, TransactionOptions.of(conf.commit), deletion.delete).run(fix) ++
        MisplacedKeys.findings(session, storage, basePath, conf)
    }
}
