package io.hudilite.spark.basefile.read

import io.hudilite.schema.ColumnNames
import io.hudilite.spark.basefile.stored.FileType

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.mapred.JobConf
import org.apache.hadoop.mapreduce.{JobID, TaskAttemptContext, TaskAttemptID, TaskID, TaskType}
import org.apache.hadoop.mapreduce.task.TaskAttemptContextImpl
import org.apache.parquet.filter2.predicate.FilterPredicate
import org.apache.parquet.hadoop.ParquetInputFormat
import org.apache.parquet.schema.MessageType
import org.apache.spark.sql.execution.datasources.parquet.{ParquetReadSupport, ParquetToSparkSchemaConverter}
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.types.StructType

/** Contexts with which Hadoop's kind of readers are opened, for one task.
  *
  * To copy a configuration takes longer than to read the footer of a small file, and a reader looks at it only when it is
  * opened, so there is but one, which says from reader to reader what that is to read.
  *
  * @param conf
  *   as [[SessionConf.parquet]] makes it
  * @param caseSensitive
  *   how columns of a file are found by name
  */
private[spark] final class ReaderContexts(val conf: Configuration, caseSensitive: Boolean) {

  // A task that writes only makes none.
  private lazy val settings = {
    val own = new JobConf(conf) // of another kind the context would make a copy
    own.setBoolean(SQLConf.CASE_SENSITIVE.key, caseSensitive)
    own
  }
  private lazy val context =
    new TaskAttemptContextImpl(settings, new TaskAttemptID(new TaskID(new JobID(), TaskType.MAP, 0), 0))
  private var columnsSet: Option[StructType] = None
  private var filterSet: Option[FilterPredicate] = None

  // The newest first.
  private var planned: List[((MessageType, StructType, ColumnNames), FileColumns)] = Nil

  /** The context for a reader that is opened before the next one is asked for.
    *
    * @param requested
    *   columns to read
    * @param filter
    *   lets row groups and pages be skipped
    */
  def of(requested: StructType, filter: Option[FilterPredicate]): TaskAttemptContext = {
    if (!columnsSet.contains(requested)) {
      settings.set(ParquetReadSupport.SPARK_ROW_REQUESTED_SCHEMA, requested.json)
      columnsSet = Some(requested)
    }
    if (filter != filterSet) {
      settings.unset(ParquetInputFormat.FILTER_PREDICATE)
      filter.foreach(ParquetInputFormat.setFilterPredicate(settings, _))
      filterSet = filter
    }
    context
  }

  /** How columns of a table's rows as they are kept come out of a file: mostly as out of the one before.
    *
    * @param schema
    *   of the file
    * @param wanted
    *   columns of `CarriedSchema.schema`
    * @param names
    *   under which names the columns of the table are in the file
    * @param place
    *   the file, as errors name it
    */
  def columns(schema: MessageType, wanted: StructType, names: ColumnNames, place: => String): FileColumns = {
    val file = (schema, wanted, names)
    val found = planned.collectFirst { case (`file`, columns) => columns }.getOrElse(FileColumns.plan(
        FileType.of(schema, new ParquetToSparkSchemaConverter(SQLConf.get)), wanted, caseSensitive = false, place,
        names))
    planned = ((file, found) :: planned.filter(_._1 != file)).take(ReaderContexts.MostKept)
    found
  }
}

private object ReaderContexts {
  val MostKept = 4
}
