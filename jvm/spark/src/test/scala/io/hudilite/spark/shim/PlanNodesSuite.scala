package io.hudilite.spark.shim

import org.apache.spark.sql.catalyst.analysis.UnresolvedIdentifier
import org.apache.spark.sql.catalyst.plans.logical.{
  AppendData,
  CreateTableAsSelect,
  MergeIntoTable,
  UnresolvedTableSpec
}
import org.apache.spark.sql.catalyst.plans.physical.ClusteredDistribution
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2ScanRelation

import munit.FunSuite

class PlanNodesSuite extends FunSuite {

  /** Parameters behind those that hudilite gives, by type, in the versions that are known: for each of them its neutral
    * value is the default, or what a node means that Spark makes without it.
    */
  private val known: Seq[(Class[_], Int, Set[Seq[String]])] = Seq(
    (classOf[MergeIntoTable], 6, Set(Nil, Seq("boolean"))),
    (classOf[AppendData], 4, Set(Seq("Option", "Option"), Seq("boolean", "Option", "Option"))),
    (classOf[CreateTableAsSelect], 5, Set(Seq("boolean", "boolean"))),
    (classOf[UnresolvedIdentifier], 1, Set(Seq("boolean"))),
    (classOf[UnresolvedTableSpec], 4,
      Set(Seq("Option", "Option", "boolean"), Seq("Option", "Option", "Option", "boolean"),
        Seq("Option", "Option", "Option", "boolean", "Seq"))),
    (classOf[DataSourceV2ScanRelation], 3, Set(Seq("Option", "Option"), Seq("Option", "Option", "Seq", "boolean"))),
    (classOf[ClusteredDistribution], 1, Set(Seq("boolean", "Option"), Seq("boolean", "Option", "boolean"))))

  for ((node, named, rest) <- known)
    test(s"the parameters of ${node.getSimpleName} that get a neutral value are known ones") {
      val parameters = node.getConstructors.maxBy(_.getParameterCount).getParameterTypes.toSeq.map(_.getSimpleName)
      assert(rest(parameters.drop(named)), s"${node.getSimpleName}(${parameters.mkString(", ")})")
    }
}
