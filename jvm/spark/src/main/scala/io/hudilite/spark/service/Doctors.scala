package io.hudilite.spark.service

import io.hudilite.service.doctor.{Doctor, Finding, FindingKind}
import io.hudilite.table.Table
import io.hudilite.transaction.TransactionOptions

import java.util.{Map => JMap}

import org.apache.spark.sql.SparkSession

/** What is wrong with the table at a path: what programs call, in Scala, in Java or from Python. Options are those of
  * docs/options.md; raises `TABLE_NOT_FOUND`.
  */
object Doctors {

  /** @param fix
    *   mend what is safe to mend
    * @param deep
    *   read all keys, too, as soon as nothing keeps the table from being read
    */
  def examine(session: SparkSession, path: String, options: JMap[String, String], fix: Boolean, deep: Boolean)
      : Seq[Finding] =
    Compactions.atPath(session, path, options) { (storage, basePath, conf) =>
      val deletion = new FileDeletion(session, session.sparkContext.longAccumulator)
      val found = new Doctor(storage, basePath, TransactionOptions.of(conf.commit), deletion.delete).run(fix)
      if (!deep || found.exists(hidesRows)) found
      else found ++ KeyFindings.of(session, Table.open(storage, basePath)) ++
        MisplacedKeys.findings(session, storage, basePath, conf)
    }

  private def hidesRows(finding: Finding): Boolean =
    !finding.isMended && (finding.kind == FindingKind.DamagedProperties || finding.kind == FindingKind.BrokenInstant)
}
