package io.hudilite.spark.service.cluster.layout

import io.hudilite.config.service.ClusteringOptions
import io.hudilite.error.{InvalidInput, Listed}
import io.hudilite.record.MetaFields
import io.hudilite.service.cluster.{CurveCuts, Curves}
import io.hudilite.spark.write.job.WriteGroups

import org.apache.spark.sql.{Column, DataFrame}
import org.apache.spark.sql.catalyst.CatalystTypeConverters
import org.apache.spark.sql.catalyst.analysis.UnresolvedAttribute
import org.apache.spark.sql.catalyst.util.QuotingUtils.quoteIdentifier
import org.apache.spark.sql.functions.{col, rand, substring}
import org.apache.spark.sql.hudilite.Datasets
import org.apache.spark.sql.types._

/** Orders of rows, so that files cut from them are skipped by predicates on some columns.
  *
  * `linear` is the order of the columns one after the other: best for the first of them, and soon of no use for the others.
  * `z-order` and `hilbert` are curves through a grid with a dimension for each column, and serve all columns alike. The
  * coordinate of a value is the share of a sample of the rows that is less, not the bits of the value: of values that lie
  * close together the high bits are all the same, of columns of different width those of one would decide alone, and texts
  * with one beginning would all be equal. Files end where large cells of the grid end, see `CurveCuts`.
  *
  * Rows with null come first, those with NaN last.
  */
private[spark] object SortLayout {

  /** Rows of the sample, which the driver holds: some where nothing is cut, and so many for each file that is that the share
    * of a cell in the sample is near enough to its share in the rows.
    */
  private val FewestSampled = 10000
  private val MostSampled = 50000
  private def sampleRows(
      files: Int): Int = (10L * files * files).max(FewestSampled.toLong).min(MostSampled.toLong).toInt

  /** Of texts and bytes only the beginning is sampled. */
  private val SampledBytes = 256

  /** A thousand intervals of a column are as fine as the sample is true. */
  private val CoordinateBits = 10

  private val Seed = 7L

  /** The columns to order these rows by, and where a curve is cut into files. Curves need a pass over the columns named, and
    * none of others, for the sample.
    *
    * Raises `InvalidInput` for a column that is missing or whose values have no order, and for more columns than a curve can
    * serve.
    *
    * @param layout
    *   one of those of `ClusteringOptions`
    * @param columns
    *   at least one; fields of structs with dots between the names
    * @param files
    *   that the rows of a partition make, by its path; none where nothing is cut
    */
  def of(layout: String, columns: Seq[String], rows: DataFrame, files: Map[String, Int]): LaidOut = {
    val found = columns.map(LayoutColumn.find(_, rows)).distinct
    if (layout == ClusteringOptions.Linear || found.size == 1) LaidOut(found.map(_.column), None)
    else curve(layout, found, rows, files)
  }

  private def curve(layout: String, columns: Seq[LayoutColumn], rows: DataFrame, files: Map[String, Int]): LaidOut = {
    val bits = Curves.bitsFor(columns.size, CoordinateBits)
    if (bits == 0) throw InvalidInput.option("sort_by", columns.map(_.parts.mkString(".")).mkString(","),
      s"a curve takes at most ${Curves.MostBits} columns; name fewer")
    val sample = sampled(columns, rows, files)
    val values = columns.zipWithIndex.map { case (column, i) =>
      val inner = CatalystTypeConverters.createToCatalystConverter(column.dataType)
      sample.map(row => inner(row.get(i)))
    }
    val boundaries = columns.zip(values).map { case (column, found) => Boundaries.of(found, column.dataType, bits) }
    val key =
      CurveKey(columns.map(c => UnresolvedAttribute(c.parts)), boundaries, bits, layout == ClusteringOptions.Hilbert)
    val cut = if (files.isEmpty) None else Some(cuts(key, values, sample.map(_.getString(columns.size)), files))
    LaidOut(Seq(Datasets.column(key)), cut)
  }

  private def cuts(key: CurveKey, values: Seq[Seq[Any]], partitions: Seq[String], files: Map[String, Int])
      : FilesAlongCurve = {
    val cells = values.zip(key.boundaries).map { case (found, intervals) => found.map(intervals.of).toArray }
    val numbers = partitions.indices.groupBy(partitions(_)).map { case (partition, rows) =>
      FilesAlongCurve.pathOf(partition) -> rows.map(i => key.number(cells.map(_(i)).toArray)).sorted.toArray
    }
    new FilesAlongCurve(files.map { case (partition, count) =>
        partition -> CurveCuts.starts(numbers.getOrElse(partition, Array.emptyLongArray), count)
      }, files.values.sum)
  }

  // One pass: each task keeps those of its rows that drew the least numbers, and the least of all make the sample.
  private def sampled(columns: Seq[LayoutColumn], rows: DataFrame, files: Map[String, Int])
      : IndexedSeq[org.apache.spark.sql.Row] = {
    val wanted = columns.zipWithIndex.map { case (column, i) =>
      val value = column.dataType match {
        case _: StringType | BinaryType => substring(column.column, 1, SampledBytes)
        case _ => column.column
      }
      value.as(s"c$i")
    }
    val partition = if (files.isEmpty) Nil else Seq(col(MetaFields.PartitionPath))
    rows.select(wanted ++ partition: _*).orderBy(rand(Seed)).limit(sampleRows(files.values.sum)).collect().toIndexedSeq
  }
}

/** An order of rows.
  *
  * @param keys
  *   columns to order them by
  * @param files
  *   where the curve is cut that `keys` is then alone
  */
private[spark] final case class LaidOut(keys: Seq[Column], files: Option[FilesAlongCurve])

/** Deals rows along a curve to tasks, each of which writes one file.
  *
  * @param starts
  *   first numbers of the files of each partition, by its path
  * @param tasks
  *   at least as many as there are files
  */
private[spark] final class FilesAlongCurve(starts: Map[String, Array[Long]], val tasks: Int) extends Serializable {

  private val firsts: Map[String, Int] = {
    val paths = starts.keys.toSeq.sorted
    paths.zip(paths.scanLeft(0)((before, path) => before + starts(path).length)).toMap
  }

  @transient private lazy val values: Array[Int] = WriteGroups.valuesHashedTo(tasks)

  /** A value whose place in Spark's hash partitioning over `tasks` partitions is the task of the row. That of a partition
    * which nothing is known of is the first one; the writer refuses such a row.
    *
    * @param number
    *   of the row on the curve
    * @param key
    *   some number that is the row's own
    */
  def taskValue(partition: String, number: Long, key: Int): Int = {
    val path = FilesAlongCurve.pathOf(partition)
    values(starts.get(path).fold(0)(of => firsts(path) + CurveCuts.fileOf(of, number, key)))
  }
}

private[spark] object FilesAlongCurve {
  def pathOf(partition: String): String = if (partition == null) "" else partition
}

/** A column to order by, or a field in structs. */
private[spark] final case class LayoutColumn(parts: Seq[String], dataType: DataType) {
  def column: Column = col(parts.map(quoteIdentifier).mkString("."))
}

private[spark] object LayoutColumn {

  /** Raises `InvalidInput` when there is no such column or its values have no order. */
  def find(name: String, rows: DataFrame): LayoutColumn = {
    val same: (String, String) => Boolean =
      if (rows.sparkSession.conf.get("spark.sql.caseSensitive").toBoolean) _ == _ else _.equalsIgnoreCase(_)
    val (parts, dataType) = within(rows.schema, name, same).getOrElse(
      throw InvalidInput("MISSING_COLUMN", "column" -> name, "columns" -> Listed.of(rows.schema.fieldNames.toSeq)))
    if (!Boundaries.isKnown(dataType)) throw InvalidInput("UNSUPPORTED_SORT_COLUMN", "column" -> name,
      "type" -> dataType.catalogString)
    LayoutColumn(parts, dataType)
  }

  // A column with a dot in its name goes before a field of a struct.
  private def within(struct: StructType, name: String, same: (String, String) => Boolean)
      : Option[(Seq[String], DataType)] =
    struct.fields.find(_.name == name).orElse(struct.fields.find(f => same(f.name, name)))
      .map(f => (Seq(f.name), f.dataType))
      .orElse(struct.fields.toSeq.flatMap { field =>
        field.dataType match {
          case inner: StructType
              if name.length > field.name.length && name(field.name.length) == '.' &&
                same(field.name, name.take(field.name.length)) =>
            within(inner, name.drop(field.name.length + 1), same).map { case (parts, found) =>
              (field.name +: parts, found)
            }
          case _ => None
        }
      }.headOption)
}
