package io.hudilite.spark.scan.plan

import io.hudilite.config.TableConfig
import io.hudilite.record.{KeyEncoding, MetaFields, RecordKeys}
import io.hudilite.spark.basefile.read.ScanFilter

import java.time.LocalDate

import io.hudilite.spark.basefile.read.ScanFilter._
import io.hudilite.spark.row.FieldTypes
import org.apache.spark.sql.types._

/** Finds the record keys that filters ask for: pure.
  *
  * Only equality counts, on the record key column or on every key field, and only on types whose spelling in a key is
  * known for sure; decimals, fractions and times never name keys.
  *
  * @param typesKept
  *   the key fields always had their types, so that all keys are spelled alike
  */
final class KeyFilter(config: TableConfig, schema: StructType, typesKept: Boolean = true) {

  import KeyFilter._

  private val fields: IndexedSeq[String] = config.recordKeyFields.toIndexedSeq
  private val paths: IndexedSeq[List[String]] = fields.map(_.split('.').toList)
  private val types: IndexedSeq[Option[DataType]] = paths.map(FieldTypes.at(schema, _))
  private val spellsKeys = config.populateMetaFields && config.knownKeyGenerator.nonEmpty && fields.nonEmpty &&
    typesKept &&
    types.forall(_.exists(isExact))

  /** The one key field, when equality on it names record keys. */
  def singleColumn: Option[Seq[String]] = if (spellsKeys && fields.size == 1) Some(paths.head) else None

  /** Record keys outside of which no row passes the filters; `None` when the filters do not name keys. */
  def keys(filters: Seq[ScanFilter]): Option[RecordKeys] =
    if (!config.populateMetaFields) None
    else {
      val parts = ScanFilter.conjuncts(filters)
      val direct = valuesOf(parts, RecordKeyColumn).map(_.map(_.toString).toSet)
      Seq(direct, fromFields(parts)).flatten.reduceOption((a, b) => a.intersect(b)).filter(_.size <= MaxKeys).map(
        RecordKeys.of)
    }

  private def fromFields(parts: Seq[ScanFilter]): Option[Set[String]] =
    if (!spellsKeys) None
    else {
      val values = paths.map(valuesOf(parts, _))
      if (values.exists(_.isEmpty) || values.flatten.map(_.size.toLong).product > MaxKeys.toLong) None
      else {
        val spelled = values.flatten.zip(types.flatten).map { case (vs, dataType) => vs.map(spell(_, dataType)) }
        Some(combinations(spelled).flatMap(encode).toSet)
      }
    }

  private def encode(values: Seq[String]): Seq[String] =
    if (values.forall(_.isEmpty)) Nil // such a key cannot have been written
    else KeyEncoding.isPrefixed(config.keyGenerator, fields.size, config.version) match {
      case Some(prefixed) => Seq(KeyEncoding.recordKey(fields, values.toArray, prefixed))
      case None => Seq(false, true).map(KeyEncoding.recordKey(fields, values.toArray, _))
    }
}

object KeyFilter {

  /** More keys than this are left to the filters themselves. */
  val MaxKeys: Int = 100000

  private val RecordKeyColumn = Seq(MetaFields.RecordKey)

  private def isExact(dataType: DataType): Boolean = dataType match {
    case StringType | BooleanType | ByteType | ShortType | IntegerType | LongType | DateType => true
    case _ => false
  }

  private def spell(value: Any, dataType: DataType): String = (value, dataType) match {
    case (days: Int, DateType) => LocalDate.ofEpochDay(days.toLong).toString
    case (other, _) => other.toString
  }

  /** The values that a column must have one of, when the filters say so. */
  private def valuesOf(parts: Seq[ScanFilter], column: Seq[String]): Option[Seq[Any]] =
    parts.flatMap(valuesOf(_, column)).sortBy(_.size).headOption

  private def valuesOf(filter: ScanFilter, column: Seq[String]): Option[Seq[Any]] = filter match {
    case Comparison(`column`, Equal, value) => Some(Seq(value))
    case OneOf(`column`, values) => Some(values.distinct)
    case AllOf(parts) => valuesOf(ScanFilter.conjuncts(parts), column)
    case AnyOf(parts) =>
      val each = parts.map(valuesOf(_, column))
      if (each.forall(_.isDefined)) Some(each.flatten.flatten.distinct) else None
    case _ => None
  }

  private def combinations(values: Seq[Seq[String]]): Seq[Seq[String]] =
    values.foldLeft(Seq(Seq.empty[String]))((rows, next) => for (row <- rows; value <- next) yield row :+ value)
}
