package io.hudilite.spark.catalog

import io.hudilite.config.WriteConf
import io.hudilite.spark.plan.table.{PlannedTable, PreparedWrite}
import io.hudilite.storage.Storage
import io.hudilite.table.Table

import java.util.{Set => JSet}

import org.apache.spark.sql.connector.catalog.{StagedTable, SupportsWrite, TableCapability}
import org.apache.spark.sql.connector.expressions.Transform
import org.apache.spark.sql.connector.write.{LogicalWriteInfo, WriteBuilder}
import org.apache.spark.sql.types.StructType

/** A table that the rows of a query create. It gets its name once they are committed. A failure before that takes the
  * rows back; after a commit with an unknown outcome the files stay.
  */
private[catalog] final class StagedHudiTable(place: HudiliteTable, register: () => Unit)
    extends PlannedTable with SupportsWrite with StagedTable {

  override def name(): String = place.name()
  override def schema(): StructType = place.schema
  override def partitioning(): Array[Transform] = place.partitioning()
  override def capabilities(): JSet[TableCapability] = place.capabilities()
  override def newWriteBuilder(info: LogicalWriteInfo): WriteBuilder = place.newWriteBuilder(info)

  override def basePath: String = place.basePath
  override def storage: Storage = place.storage
  override def table: Option[Table] = place.table
  override def writeConf(added: Map[String, String]*): WriteConf = place.writeConf(added: _*)
  override def dataFrame: Boolean = place.dataFrame
  override def namedPartition: Option[Map[String, String]] = None
  override def prepared: Option[PreparedWrite] = place.prepared
  override def at(table: Table): PlannedTable = place.at(table)
  override def aggregatedFromRows: PlannedTable = this
  override def writing(write: PreparedWrite): PlannedTable = place.writing(write)

  override def commitStagedChanges(): Unit = register()
  override def abortStagedChanges(): Unit = ()
}
