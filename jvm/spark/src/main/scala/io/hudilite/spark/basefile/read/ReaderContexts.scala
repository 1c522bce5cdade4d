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

/** What Hadoop's kind of readers are initialised with, for one task.
  *
  * Most files of a task are read alike, and to copy a configuration takes longer than to read the footer of a small
  * file. The readers do not change it.
  *
  * @param conf
  *   as [[SessionConf.parquet]] makes it
  * @param caseSensitive
  *   how columns of a file are found by name
  */
private[spark] final class ReaderContexts(val conf: Configuration, caseSensitive: Boolean) {

  private type Reading = (StructType, Option[FilterPredicate])

  // The newest first, here and below; files differ in the columns that need not be read.
  private var planned: List[((MessageType, StructType, ColumnNames), FileColumns)] = Nil
  private var recent: List[(Reading, TaskAttemptContext)] = Nil

  /** @param requested
    *   columns to read
    * @param filter
    *   lets row groups and pages be skipped
    */
  def of(requested: StructType, filter: Option[FilterPredicate]): TaskAttemptContext = {
    val reading = (requested, filter)
    val context = recent.collectFirst { case (`reading`, kept) => kept }.getOrElse(create(requested, filter))
    recent = ((reading, context) :: recent.filter(_._1 != reading)).take(ReaderContexts.MostKept)
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

  private def create(requested: StructType, filter: Option[FilterPredicate]): TaskAttemptContext = {
    val own = new JobConf(conf) // of another kind the context would make a copy
    own.setBoolean(SQLConf.CASE_SENSITIVE.key, caseSensitive)
    own.set(ParquetReadSupport.SPARK_ROW_REQUESTED_SCHEMA, requested.json)
    filter.foreach(ParquetInputFormat.setFilterPredicate(own, _))
    new TaskAttemptContextImpl(own, new TaskAttemptID(new TaskID(new JobID(), TaskType.MAP, 0), 0))
  }
}

private object ReaderContexts {
  val MostKept = 4
}
