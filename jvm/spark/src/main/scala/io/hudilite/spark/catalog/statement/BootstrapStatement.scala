package io.hudilite.spark.catalog.statement

import io.hudilite.config.BootstrapOptions
import io.hudilite.error.InvalidInput
import io.hudilite.spark.bootstrap.BootstrapPlan
import io.hudilite.spark.catalog.{HudiliteCatalog, HudiliteTable}
import io.hudilite.spark.shim.Sessions
import io.hudilite.spark.write.attempt.AfterCommit
import io.hudilite.spark.write.table.{NeededColumns, WriteTarget}

import org.apache.spark.sql.{Row, SaveMode, SparkSession}
import org.apache.spark.sql.execution.command.LeafRunnableCommand
import org.apache.spark.sql.types.StructType

/** A bootstrap that leaves the rows of some partitions of its source where they are.
  *
  * @param options
  *   options of the table, and of the write of whole rows
  * @param columns
  *   columns of the source
  * @param whole
  *   folders of the partitions whose rows are copied
  */
private[statement] final case class BootstrapStatement(options: Map[String, String], mode: SaveMode,
    plan: BootstrapPlan,
    columns: StructType, whole: Seq[String], after: AfterCommit) extends LeafRunnableCommand {

  // Arguments in the text of EXPLAIN.
  override protected def stringArgs: Iterator[Any] = Iterator(plan.source)

  override def run(session: SparkSession): Seq[Row] = {
    val place = HudiliteCatalog.table(session, HudiliteCatalog.pathOf(options), options, dataFrame = true)
    place.table.foreach(plan.checkEnded)
    if (mode != SaveMode.Ignore || place.table.isEmpty) make(session, place)
    Nil
  }

  private def make(session: SparkSession, place: HudiliteTable): Unit = {
    val conf = place.writeConf(options)
    val target = WriteTarget.of(place.basePath, place.storage, None, conf, columns, NeededColumns.All,
      () => Sessions.hadoopConf(session))
    after.check(session, target)
    place.table.foreach { table =>
      if (mode == SaveMode.Overwrite && table.timeline.writes.nonEmpty) throw InvalidInput.option(
        BootstrapOptions.Selector.name, BootstrapOptions.Selector(options),
        s"there is a table at ${place.basePath}, whose files would be in the way of rows that stay outside: delete it " +
          s"first, or say ${BootstrapOptions.FullRecord}")
      plan.clear(table, target)
    }
    after(session, plan.run(session, target, whole.size)(copyWhole(session, place.basePath, _)))
  }

  private def copyWhole(session: SparkSession, path: String, token: String): Unit = if (whole.nonEmpty)
    session.read.schema(columns).option("basePath", plan.source).parquet(whole: _*)
      .write.format(WritesRule.Format).options(options.filterNot(_._1.equalsIgnoreCase("path")))
      .option(BootstrapOptions.Copies.name, token).mode(SaveMode.Append).save(path)
}
