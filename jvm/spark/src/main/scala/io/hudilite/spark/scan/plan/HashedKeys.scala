package io.hudilite.spark.scan.plan

import io.hudilite.index.BucketIndex
import io.hudilite.spark.row.KeyText

import org.apache.spark.sql.types.{DataType, StringType}

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
