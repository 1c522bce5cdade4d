package io.hudilite.spark.procedure

import io.hudilite.spark.service.advise.Adviser

import org.apache.spark.sql.{Row, SparkSession}
import org.apache.spark.sql.types.{ArrayType, DataType, DoubleType, IntegerType, LongType, StringType}

/** Procedures that say which indexes a table has, and which fit it. They change nothing. */
private[procedure] object IndexProcedures {

  private val Most = 512

  private val files = Parameter.integer("most_files", Most, "greatest number of base files whose footers are read")

  private val advice = Procedure("advise",
    "Says which index, how many buckets and what size of files fit the table, by its footers and commits.",
    Seq(Parameter.Table, Parameter.Path, files, Parameter.Options),
    Seq[(String, DataType)]("index" -> StringType, "buckets" -> IntegerType, "file_bytes" -> LongType,
      "probed_by_key" -> DoubleType, "probed_by_upsert" -> DoubleType, "false_positives" -> DoubleType,
      "files_read" -> IntegerType, "files" -> IntegerType, "why" -> StringType)) { (session, arguments) =>
    adviser(session, arguments) { of =>
      val told = of.advice
      Seq(Row(told.index, told.buckets.map(Int.box).orNull, told.fileBytes, told.probedByKey,
          told.probedByUpsert.map(Double.box).orNull,
          told.falsePositives.map(Double.box).orNull, told.filesRead, told.files, told.why))
    }
  }

  private val indexes = Procedure("show_indexes",
    "Shows the indexes of the table: partitions of its metadata table, bloom filters in footers, and buckets.",
    Seq(Parameter.Table, Parameter.Path, files, Parameter.Options),
    Seq[(String, DataType)]("index_name" -> StringType, "index_type" -> StringType,
      "columns" -> ArrayType(StringType), "place" -> StringType, "files" -> IntegerType, "files_read" -> IntegerType,
      "bytes" -> LongType, "entries" -> LongType, "maintained" -> StringType,
      "commits" -> Procedure.structs("instant" -> StringType, "bytes" -> LongType), "problem" -> StringType)) {
    (session, arguments) =>
      adviser(session, arguments)(_.indexes.map(i =>
          Row(i.name, i.kind, i.columns, i.place, i.files, i.filesRead, i.bytes, i.entries.map(Long.box).orNull,
            i.maintained.orNull, i.commits.map(c => Row(c.instant, c.bytes)), i.problem)))
  }

  val All: Seq[Procedure] = Seq(advice, indexes)

  private def adviser(session: SparkSession, arguments: Arguments)(body: Adviser => Seq[Row]): Seq[Row] = {
    val most = arguments.integer(files.name).getOrElse(Most)
    if (most < 1) throw arguments.invalid(files.name, most.toString, "it must be 1 or more")
    ServiceCall.of(session, arguments).onTable((table, conf) => body(new Adviser(session, table, conf, most)))
  }
}
