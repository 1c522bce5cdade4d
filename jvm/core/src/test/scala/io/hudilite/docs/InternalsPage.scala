package io.hudilite.docs

/** docs/spark-internals.md */
object InternalsPage {

  def page: String = head + Internals.all.map { case (title, found) =>
    s"\n## $title\n\n| what | why | where | tests |\n|---|---|---|---|\n" + found.map(row).mkString
  }.mkString

  private def row(internal: Internal): String =
    Seq(internal.names.map(shown).mkString(", "), internal.why, code(internal.where), code(internal.tests))
      .mkString("| ", " | ", " |\n")

  private def shown(name: String): String =
    if (name == Internals.Reflection || name == Internals.Inside) name else s"`$name`"

  private def code(names: Seq[String]): String = names.map(name => s"`$name`").mkString(", ")

  private val head =
    """# What is used of Spark and parquet-mr beyond their interfaces
      |
      |Made from `jvm/core/src/test/scala/io/hudilite/docs/Internals.scala`; `make docs` writes it again.
      |
      |Classes of `org.apache.spark.sql.execution` and `internal`, of Spark's memory and sorters, and of parquet-mr's
      |encoders and pages are made for Spark and parquet-mr themselves: any version may change them. A new version of
      |either is tried against this list. `InternalsSuite` fails when a file names such a class, uses reflection or lies in
      |a package of Spark's and is not listed here with it, and when one that is listed no longer does.
      |
      |What differs between versions that hudilite runs on has one name in the room `shim`, which has all code in Spark's
      |packages and all reflection on Spark; callers do not know the version. Outside of it stand classes that are the same
      |in all these versions and that a wrapper would only rename: nodes that rules take from Spark and give back, classes
      |that operators and readers extend or fill in hot loops, settings. Names begin behind `org.apache.spark.` or
      |`org.apache.parquet.`; the classes of catalyst, of which plans and expressions are made, are what extensions are
      |written with, and are not listed: where a node has changed, `PlanNodes` builds it.
      |""".stripMargin
}
