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

/** Contexts with which readers of Hadoop's kind are opened, for one task.
  *
  * A copy of a configuration takes longer than a read of the footer of a small file, and a reader looks at it only when
  * it is opened. So there is only one, which is set anew for each reader.
  *
  * @param conf
  *   configuration as [[SessionConf.parquet]] makes it
  * @param caseSensitive
  *   true when names of a file's columns must match by case
  */
private[spark] final class ReaderContexts(val conf: Configuration, caseSensitive: Boolean) {

  // Lazy, since a task that only writes needs none.
  private lazy val settings = {
    val own = new JobConf(conf) // the context copies a configuration of any other kind
    own.setBoolean(SQLConf.CASE_SENSITIVE.key, caseSensitive)
    own
  }
  private lazy val context =
    new TaskAttemptContextImpl(settings, new TaskAttemptID(new TaskID(new JobID(), TaskType.MAP, 0), 0))
  private var columnsSet: Option[StructType] = None
  private var filterSet: Option[FilterPredicate] = None

  // Answers of `columns`, the newest first.
  private var planned: List[((MessageType, StructType, ColumnNames), FileColumns)] = Nil

  /** Context for a reader that is opened before the next call.
    *
    * @param requested
    *   columns to read
    * @param filter
    *   filter by which row groups and pages are skipped
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

  /** Columns of a table's carried rows as they come out of a file. The answer is kept, since the next file mostly needs
    * an equal one.
    *
    * @param schema
    *   schema of the file
    * @param wanted
    *   columns of `CarriedSchema.schema`
    * @param names
    *   names of the table's columns in the file
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
