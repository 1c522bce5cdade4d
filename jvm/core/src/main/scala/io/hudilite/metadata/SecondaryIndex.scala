package io.hudilite.metadata

import io.hudilite.config.{TableConfig, TableType}

import org.apache.avro.Schema

/** An index of the values of a column: a record for each row, whose key has the value and the record key.
  *
  * @param hashesValues
  *   all rows of a value lie in one file group, as from version 2 of the index on
  * @param kind
  *   of the column's type in the table, as [[StatType]] numbers it; `None` where nobody has asked
  */
final case class SecondaryIndex(partition: MetadataPartition, column: String, hashesValues: Boolean,
    kind: Option[Int] = None) {

  /** The index in a table with these columns. */
  def in(schema: Option[String]): SecondaryIndex = copy(kind = schema.flatMap(SecondaryIndex.kind(column, _)))

  /** Number of the file group among `groups` that has this key.
    *
    * @param key
    *   that of a [[SecondaryKey]]
    */
  def groupOf(key: String, groups: Int): Int =
    MetadataKeys.groupOf(if (hashesValues) SecondaryKey.prefixOf(key) else key, groups)

  /** Number of the file group that has all rows of a value; `None` where any may have some.
    *
    * @param value
    *   `None` for null
    */
  def groupOf(value: Option[String], groups: Int): Option[Int] =
    if (groups == 1) Some(0)
    else if (hashesValues) Some(MetadataKeys.groupOf(SecondaryKey.prefix(value), groups))
    else None

  /** Why a table with these columns cannot have it.
    *
    * @param schema
    *   columns of the table in Avro's words, without meta columns
    */
  def refusal(schema: String): Option[String] = SecondaryIndex.refusal(column, schema)

  /** Why a table that has it loses it by a change of its columns: texts of values that are there would be others. */
  def lost(before: Option[String], after: String): Option[String] = refusal(after).orElse {
    val (was, is) = (before.flatMap(SecondaryIndex.kind(column, _)), SecondaryIndex.kind(column, after))
    if (was.isEmpty || SecondaryIndex.spelledAs(was) == SecondaryIndex.spelledAs(is)) None
    else Some(s"$column gets another type, whose values are spelled otherwise")
  }
}

object SecondaryIndex {

  /** Apache Hudi's name of its kind. */
  val Kind = "secondary_index"

  /** Apache Hudi's name of its function, which leaves values as they are. */
  val Identity = "identity"

  /** The name of its partition.
    *
    * @param name
    *   that the user has chosen
    */
  def partitionName(name: String): String = MetadataPartition.SecondaryPrefix + name

  /** Why a merge-on-read table has no right secondary index of this name: Apache Hudi 1.2 keeps up one of several through
    * log files, and the others keep values that these replace, as many as there are rows.
    *
    * @param name
    *   of its partition, whether it is there or not
    */
  def several(table: TableConfig, name: String): Option[String] = {
    val others = table.metadataPartitions.filter(p => p.startsWith(MetadataPartition.SecondaryPrefix) && p != name)
    if (table.tableType != TableType.MergeOnRead || others.isEmpty) None
    else Some(s"the table is merge-on-read and has ${others.sorted.mkString(", ")} besides, of which Apache Hudi 1.2 " +
      "keeps up one")
  }

  /** The version that Apache Hudi gives an index of a table of this version. */
  def version(table: Int): String = if (hashesValues(table)) Second else First

  /** A new index of a table of this version has all rows of a value in one file group. */
  def hashesValues(table: Int): Boolean = table >= FirstOfValues

  // Of tables.
  private val FirstOfValues = 9
  private val First = "V1"
  private val Second = "V2"

  /** The index of a definition, or the reason why it cannot be gone by.
    *
    * @param name
    *   of its partition
    * @param table
    *   version of the table
    */
  def of(name: String, definition: Option[IndexDefinition], table: Int): Either[String, SecondaryIndex] =
    definition match {
      case None => Left("no definition says what it is of")
      case Some(d) if d.kind != Kind => Left(s"it is of the kind ${d.kind}")
      case Some(d) if d.function.nonEmpty && d.function != Identity => Left(s"its function is ${d.function}")
      case Some(IndexDefinition(_, _, Seq(column), _, _, _, _)) if column.contains('.') =>
        Left(s"$column lies in another")
      case Some(IndexDefinition(_, _, Seq(column), version, _, _, _)) =>
        for {
          partition <- MetadataPartition.of(name).toRight(s"$name is no partition")
          hashesValues <- version match {
            case Some(Second) if table >= FirstOfValues => Right(true)
            case Some(First) => Right(false)
            case None if table < FirstOfValues => Right(false)
            case other => Left(s"its version is ${other.getOrElse("not said")} in a table of version $table")
          }
        } yield SecondaryIndex(partition, column, hashesValues)
      case Some(d) => Left(s"it is of ${d.columns.size} columns")
    }

  /** Why a column cannot have an index in a table with these columns. */
  def refusal(column: String, schema: String): Option[String] =
    Option(new Schema.Parser().parse(schema).getField(column)).map(_.schema) match {
      case None => Some(s"the table has no column $column, or not as one of its own")
      case Some(of) if !takes(of) => Some(s"$column is neither a text, a whole number, a date nor a timestamp")
      case _ => None
    }

  private val Taken = Set(StatType.Text, StatType.Int, StatType.Long, StatType.Date, StatType.TimestampMicros)

  private def kind(column: String, schema: String): Option[Int] =
    Option(new Schema.Parser().parse(schema).getField(column)).flatMap(f => AvroStatValues.kind(f.schema)).map(
      _.ordinal)

  // A wider number has the digits of the narrower one.
  private def spelledAs(kind: Option[Int]): Option[Int] = kind.map(k => if (k == StatType.Int) StatType.Long else k)

  /** Values of files with the one type are spelled as those of a table with the other. */
  private[metadata] def isReadAs(file: Int, table: Int): Boolean =
    file == table || file == StatType.Int && table == StatType.Long

  /** A column of this type can have an index. */
  def takes(column: Schema): Boolean = AvroStatValues.kind(column).exists(kind => Taken(kind.ordinal))

  /** The text of a value: numbers in decimal, dates as days and timestamps as microseconds since the epoch. */
  def text(value: StatValue): String = value match {
    case StatValue.Text(v) => v
    case StatValue.Int32(v) => v.toString
    case StatValue.Int64(v) => v.toString
    case StatValue.Day(v) => v.toString
    case StatValue.TimestampMicros(v) => v.toString
    case other => throw new IllegalArgumentException(s"a secondary index has no value like $other")
  }
}
