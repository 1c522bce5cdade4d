package io.hudilite.spark.bucket

import io.hudilite.index.BucketIndex
import io.hudilite.record.KeyEncoding
import io.hudilite.spark.row.KeyText
import io.hudilite.spark.shim.BucketReduction

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.analysis.NoSuchFunctionException
import org.apache.spark.sql.connector.catalog.{FunctionCatalog, Identifier}
import org.apache.spark.sql.connector.catalog.functions.{BoundFunction, ScalarFunction, UnboundFunction}
import org.apache.spark.sql.types.{DataType, IntegerType, StructType}
import org.apache.spark.sql.util.CaseInsensitiveStringMap

/** Functions that say which bucket a row is in, as scans name them (docs/format.md#indexes). Two scans go together where
  * their functions are the same, so that one name stands for one way to hash.
  */
private[spark] object BucketFunctions extends FunctionCatalog {

  // The number of buckets, and how a key is made around the value.
  private val OfKeys = "bucket_(\\d+)\\((.+)\\)".r

  override def name(): String = "hudilite_buckets"

  override def initialize(name: String, options: CaseInsensitiveStringMap): Unit = ()

  override def listFunctions(namespace: Array[String]): Array[Identifier] = Array(Identifier.of(Array.empty, "bucket"))

  override def loadFunction(ident: Identifier): UnboundFunction = ident.name match {
    case "bucket" => new Unbound(ident.name, 2, types => BucketOfValue(types(1)))
    case name @ OfKeys(count, layout) =>
      new Unbound(name, 1, types => BucketOfKey(name, count.toInt, layout, types.head))
    case _ => throw new NoSuchFunctionException(ident)
  }

  private final class Unbound(override val name: String, arguments: Int, bound: Seq[DataType] => BoundFunction)
      extends UnboundFunction {

    override def bind(input: StructType): BoundFunction = {
      val types = input.fields.map(_.dataType).toSeq
      if (types.size == arguments && KeyText.isCertain(types.last)) bound(types)
      else throw new UnsupportedOperationException(s"$name does not take ${input.simpleString}")
    }

    override def description(): String = name
  }
}

private[bucket] sealed abstract class BucketFunction extends ScalarFunction[Integer] {
  override def resultType(): DataType = IntegerType
  override def isResultNullable: Boolean = false
}

/** The bucket of a value that stands for itself in its key: `bucket(count, value)`. */
private[bucket] final case class BucketOfValue(dataType: DataType) extends BucketFunction with BucketReduction {
  override def name(): String = "bucket"
  override def canonicalName(): String = "hudilite.bucket"
  override def inputTypes(): Array[DataType] = Array(IntegerType, dataType)

  override def produceResult(input: InternalRow): Integer =
    BucketIndex.ofValue(KeyText.of(input.get(1, dataType), dataType), input.getInt(0))
}

/** The bucket of a value that is hashed as part of its key.
  *
  * @param layout
  *   the name of the key's one field, or the key with an asterisk in the place of the value
  */
private[bucket] final case class BucketOfKey(name: String, count: Int, layout: String, dataType: DataType)
    extends BucketFunction {

  private val (before, after, field) = layout.indexOf(":*") match {
    case -1 => ("", "", layout)
    case at => (layout.take(at + 1), layout.drop(at + 2), layout.take(at).split(',').last)
  }

  private val index = BucketIndex(count, Seq(field))

  override def canonicalName(): String = s"hudilite.$name"
  override def inputTypes(): Array[DataType] = Array(dataType)

  override def produceResult(input: InternalRow): Integer = {
    val text = KeyText.of(input.get(0, dataType), dataType)
    val value =
      if (text == null) KeyEncoding.NullPlaceholder else if (text.isEmpty) KeyEncoding.EmptyPlaceholder else text
    index.bucketOf(before + value + after)
  }
}
