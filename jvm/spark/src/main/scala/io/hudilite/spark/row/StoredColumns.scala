package io.hudilite.spark.row

import io.hudilite.error.{CorruptTable, UnsupportedTable}
import io.hudilite.record.{FolderValues, KeyEncoding}

import org.apache.spark.sql.catalyst.expressions.{Expression, UnaryExpression}
import org.apache.spark.sql.catalyst.expressions.codegen.CodegenFallback
import org.apache.spark.sql.hudilite.LastAttempts
import org.apache.spark.sql.types._
import org.apache.spark.unsafe.types.UTF8String

/** Columns of tables whose files leave the partition columns out. These come last, so that a row begins with what files
  * hold of it.
  */
private[spark] object StoredColumns {

  /** The columns of a table that is written, in its order. Raises `UNSUPPORTED_COLUMN_TYPE` where no path could tell a
    * value.
    */
  def ordered(schema: StructType, dropped: Seq[String]): StructType = {
    val (told, stored) = schema.fields.toSeq.partition(f => dropped.contains(f.name))
    told.find(f => !PathText.tells(f.dataType)).foreach(f => throw FieldText.notTold(f.name, f.dataType))
    if (told.isEmpty) schema else StructType(stored ++ told.sortBy(f => dropped.indexOf(f.name)))
  }

  /** Those that files hold. */
  def of(schema: StructType, dropped: Seq[String]): StructType =
    if (dropped.isEmpty) schema else StructType(schema.fields.filterNot(f => dropped.contains(f.name)))
}

/** The value of a partition column that no file holds.
  *
  * @param child
  *   path of the row's partition
  * @param columns
  *   all partition columns
  */
final case class PathValue(child: Expression, columns: Seq[String], name: String, dataType: DataType, table: String)
    extends UnaryExpression with CodegenFallback {

  override def nullable: Boolean = true
  override def prettyName: String = "path_value"

  @transient private var known: UTF8String = _ // rows of a partition often come together
  @transient private var value: Any = _

  // hot path
  override protected def nullSafeEval(path: Any): Any = {
    val text = path.asInstanceOf[UTF8String]
    if (known == null || text != known) {
      known = text.copy()
      value = read(known.toString)
    }
    value
  }

  private def read(path: String): Any = FolderValues.of(path, columns).map(_(columns.indexOf(name)))
    .flatMap(_.fold[Option[Any]](Some(null))(PathText.read(_, dataType)))
    .getOrElse(throw LastAttempts.failure(PathValue.untold(table, path, name, dataType)))

  override protected def withNewChildInternal(newChild: Expression): PathValue = copy(child = newChild)
}

/** The value of the one column that record keys are made of. Keys of other spelling raise an error.
  *
  * @param child
  *   record key of the row
  */
final case class ValueInKey(child: Expression, dataType: DataType, table: String)
    extends UnaryExpression with CodegenFallback {

  override def nullable: Boolean = true
  override def prettyName: String = "value_in_key"

  // hot path
  override protected def nullSafeEval(key: Any): Any =
    if (dataType == StringType) key
    else PathText.read(key.toString, dataType).getOrElse(throw LastAttempts.failure(
        CorruptTable("CORRUPT_FILE", "path" -> table,
          "reason" -> s"the record key '$key' is no value of the type ${dataType.simpleString}")))

  override protected def withNewChildInternal(newChild: Expression): ValueInKey = copy(child = newChild)
}

object ValueInKey {

  /** A record key tells the value of its only column for sure. */
  def tells(settings: KeySettings, dataType: DataType): Boolean =
    settings.recordKeyFields.size == 1 && !settings.prefixed &&
      (dataType match {
        case StringType | ByteType | ShortType | IntegerType | LongType => true
        case _ => false
      })
}

private[spark] object PathValue {

  /** The path tells the values of these columns, and no row with others is in such a path.
    *
    * @param columns
    *   some partition columns with their types
    */
  def isSure(path: String, keys: KeySettings, columns: Seq[(String, DataType)]): Boolean = {
    val names = keys.partitionFields.map(_.name).toIndexedSeq
    def tells(text: Option[String], dataType: DataType): Boolean =
      PathText.tells(dataType) && text.fold(dataType != StringType)(PathText.isSpelled(_, dataType))
    keys.partitionFields.forall(_.format.isEmpty) && FolderValues.of(path, names).exists { texts =>
      KeyEncoding.partitionPath(names, texts.map(_.orNull).toArray, keys.hiveStyle, keys.urlEncode) == path &&
      columns.forall { case (name, dataType) => tells(texts(names.indexOf(name)), dataType) }
    }
  }

  def untold(table: String, partition: String, name: String, dataType: DataType): UnsupportedTable =
    UnsupportedTable("UNSUPPORTED_TABLE_FEATURE", "path" -> table,
      "feature" -> s"the partition '$partition' with the dropped partition column $name",
      "reason" -> s"no value of the type ${dataType.simpleString} can be read from its path",
      "way" -> "Read the other columns, or other partitions")
}
