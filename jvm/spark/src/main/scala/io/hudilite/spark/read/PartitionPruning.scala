package io.hudilite.spark.read

import io.hudilite.config.{KeyGeneratorType, TableConfig, TableKeys}
import io.hudilite.record.KeyEncoding
import io.hudilite.storage.TablePath
import io.hudilite.spark.basefile.read.ScanFilter

import java.time.LocalDate
import java.time.format.DateTimeParseException

import io.hudilite.spark.basefile.read.ScanFilter._
import org.apache.spark.sql.types._
import org.apache.spark.unsafe.types.UTF8String

/** Decides from partition paths which partitions can hold rows that pass a filter: pure.
  *
  * A path holds the spelling of the values, so only columns whose spelling can be read back prune; every other column
  * may have any value. Times are formatted by the table's own rule and never prune.
  *
  * @param typesKept
  *   the partition columns always had their types, so that all paths are spelled alike
  */
final class PartitionPruning(config: TableConfig, schema: StructType, typesKept: Boolean = true) {

  import PartitionPruning._

  private val columns: IndexedSeq[PartitionColumn] = config.partitionItems.map { item =>
    val name = item.takeWhile(_ != ':')
    val path = name.split('.').toList
    PartitionColumn(name, path, if (isFormatted(item) || !typesKept) None else ScanFilter.typeAt(schema, path))
  }.toIndexedSeq

  // Below version 8 Hudi keeps no types of a custom key generator in the table.
  private def isFormatted(item: String): Boolean = config.knownKeyGenerator match {
    case _ if config.properties.get(TableKeys.SlashSeparatedDates).exists(_.equalsIgnoreCase("true")) => true
    case None | Some(KeyGeneratorType.Timestamp) => true
    case Some(KeyGeneratorType.Custom) => !item.toUpperCase.endsWith(":SIMPLE")
    case _ => false
  }

  /** Columns on which filters can prune, as paths of names. */
  val columnPaths: Set[Seq[String]] = columns.filter(_.dataType.exists(isReadable)).map(_.path: Seq[String]).toSet

  /** Whether the partition can hold a row for which every filter is true. */
  def mayHold(partition: String, filters: Seq[ScanFilter]): Boolean = {
    val relevant = ScanFilter.conjuncts(filters).filter(_.columns.exists(columnPaths))
    if (relevant.isEmpty) true
    else {
      val values = valuesOf(partition)
      relevant.forall(filter => (outcomes(filter, values) & True) != 0)
    }
  }

  /** The values that each partition column may have in this partition; a column that is absent may have any. */
  private def valuesOf(partition: String): Map[Seq[String], Seq[Any]] = {
    val levels = if (columns.size == 1) Array(partition) else partition.split("/", -1)
    if (columns.isEmpty || levels.length != columns.size) Map.empty
    else columns.zip(levels).flatMap { case (column, level) =>
      column.dataType.flatMap(t => levelText(column.name, level).flatMap(read(_, t))).map(
        (column.path: Seq[String]) -> _)
    }.toMap
  }

  private def levelText(field: String, level: String): Option[String] = {
    val prefix = s"$field="
    val text =
      if (!config.hiveStyle) Some(level) else if (level.startsWith(prefix)) Some(level.drop(prefix.length)) else None
    text.map(t => if (config.urlEncode) KeyEncoding.unescape(t) else t)
  }
}

private final case class PartitionColumn(name: String, path: List[String], dataType: Option[DataType])

object PartitionPruning {

  // What a filter can come to over the possible values: a set of these as bits.
  private val True = 1
  private val False = 2
  private val Null = 4
  private val Any3 = True | False | Null

  // The default partition of Hudi before 0.12, or a value like any other.
  private val OldDefaultPartition = "default"

  private def isReadable(dataType: DataType): Boolean = dataType match {
    case StringType | BooleanType | ByteType | ShortType | IntegerType | LongType | DateType => true
    case _ => false
  }

  /** The values whose spelling is `text`; `null` is one of those behind the default partition. */
  private def read(text: String, dataType: DataType): Option[Seq[Any]] =
    if (text == KeyEncoding.DefaultPartition)
      Some(if (dataType == StringType) Seq(null, UTF8String.EMPTY_UTF8, UTF8String.fromString(text)) else Seq(null))
    else if (text == OldDefaultPartition) None
    else try Some(Seq(value(text, dataType)))
    catch { case _: IllegalArgumentException | _: DateTimeParseException => None }

  private def value(text: String, dataType: DataType): Any = dataType match {
    case StringType => UTF8String.fromString(text)
    case ByteType => text.toByte
    case ShortType => text.toShort
    case IntegerType => text.toInt
    case LongType => text.toLong
    case DateType => LocalDate.parse(text).toEpochDay.toInt
    case BooleanType => text.toBoolean
    case other => throw new IllegalArgumentException(s"a $other cannot be read back")
  }

  private def outcomes(filter: ScanFilter, values: Map[Seq[String], Seq[Any]]): Int = filter match {
    case Comparison(column, Equal, wanted) => over(values.get(column))(equal(_, wanted))
    case Comparison(column, operator, wanted) =>
      over(values.get(column))(v => outcome(holds(compare(v, wanted), operator)))
    case OneOf(column, wanted) => over(values.get(column))(v => wanted.map(equal(v, _)).foldLeft(False)(either))
    case StartsWith(column, prefix) => over(values.get(column)) {
        case text: UTF8String => outcome(text.startsWith(prefix))
        case _ => True
      }
    case IsNull(column) => values.get(column).fold(True | False)(possible =>
        possible.map(v => if (v == null) True else False).reduce(_ | _))
    case AllOf(parts) => parts.map(outcomes(_, values)).reduce(combine(and))
    case AnyOf(parts) => parts.map(outcomes(_, values)).reduce(combine(or))
    case Negation(part) =>
      val inner = outcomes(part, values)
      (if ((inner & True) != 0) False else 0) | (if ((inner & False) != 0) True else 0) | (inner & Null)
  }

  private def over(possible: Option[Seq[Any]])(test: Any => Int): Int = possible match {
    case Some(values) => values.map(v => if (v == null) Null else test(v)).reduce(_ | _)
    case None => Any3
  }

  private def outcome(holds: Boolean): Int = if (holds) True else False

  /** Values that are spelled with other slashes lie in one folder, as `/a` and `a` do in tables of Hudi's. */
  private def equal(value: Any, wanted: Any): Int = (value, wanted) match {
    case (folder: UTF8String, text: UTF8String) if folder != text && isSpellingOf(text.toString, folder.toString) =>
      True | False
    case _ => outcome(compare(value, wanted) == 0)
  }

  private def isSpellingOf(text: String, folder: String): Boolean = !TablePath.isNormal(text) &&
    (try TablePath.relative(text) == folder
    catch { case _: IllegalArgumentException => false })

  private def either(a: Int, b: Int): Int =
    if (((a | b) & True) == 0) False else if (a == True || b == True) True else a | b

  private def holds(order: Int, operator: Operator): Boolean = operator match {
    case Equal => order == 0
    case Less => order < 0
    case LessOrEqual => order <= 0
    case Greater => order > 0
    case GreaterOrEqual => order >= 0
  }

  private def compare(value: Any, wanted: Any): Int = (value, wanted) match {
    case (a: UTF8String, b: UTF8String) => a.compareTo(b)
    case (a: Boolean, b: Boolean) => java.lang.Boolean.compare(a, b)
    case (a: Number, b: Number) => java.lang.Long.compare(a.longValue, b.longValue)
    case (a, b) => throw new IllegalStateException(s"partition value $a is compared with $b")
  }

  private def combine(operation: (Int, Int) => Int)(left: Int, right: Int): Int =
    (for {
      a <- Seq(True, False, Null) if (left & a) != 0
      b <- Seq(True, False, Null) if (right & b) != 0
    } yield operation(a, b)).reduce(_ | _)

  private def and(a: Int, b: Int): Int =
    if (a == False || b == False) False else if (a == Null || b == Null) Null else True

  private def or(a: Int, b: Int): Int =
    if (a == True || b == True) True else if (a == Null || b == Null) Null else False
}
