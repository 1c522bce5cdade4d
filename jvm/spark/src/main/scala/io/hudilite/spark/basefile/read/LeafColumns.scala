package io.hudilite.spark.basefile.read

import io.hudilite.spark.basefile.stored.{FileType, TypeChange}

import org.apache.parquet.schema.LogicalTypeAnnotation._
import org.apache.parquet.schema.PrimitiveType
import org.apache.parquet.schema.PrimitiveType.PrimitiveTypeName._
import org.apache.spark.sql.types._

/** Columns of atomic values, read as a wanted type: pure.
  *
  * The format lets a logical type be stored in more ways than Spark's readers take. They lack decimals of up to 18
  * digits in BINARY, get those of 9 to 15 bytes of fixed length wrong, and not every version has times of day in
  * milliseconds. Such values are requested as they are stored, and converted.
  */
private[read] object LeafColumns {

  import Conversion._

  /** Type to request from Spark's reader, and the conversion to the wanted one; `None` when there is none. */
  def of(leaf: FileType.Leaf, wanted: DataType): Option[(DataType, Conversion)] = leaf.dataType match {
    case own: DecimalType if isStoredOtherwise(leaf, own) =>
      converted(own, wanted).map(next => BinaryType -> Unscaled(own, next))
    case own => converted(own, wanted).map(own -> _).orElse(alike(leaf, wanted))
  }

  private def converted(own: DataType, wanted: DataType): Option[Conversion] =
    if (own == wanted) Some(AsIs)
    else if (FileColumns.isWider(own, wanted)) Some(Widen(own, wanted))
    else if (TypeChange.isAllowed(own, wanted)) Some(Change(own, wanted))
    else None

  private def isStoredOtherwise(leaf: FileType.Leaf, own: DecimalType): Boolean =
    own.precision <= Decimal.MAX_LONG_DIGITS &&
      (leaf.stored.getPrimitiveTypeName match {
        case BINARY => true
        case FIXED_LEN_BYTE_ARRAY => leaf.stored.getTypeLength > java.lang.Long.BYTES
        case _ => false
      })

  /** Request for a value whose bytes are a value of the wanted type, too. */
  private def alike(leaf: FileType.Leaf, wanted: DataType): Option[(DataType, Conversion)] =
    (leaf.stored.getPrimitiveTypeName, leaf.dataType, wanted) match {
      case (INT32, ByteType | ShortType | IntegerType, ByteType | ShortType | IntegerType) => Some(wanted -> AsIs)
      case (INT32, IntegerType, DateType) | (INT32, DateType, IntegerType) => Some(wanted -> AsIs)
      case (INT64, TimestampType | TimestampNTZType, LongType) if isMicros(leaf) => Some(wanted -> AsIs)
      case (INT64, TimestampNTZType, TimestampType) => Some(wanted -> AsIs)
      // Spark 3.5 does not read this by itself, although logs have equal numbers for such times.
      case (INT64, TimestampType, TimestampNTZType) => Some(TimestampType -> Relabel(TimestampType, TimestampNTZType))
      case (BINARY, StringType | BinaryType, StringType | BinaryType) => Some(wanted -> AsIs)
      case _ => None
    }

  /** Request for a time of day as the number that is stored. */
  def timeOfDay(stored: PrimitiveType, wanted: DataType): Option[(DataType, Conversion)] =
    stored.getLogicalTypeAnnotation match {
      case t: TimeLogicalTypeAnnotation => t.getUnit match {
          case TimeUnit.MILLIS => Some(IntegerType -> TimeOfDay(IntegerType, wanted, 1000000L))
          case TimeUnit.MICROS => Some(LongType -> TimeOfDay(LongType, wanted, 1000L))
          case TimeUnit.NANOS => None
        }
      case _ => None
    }

  private def isMicros(leaf: FileType.Leaf): Boolean = leaf.stored.getLogicalTypeAnnotation match {
    case t: TimestampLogicalTypeAnnotation => t.getUnit == TimeUnit.MICROS
    case _ => false
  }
}
