package io.hudilite.spark.shim

import java.util.{Collections, Iterator => JIterator}

import org.apache.spark.sql.{SparkSession, SparkSessionExtensions}
import org.apache.spark.sql.catalyst.plans.logical.{Call, LogicalPlan}
import org.apache.spark.sql.catalyst.{CatalystTypeConverters, InternalRow}
import org.apache.spark.sql.connector.catalog.{CatalogPlugin, Identifier, ProcedureCatalog}
import org.apache.spark.sql.connector.catalog.procedures.{BoundProcedure, ProcedureParameter, UnboundProcedure}
import org.apache.spark.sql.connector.read.{LocalScan, Scan}
import org.apache.spark.sql.types.StructType

/** CALL as Spark 4 has it: a catalog is asked for procedures. */
object Calls {
  def inject(extensions: SparkSessionExtensions, catalog: String, find: (Seq[String], String) => CalledProcedure)
      : Unit = {
    val _ = (extensions, catalog, find)
  }

  /** True when a catalog has procedures that CALL finds by names without a catalog. */
  def servedBy(catalog: CatalogPlugin): Boolean = catalog.isInstanceOf[ProcedureCatalog]

  /** True for a call as Spark parses it, of a procedure that is not looked up yet. */
  def isCall(plan: LogicalPlan): Boolean = plan.isInstanceOf[Call]
}

/** Interface of a catalog of procedures on this Spark. */
trait CallableCatalog extends ProcedureCatalog {

  protected def procedure(namespace: Seq[String], name: String): CalledProcedure

  protected def procedures(namespace: Seq[String]): Seq[String]

  override def loadProcedure(ident: Identifier): UnboundProcedure =
    new SparkProcedure(procedure(ident.namespace().toSeq, ident.name()))

  // Abstract since Spark 4.1, and unknown to 4.0.
  def listProcedures(namespace: Array[String]): Array[Identifier] =
    procedures(namespace.toSeq).map(Identifier.of(namespace, _)).toArray
}

/** @param asked
  *   the names of a call's arguments: Spark 4.0 tells those of other letters, large or small, apart from a parameter
  */
private final class SparkProcedure(of: CalledProcedure, asked: Seq[String] = Nil)
    extends UnboundProcedure with BoundProcedure {

  override def name(): String = of.name

  override def description(): String = of.summary

  override def bind(inputType: StructType): BoundProcedure = {
    val names =
      inputType.fields.toSeq.filter(_.metadata.contains(ProcedureParameter.BY_NAME_METADATA_KEY)).map(_.name)
    of.checkNames(names)
    new SparkProcedure(of, names)
  }

  override def parameters(): Array[ProcedureParameter] = of.called.map(p =>
    ProcedureParameter.in(asked.find(_.equalsIgnoreCase(p.name)).getOrElse(p.name), p.dataType).defaultValue(
      p.default).comment(p.summary).build()).toArray

  override def isDeterministic: Boolean = false

  override def call(input: InternalRow): JIterator[Scan] = {
    val values = of.called.zipWithIndex.map { case (p, at) =>
      CatalystTypeConverters.convertToScala(input.get(at, p.dataType), p.dataType)
    }
    val converter = CatalystTypeConverters.createToCatalystConverter(of.output)
    val answer = of.call(SparkSession.active, values).map(converter(_).asInstanceOf[InternalRow]).toArray
    Collections.singleton[Scan](new Answer(of.output, answer)).iterator()
  }
}

private final class Answer(columns: StructType, answer: Array[InternalRow]) extends LocalScan {
  override def readSchema(): StructType = columns
  override def rows(): Array[InternalRow] = answer
}
