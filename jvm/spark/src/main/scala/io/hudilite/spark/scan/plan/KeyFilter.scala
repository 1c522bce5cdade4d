package io.hudilite.spark.scan.plan

import io.hudilite.config.TableConfig
import io.hudilite.index.BucketIndex
import io.hudilite.record.{KeyEncoding, MetaFields, RecordKeys}
import io.hudilite.spark.basefile.read.ScanFilter

import io.hudilite.spark.basefile.read.ScanFilter._
import io.hudilite.spark.row.{FieldTypes, KeyText}
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
    types.forall(_.exists(KeyText.isCertain))

  /** The one key field, when equality on it names record keys. */
  def singleColumn: Option[Seq[String]] = if (spellsKeys && fields.size == 1) Some(paths.head) else None

  /** The one key field, when record keys are in the order of its values: those are texts, and compared as Spark does it. */
  def textColumn: Option[String] =
    singleColumn.filter(path => path.size == 1 && types.head.contains(StringType)).map(_.head)

  /** Record keys outside of which no row passes the filters; `None` when the filters do not name keys. */
  def keys(filters: Seq[ScanFilter]): Option[RecordKeys] =
    if (!config.populateMetaFields) None
    else {
      val parts = ScanFilter.conjuncts(filters)
      val direct = valuesOf(parts, RecordKeyColumn, mayBeNull = false).map(_.map(_.toString).toSet)
      Seq(direct, fromFields(parts)).flatten.reduceOption((a, b) => a.intersect(b)).filter(_.size <= MaxKeys).map(
        RecordKeys.of)
    }

  private def fromFields(parts: Seq[ScanFilter]): Option[Set[String]] =
    if (!spellsKeys) None else encoded(fields.indices.map(spelled(parts, _, mayBeNull = false)))

  /** Keys in whose buckets all rows that pass the filters lie; `None` when the filters do not fix the hash fields. */
  private[spark] def dealt(filters: Seq[ScanFilter], index: BucketIndex): Option[Seq[String]] =
    keys(filters).map(_.sorted).orElse(hashed(ScanFilter.conjuncts(filters), index))

  /** The one column that filters would have to fix, too, for the buckets to be known. */
  def missingForBuckets(filters: Seq[ScanFilter], index: BucketIndex): Option[Seq[String]] = {
    val parts = ScanFilter.conjuncts(filters)
    deciding(index).filter(spelled(parts, _, mayBeNull = true).isEmpty) match {
      case Seq(one) if spellsKeys && isPlainlyNamed => Some(paths(one))
      case _ => None
    }
  }

  /** How the keys are dealt to buckets, where their spelling is known for sure. */
  private[scan] def hashedKeys(index: BucketIndex): Option[HashedKeys] =
    if (!spellsKeys) None
    else Some(HashedKeys(index, fields, types,
        KeyEncoding.isPrefixed(config.keyGenerator, fields.size, config.version)))

  private def deciding(index: BucketIndex): Seq[Int] = HashedKeys(index, fields, types, None).deciding

  /** A key for each way in which rows that pass the filters can be dealt. */
  private def hashed(parts: Seq[ScanFilter], index: BucketIndex): Option[Seq[String]] =
    if (!spellsKeys || !isPlainlyNamed) None
    else {
      val needed = deciding(index).toSet
      encoded(fields.indices.map(i => if (needed(i)) spelled(parts, i, mayBeNull = true) else AnyValue)).map(_.toSeq)
    }

  private def isPlainlyNamed: Boolean = !fields.exists(_.exists(c => c == ',' || c == ':'))

  /** The spellings of which the field must have one, when the filters say so; of a missing value it is null. */
  private def spelled(parts: Seq[ScanFilter], field: Int, mayBeNull: Boolean): Option[Seq[String]] =
    for (values <- valuesOf(parts, paths(field), mayBeNull); dataType <- types(field))
      yield values.map(KeyText.of(_, dataType))

  /** The keys of all combinations of these values, unless they are too many. */
  private def encoded(values: Seq[Option[Seq[String]]]): Option[Set[String]] =
    if (values.exists(_.isEmpty) || values.flatten.map(_.size.toLong).product > MaxKeys.toLong) None
    else Some(combinations(values.flatten).flatMap(encode).toSet)

  private def encode(values: Seq[String]): Seq[String] =
    if (values.forall(v => v == null || v.isEmpty)) Nil // such a key cannot have been written
    else KeyEncoding.isPrefixed(config.keyGenerator, fields.size, config.version) match {
      case Some(prefixed) => Seq(KeyEncoding.recordKey(fields, values.toArray, prefixed))
      case None => Seq(false, true).map(KeyEncoding.recordKey(fields, values.toArray, _))
    }
}

object KeyFilter {

  /** More keys than this are left to the filters themselves. */
  val MaxKeys: Int = 100000

  private val RecordKeyColumn = Seq(MetaFields.RecordKey)

  /** Stands for the value of a field on which no bucket depends. */
  private val AnyValue: Option[Seq[String]] = Some(Seq("0"))

  /** The values that a column must have one of, when the filters say so. */
  private[plan] def valuesOf(parts: Seq[ScanFilter], column: Seq[String], mayBeNull: Boolean): Option[Seq[Any]] =
    parts.flatMap(valuesOf(_, column, mayBeNull)).sortBy(_.size).headOption

  private def valuesOf(filter: ScanFilter, column: Seq[String], mayBeNull: Boolean): Option[Seq[Any]] = filter match {
    case Comparison(`column`, Equal, value) => Some(Seq(value))
    case OneOf(`column`, values) => Some(values.distinct)
    case IsNull(`column`) if mayBeNull => Some(Seq(null))
    case AllOf(parts) => valuesOf(ScanFilter.conjuncts(parts), column, mayBeNull)
    case AnyOf(parts) =>
      val each = parts.map(valuesOf(_, column, mayBeNull))
      if (each.forall(_.isDefined)) Some(each.flatten.flatten.distinct) else None
    case _ => None
  }

  private def combinations(values: Seq[Seq[String]]): Seq[Seq[String]] =
    values.foldLeft(Seq(Seq.empty[String]))((rows, next) => for (row <- rows; value <- next) yield row :+ value)
}

/** How record keys are made of columns and dealt to buckets: pure.
  *
  * @param fields
  *   record key fields, in the order of the key
  * @param types
  *   of these; `None` = not known
  * @param prefixed
  *   keys have the names of their fields in them; `None` = only rows can tell
  */
private[scan] final case class HashedKeys(index: BucketIndex, fields: Seq[String], types: Seq[Option[DataType]],
    prefixed: Option[Boolean]) {

  private def areCertain: Boolean = fields.nonEmpty && types.forall(_.exists(KeyText.isCertain))

  private def isPlainlyNamed: Boolean = !fields.exists(_.exists(c => c == ',' || c == ':'))

  /** Fields that the bucket of a key depends on. Besides those that are hashed, one that can hold signs which part fields
    * in a key: its values could look like another field.
    */
  def deciding: Seq[Int] =
    fields.indices.filter(i => index.hashFields.contains(fields(i)) || types(i).contains(StringType))

  /** The one column whose value alone decides about the bucket of a row. */
  def column: Option[BucketColumn] = deciding match {
    case Seq(one)
        if areCertain && isPlainlyNamed && !fields(one).contains('.') &&
          index.hashFields == Seq(fields(one)) =>
      prefixed.map { named =>
        val isWhole = !types(one).contains(StringType) && (fields.size > 1 || !named)
        BucketColumn(fields(one), if (isWhole) None else Some(layout(one, named)))
      }
    case _ => None
  }

  private def layout(one: Int, named: Boolean): String =
    if (!named) fields(one)
    else fields.indices.map(i => s"${fields(i)}:${if (i == one) BucketColumn.Value else "0"}").mkString(",")

  /** Columns of these keys beside columns of the others: where each two have equal values in a row, both deal it to buckets
    * of one number. There may be several ways to tell, and none where there is no such promise.
    */
  def alike(others: HashedKeys): Seq[Seq[(String, String)]] = {
    val areEqual = areCertain && fields == others.fields && types == others.types && prefixed.isDefined &&
      prefixed == others.prefixed && index.hashFields.toSet == others.index.hashFields.toSet
    val ofKeys = if (areEqual && !fields.exists(_.contains('.'))) Seq(fields.zip(others.fields)) else Nil
    val ofColumn = for (one <- column.toSeq; other <- others.column if one.layout == other.layout)
      yield Seq(one.name -> other.name)
    if (index.differs || others.index.differs || index.count != others.index.count) Nil else ofKeys ++ ofColumn
  }
}

/** A column whose value alone decides about the bucket of a row.
  *
  * @param layout
  *   how a key is made around the value, where that can change what is hashed: texts can hold the signs between fields, and
  *   a key of one field with its name is hashed with that
  */
private[scan] final case class BucketColumn(name: String, layout: Option[String])

private[scan] object BucketColumn {

  /** Where the value stands in a layout. */
  val Value = "*"
}
