package io.hudilite.spark.procedure

import io.hudilite.record.MetaFields
import io.hudilite.table.Table

import java.util.regex.{Pattern, PatternSyntaxException}

import org.apache.spark.sql.AnalysisException
import org.apache.spark.sql.catalyst.expressions.Attribute

/** The only partitions that a service is to look at, by the arguments that name them. */
private[procedure] object NamedPartitions {

  /** Paths of partitions that are in each of the arguments; `None` when none of them was given. */
  def of(call: ServiceCall, arguments: Arguments): Option[Seq[String]] = {
    def present: Seq[String] = call.onTable((table, _) => table.partitions())
    val selections = Seq(arguments.list("selected_partitions"),
      arguments.text("partition_regex_pattern").map(matching(arguments, _, present)),
      arguments.text("predicate").map(passing(call, arguments, _)))
    selections.flatten.reduceOption((some, others) => some.filter(others.toSet))
  }

  private def matching(arguments: Arguments, regex: String, present: Seq[String]): Seq[String] =
    try {
      val pattern = Pattern.compile(regex)
      present.filter(pattern.matcher(_).matches())
    } catch {
      case e: PatternSyntaxException => throw arguments.invalid("partition_regex_pattern", regex, e.getDescription)
    }

  // A query knows the types of the columns, and how their values are spelled in folders.
  private def passing(call: ServiceCall, arguments: Arguments, condition: String): Seq[String] = {
    val config = call.onTable((table: Table, _) => table.config)
    val fields = config.partitionFields
    if (!config.populateMetaFields) throw arguments.invalid("predicate", condition,
      "rows of a table without meta columns do not tell their partition; name partitions or partition_regex_pattern")
    val rows = call.session.read.format("hudilite").load(call.path)
    val filtered =
      try rows.where(condition)
      catch {
        case e: AnalysisException => throw arguments.invalid("predicate", condition, e.getMessage.linesIterator.next())
      }
    val columns = filtered.queryExecution.analyzed.expressions.flatMap(_.references).collect { case a: Attribute =>
      a.name
    }
    columns.find(name => !fields.exists(_.equalsIgnoreCase(name))).foreach(name =>
      throw arguments.invalid("predicate", condition, s"$name is no partition column"))
    filtered.select(MetaFields.PartitionPath).distinct().collect().map(_.getString(0)).toSeq.sorted
  }
}
