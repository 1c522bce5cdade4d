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
    """# Internals of Spark and parquet-mr that are used
      |
      |Made from `jvm/core/src/test/scala/io/hudilite/docs/Internals.scala`; `make docs` writes it again.
      |
      |Classes of `org.apache.spark.sql.execution` and `internal`, of Spark's memory and sorters, and of parquet-mr's
      |encoders and pages are made for Spark and parquet-mr themselves: any version may change them. A new version of
      |either is tried against this list. `InternalsSuite` fails when a file names such a class, uses reflection or lies in
      |a package of Spark's without being listed, and when a listed file no longer does.
      |
      |Code that differs between versions has one name in the room `shim`, which has all code in Spark's packages and all
      |reflection on Spark; callers do not know the version. Classes that are equal in all versions are used directly where
      |a wrapper would only rename them: nodes that rules take from Spark and give back, classes that operators and readers
      |extend or fill in hot loops, settings. Names begin behind `org.apache.spark.` or `org.apache.parquet.`. The classes of
      |catalyst, of which plans and expressions are made, are not listed: extensions are written with them, and where a node
      |has changed, `PlanNodes` builds it.
      |""".stripMargin
}
