package io.hudilite.stats

import io.hudilite.filegroup.BaseFile

import java.math.{BigDecimal, BigInteger}
import java.nio.charset.StandardCharsets.UTF_8
import java.nio.file.{Files, Path}
import java.util.UUID

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.{Path => HadoopPath}
import org.apache.parquet.column.ParquetProperties.WriterVersion
import org.apache.parquet.example.data.Group
import org.apache.parquet.example.data.simple.SimpleGroupFactory
import org.apache.parquet.hadoop.example.ExampleParquetWriter
import org.apache.parquet.io.api.Binary
import org.apache.parquet.schema.MessageTypeParser

import scala.util.Random

/** Rows of all types at random, with the values at which statistics go wrong, and Parquet files of them. A row has a value
  * by each of [[RandomRows.columns]], as `ColumnKind.value` takes it, or none.
  */
final class RandomRows(seed: Long) {

  import RandomRows._

  val random = new Random(seed)

  private val folder: Path = Files.createTempDirectory("hudilite-random-rows")

  def basePath: String = folder.toString

  private def one[A](of: A*): A = of(random.nextInt(of.size))

  /** A value near `around`, so that files have ranges of their own. */
  def value(column: FilterColumn, around: Int): Any = {
    val near = (around + random.nextInt(8)).toLong
    column.kind match {
      case ColumnKind.Flags => around % 3 == 0 || (around % 3 == 1 && random.nextBoolean())
      case ColumnKind.Whole =>
        if (rarely && column == Long64) one(Long.MinValue, Long.MaxValue, 0L) else if (rarely) 0L else near
      case ColumnKind.Single => if (rarely) one(-0.0f, 0.0f, Float.NaN, Float.NegativeInfinity) else near.toFloat / 4
      case ColumnKind.Fraction => if (rarely) one(-0.0, 0.0, Double.NaN, Double.PositiveInfinity) else near.toDouble / 4
      case ColumnKind.Texts => if (rarely) one("", "\uff21", "\ud83d\ude00", "b" * 5000, "\u00e9") else s"k$near"
      case ColumnKind.Bytes => Array(near.toByte, (near * 31).toByte)
      case ColumnKind.Days => if (rarely) one(-700000L, -25568L, -25567L) else near
      case ColumnKind.Micros | ColumnKind.LocalMicros =>
        (if (rarely) one(-62135596800000L, -1L, 0L, 253402300799999L) else near * 100000000L) * 1000
      case ColumnKind.Exact(_, scale) => new BigDecimal(BigInteger.valueOf(if (rarely) -near else near), scale)
    }
  }

  private def rarely: Boolean = random.nextInt(40) == 0

  /** Rows with values near a number; nulls are many, few or none. */
  def rows(around: Int, count: Int): Seq[Row] = {
    val nulls = columns.map(_ -> one(0, 0, 20, 90, 100)).toMap
    val blank = rarely
    Seq.fill(count)(columns.flatMap(column =>
        if (random.nextInt(100) < nulls(column) || (blank && column == Text)) None
        else Some(column -> value(column, around))).toMap)
  }

  /** A file of several row groups. */
  def file(rows: Seq[Row]): BaseFile = {
    val path = folder.resolve(s"${UUID.randomUUID()}.parquet")
    val builder = ExampleParquetWriter.builder(new HadoopPath(path.toString)).withConf(new Configuration())
      .withType(schema).withRowGroupSize(one(3000L, 1000000L)).withPageSize(500)
      .withWriterVersion(one(WriterVersion.PARQUET_1_0, WriterVersion.PARQUET_2_0))
      .withMinRowCountForPageSizeCheck(20).withMaxRowCountForPageSizeCheck(20)
    val writer = builder.build()
    try rows.foreach(row => writer.write(group(row)))
    finally writer.close()
    BaseFile("", path.getFileName.toString, path.getFileName.toString, "", "", Files.size(path))
  }
}

object RandomRows {

  type Row = Map[FilterColumn, Any]

  private def column(kind: ColumnKind, path: String*): FilterColumn = FilterColumn(path, kind)

  val Text: FilterColumn = column(ColumnKind.Texts, "s")
  private val Long64 = column(ColumnKind.Whole, "l")
  private val Millis = column(ColumnKind.Micros, "millis")
  private val Fixed = column(ColumnKind.Exact(30, 4), "fixed")

  val columns: Seq[FilterColumn] = Seq(column(ColumnKind.Flags, "b"), column(ColumnKind.Whole, "i"), Long64,
    column(ColumnKind.Single, "f"), column(ColumnKind.Fraction, "d"), Text, column(ColumnKind.Bytes, "raw"),
    column(ColumnKind.Days, "day"), column(ColumnKind.Micros, "at"), Millis, column(ColumnKind.LocalMicros, "local"),
    column(ColumnKind.Exact(9, 2), "small"), column(ColumnKind.Exact(18, 3), "medium"), Fixed,
    column(ColumnKind.Whole, "g", "n"), column(ColumnKind.Texts, "g", "s"))

  val schema = MessageTypeParser.parseMessageType(
    """message m { optional boolean b; optional int32 i; optional int64 l; optional float f; optional double d;
      |optional binary s (UTF8); optional binary raw; optional int32 day (DATE); optional int64 at (TIMESTAMP(MICROS, true));
      |optional int64 millis (TIMESTAMP(MILLIS, true)); optional int64 local (TIMESTAMP(MICROS, false));
      |optional int32 small (DECIMAL(9, 2)); optional int64 medium (DECIMAL(18, 3));
      |optional fixed_len_byte_array(13) fixed (DECIMAL(30, 4));
      |optional group g { optional int32 n; optional binary s (UTF8); } }""".stripMargin)

  private val groups = new SimpleGroupFactory(schema)

  private def group(row: Row): Group = {
    val made = groups.newGroup()
    val inner = if (row.keys.exists(_.path.size == 2)) Some(made.addGroup("g")) else None
    row.foreach { case (column, value) =>
      put(if (column.path.size == 2) inner.get else made, column, column.path.last, value)
    }
    made
  }

  private def put(to: Group, column: FilterColumn, name: String, value: Any): Unit = {
    (column.kind, value) match {
      case (ColumnKind.Flags, v: Boolean) => to.append(name, v)
      case (ColumnKind.Whole, v: Long) => if (column == Long64) to.append(name, v) else to.append(name, v.toInt)
      case (_, v: Float) => to.append(name, v)
      case (_, v: Double) => to.append(name, v)
      case (_, v: String) => to.append(name, v)
      case (_, v: Array[Byte]) => to.append(name, Binary.fromConstantByteArray(v))
      case (ColumnKind.Days, v: Long) => to.append(name, v.toInt)
      case (_, v: Long) => to.append(name, if (column == Millis) v / 1000 else v)
      case (ColumnKind.Exact(precision, _), v: BigDecimal) =>
        val number = v.unscaledValue
        if (precision == 9) to.append(name, number.intValue)
        else if (precision == 18) to.append(name, number.longValue)
        else to.append(name, Binary.fromConstantByteArray(padded(number, 13)))
      case other => throw new IllegalStateException(other.toString)
    }
    ()
  }

  private def padded(number: BigInteger, length: Int): Array[Byte] = {
    val bytes = number.toByteArray
    Array.fill[Byte](length - bytes.length)(if (number.signum < 0) -1 else 0) ++ bytes
  }

  /** Order of two values as Spark has it. */
  def compare(a: Any, b: Any): Int = (a, b) match {
    case (x: Boolean, y: Boolean) => x.compare(y)
    case (x: Long, y: Long) => x.compare(y)
    case (x: Float, y: Float) => compare(x.toDouble, y.toDouble)
    case (x: Double, y: Double) => if (x == y) 0 else java.lang.Double.compare(x, y)
    case (x: String, y: String) => java.util.Arrays.compareUnsigned(x.getBytes(UTF_8), y.getBytes(UTF_8))
    case (x: Array[Byte], y: Array[Byte]) => java.util.Arrays.compareUnsigned(x, y)
    case (x: BigDecimal, y: BigDecimal) => x.compareTo(y)
    case other => throw new IllegalStateException(other.toString)
  }
}
