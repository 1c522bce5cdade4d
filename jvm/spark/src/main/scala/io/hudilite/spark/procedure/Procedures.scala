package io.hudilite.spark.procedure

import io.hudilite.error.{InvalidInput, UnknownName}
import io.hudilite.spark.shim.{CallableCatalog, CalledParameter, CalledProcedure}

import java.util.Locale

import org.apache.spark.sql.{Row, SparkSession}
import org.apache.spark.sql.types.{StringType, StructType}

/** All procedures, by Hudi's names where Hudi has them. */
object Procedures {

  /** The namespace in which they are called: `CALL hudilite.system.show_commits(...)`. */
  val Namespace = "system"

  private val help = Procedure("help", "Says which procedures there are, and what they take.",
    Seq(Parameter.text("cmd", "name of a procedure; all by default")),
    Seq("procedure", "parameter", "type", "default", "description").map(_ -> StringType))((_, arguments) =>
    arguments.text("cmd").map(named).fold(All)(Seq(_)).flatMap(described))

  /** Sorted by name. */
  lazy val All: Seq[Procedure] =
    (CompactionProcedures.All ++ ClusteringProcedures.All ++ CleaningProcedures.All ++
      UndoProcedures.All ++ StateProcedures.All ++ RunningProcedures.All ++ CommitProcedures.All ++
      HistoryProcedures.All ++ FileProcedures.All ++ MetadataProcedures.All ++ CopyProcedures.All ++
      SyncProcedures.All ++ IndexProcedures.All ++ BootstrapProcedures.All ++ LogProcedures.All ++
      InstantProcedures.All ++ RepairProcedures.All :+ help).sortBy(_.name)

  /** The procedure of a name in any case; raises `UNKNOWN_NAME`. */
  def named(name: String): Procedure = find(name).getOrElse(
    throw unknown(name.toLowerCase(Locale.ROOT), All.map(_.name)))

  def find(name: String): Option[Procedure] = All.find(_.name.equalsIgnoreCase(name))

  /** The one in a namespace of hudilite's catalog, or one that raises `UNKNOWN_NAME` when it is bound: what is raised
    * while it is looked up Spark hides behind an error of its own.
    */
  def in(namespace: Seq[String], name: String): CalledProcedure =
    if (namespace.map(_.toLowerCase(Locale.ROOT)) == Seq(Namespace))
      find(name).getOrElse(Unknown(name, All.map(_.name)))
    else Unknown((namespace :+ name).mkString("."), All.map(p => s"$Namespace.${p.name}"))

  private def described(procedure: Procedure): Seq[Row] = procedure.parameters.map { p =>
    Row(procedure.name, p.name, p.dataType.simpleString, p.default, p.summary)
  }

  /** In the place of a procedure that does not exist: whatever is asked of it raises `UNKNOWN_NAME`. */
  private final case class Unknown(name: String, known: Seq[String]) extends CalledProcedure {
    override def summary: String = throw unknown
    override def called: Seq[CalledParameter] = throw unknown
    override def output: StructType = throw unknown
    override def checkNames(asked: Seq[String]): Unit = throw unknown
    override def refused(argument: String, value: String, reason: String): Throwable = unknown
    override def call(session: SparkSession, values: Seq[Any]): Seq[Row] = throw unknown
    private def unknown = Procedures.unknown(name, known)
  }

  private def unknown(name: String, known: Seq[String]): InvalidInput =
    UnknownName.of("procedure", name, known, Elsewhere.of(name))
}

/** hudilite's procedures as those of a catalog. */
trait ProcedureNames extends CallableCatalog {

  override protected def procedure(namespace: Seq[String], name: String): CalledProcedure =
    Procedures.in(namespace, name)

  override protected def procedures(namespace: Seq[String]): Seq[String] =
    if (namespace.map(_.toLowerCase(Locale.ROOT)) == Seq(Procedures.Namespace)) Procedures.All.map(_.name) else Nil
}
