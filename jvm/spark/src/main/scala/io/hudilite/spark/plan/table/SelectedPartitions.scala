package io.hudilite.spark.plan.table

import io.hudilite.record.{KeyEncoding, ReservedNames}
import io.hudilite.spark.row.FieldText
import io.hudilite.spark.write.attempt.Replaces
import io.hudilite.spark.write.table.WriteTarget

import org.apache.spark.sql.{Row, SparkSession}
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.logical.{LocalRelation, Project}
import org.apache.spark.sql.hudilite.Datasets
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.types.{BooleanType, DataType, LongType, StringType, TimestampNTZType, TimestampType}

/** The partitions of a table that a condition selects. Their paths tell the values: what was read back from a path counts
  * when it is spelled as that path again, and a partition that may hold rows on both sides of the condition is an error.
  */
private[plan] object SelectedPartitions {

  def of(target: WriteTarget, condition: PartitionCondition, session: SparkSession): Replaces.Partitions = {
    val possible = PartitionFilters.of(target, Seq(condition.condition)).selection
    val paths = target.existing.toSeq.flatMap(_.files.find(possible).filter(_._2.nonEmpty).keys)
    if (condition.columns.isEmpty) Replaces.Partitions(selectedAll(paths, condition))
    else {
      val verdicts = judged(target, condition, paths.flatMap(p => texts(target, p).map(p -> _)), session)
      Replaces.Partitions(paths.filter { path =>
        verdicts.getOrElse(path, Set.empty).toSeq match {
          case Seq(selected) => selected
          case _ => throw condition.source.refusal(
              s"the name of the partition '$path' does not tell whether its rows are within it")
        }
      }.toSet)
    }
  }

  private def selectedAll(paths: Seq[String], condition: PartitionCondition): Set[String] =
    condition.condition match {
      case Literal.TrueLiteral => paths.toSet
      case other => throw condition.source.refusal(s"${other.sql} names no partition column")
    }

  /** The texts that the partition columns may have, null for none; nothing when the path has other levels. */
  private def texts(target: WriteTarget, path: String): Seq[Seq[String]] = {
    val fields = target.shape.keySettings.partitionFields.map(_.name)
    val levels = if (fields.size == 1) Seq(path) else path.split("/", -1).toSeq
    if (levels.size != fields.size) Nil
    else fields.zip(levels).foldLeft(Seq(Seq.empty[String])) { case (found, (field, level)) =>
      for (before <- found; text <- ofLevel(target, field, level)) yield before :+ text
    }
  }

  private def ofLevel(target: WriteTarget, field: String, level: String): Seq[String] = {
    val text = if (target.config.hiveStyle) level.stripPrefix(s"$field=") else level
    if (text == KeyEncoding.DefaultPartition) Seq(null, "", text)
    else Seq(if (target.config.urlEncode) KeyEncoding.unescape(text) else text)
  }

  /** For each path on which sides of the condition its rows can be. Local rows: no job is run. */
  private def judged(target: WriteTarget, condition: PartitionCondition, read: Seq[(String, Seq[String])],
      session: SparkSession): Map[String, Set[Boolean]] = {
    val fields = target.shape.keySettings.partitionFields.map(_.name)
    val path = AttributeReference(ReservedNames.InternalPrefix + "path", StringType)()
    val raw = fields.indices.map(i => AttributeReference(s"${ReservedNames.InternalPrefix}text$i", StringType)())
    val rows = LocalRelation.fromExternalRows(path +: raw, read.map { case (p, values) => Row.fromSeq(p +: values) })
    val values = fields.zip(raw).map { case (name, text) => Alias(typed(text, typeOf(target, name), target), name)() }
    val columns = values.map(_.toAttribute)
    val spelled = target.keys.partitionPath(name => columns.find(c => SQLConf.get.resolver(c.name, name)))
      .getOrElse(throw condition.source.refusal("the partition columns are fields of structs"))
    val within = Coalesce(Seq(condition.over(columns), Literal.FalseLiteral))
    val plan = Project(Seq(path, Alias(within, "within")(), Alias(EqualTo(spelled, path), "certain")()),
      Project(path +: values, rows))
    Datasets.ofRows(session, plan).collect().toSeq.filter(_.getBoolean(2))
      .groupBy(_.getString(0)).map { case (p, found) => p -> found.map(_.getBoolean(1)).toSet }
  }

  private def typeOf(target: WriteTarget, field: String): DataType =
    target.schema.fields.find(f => SQLConf.get.resolver(f.name, field)).map(_.dataType).getOrElse(StringType)

  // A text that is no value of the type is null, which is not spelled as the path was.
  private def typed(text: Expression, to: DataType, target: WriteTarget): Expression = to match {
    case StringType => text
    // A text stands for all times within a millisecond, and for those of two hours when winter time begins.
    case time if FieldText.hasTwoSpellings(time) && !target.shape.keySettings.timesAsNumbers =>
      Literal.create(null, time)
    case TimestampType | TimestampNTZType => fromNumber(text, to)
    case BooleanType => CaseWhen(Seq(
          EqualTo(text, Literal("true")) -> Literal.TrueLiteral,
          EqualTo(text, Literal("false")) -> Literal.FalseLiteral))
    case other => Cast(text, other, Some(SQLConf.get.sessionLocalTimeZone), ansiEnabled = false)
  }

  private def fromNumber(text: Expression, to: DataType): Expression = {
    val time = MicrosToTimestamp(Cast(text, LongType, None, ansiEnabled = false))
    if (to == TimestampType) time else Cast(time, to, Some("UTC"), ansiEnabled = false)
  }
}
