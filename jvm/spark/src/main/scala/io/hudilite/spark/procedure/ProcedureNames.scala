package io.hudilite.spark.procedure

import io.hudilite.spark.shim.{CallableCatalog, CalledProcedure}

import java.util.Locale

/** hudilite's procedures as those of a catalog. */
trait ProcedureNames extends CallableCatalog {

  override protected def procedure(namespace: Seq[String], name: String): CalledProcedure =
    Procedures.in(namespace, name)

  override protected def procedures(namespace: Seq[String]): Seq[String] =
    if (namespace.map(_.toLowerCase(Locale.ROOT)) == Seq(Procedures.Namespace)) Procedures.All.map(_.name) else Nil
}
