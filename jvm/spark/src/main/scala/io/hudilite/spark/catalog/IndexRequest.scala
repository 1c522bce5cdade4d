package io.hudilite.spark.catalog

import io.hudilite.config.IndexOptions
import io.hudilite.metadata.{ExpressionIndex, IndexDefinition, MetadataPartition}

import java.util.Locale

/** An index as CREATE INDEX asks for it, in Apache Hudi's words.
  *
  * @param kind
  *   word behind USING, in lower case; empty where there is none
  */
private[catalog] final case class IndexRequest(name: String, kind: String, columns: Seq[String],
    options: Map[String, String]) {

  import IndexRequest._

  /** The expression over the column; `None` where the index is of the column as it is. */
  private def expression: Option[String] = options.get(Expression).map(_.trim.toLowerCase(Locale.ROOT))
    .filterNot(function => function.isEmpty || function == Identity)

  private def column: String = columns.mkString(", ")

  /** Apache Hudi's name of the function. */
  def function: String = expression.getOrElse(Identity)

  /** The record index is asked for, whose only name is its own. */
  def ofKeys: Boolean = (kind == RecordIndex || kind.isEmpty) && name.equalsIgnoreCase(RecordIndex) && strange.isEmpty

  /** A secondary index is asked for. */
  def ofValues: Boolean = kind.isEmpty && !name.equalsIgnoreCase(RecordIndex)

  /** The column of a secondary index to make, or the refusal. */
  def valued: Either[UnsupportedStatement, String] = {
    val unknown = options.keys.filterNot(_.startsWith(OfWrites)).toSeq.sorted
    if (!name.matches("\\w+")) Left(secondary("its name has letters, digits and _ alone"))
    else if (columns.size != 1) Left(secondary("it is of one column; make an index of each"))
    else if (unknown.nonEmpty)
      Left(secondary(s"it has no options but those of a write; leave out ${unknown.mkString(", ")}"))
    else Right(column)
  }

  private def secondary(reason: String): UnsupportedStatement = refused(s"CREATE INDEX $name ON ... ($column)", reason)

  /** Options of a write that makes the record index. */
  def ofWrite: Map[String, String] =
    others ++ (if (says("true")) Map(IndexOptions.PartitionKeys.name -> "true") else Map.empty)

  /** The record index is said to be one of all partitions together. */
  def isWhole: Boolean = says("false")

  private lazy val (ofIndex, others) = options.partition(_._1.equalsIgnoreCase(IsPartitioned))

  private def says(flag: String): Boolean = ofIndex.values.exists(_.equalsIgnoreCase(flag))

  private def strange: Seq[String] = {
    val unclear = ofIndex.filterNot { case (_, value) => Seq("true", "false").exists(value.equalsIgnoreCase) }
    (unclear.map { case (option, value) => s"$option of '$value'" } ++
      others.keys.filterNot(_.startsWith(OfWrites))).toSeq.sorted
  }

  /** The index of an expression to make, or the refusal.
    *
    * @param version
    *   of the table
    * @param schema
    *   its columns in Avro's words, if it has any
    */
  def made(version: Int, schema: Option[String]): Either[UnsupportedStatement, ExpressionIndex] =
    if (kind != BloomFilters && (kind != ColumnStats || expression.isEmpty)) Left(refusal(""))
    else if (!name.matches("\\w+")) Left(refusal("its name has letters, digits and _ alone"))
    else if (version < FirstVersion) Left(refusal(s"tables of version $version have none"))
    else {
      val partition = MetadataPartition.ExpressionPrefix + name
      val asked = IndexDefinition(partition, kind, columns, None, isPartitioned = false, function, options)
      ExpressionIndex.of(partition, Some(asked)).flatMap(index =>
        schema.fold[Option[String]](Some("the table has no columns"))(index.refusal).toLeft(index)).left.map(refusal)
    }

  /** Reason why the index is not made, and the way to take instead.
    *
    * @param reason
    *   of an expression
    */
  private def refusal(reason: String): UnsupportedStatement = kind match {
    case "" | RecordIndex if name.equalsIgnoreCase(RecordIndex) =>
      refused(s"CREATE INDEX $RecordIndex ... OPTIONS",
        s"its options are $IsPartitioned, true or false, and those of a write, as ${IndexOptions.LeastKeyGroups.name}; leave " +
          s"out ${strange.mkString(", ")}")
    case RecordIndex =>
      refused(s"CREATE INDEX $name USING $RecordIndex", s"a table has one, whose name is $RecordIndex")
    case ColumnStats if expression.isEmpty =>
      refused(s"CREATE INDEX $name USING $ColumnStats",
        s"without an expression a write makes it: $InPlaceOfColumns=$column $PassOver")
    case ColumnStats | BloomFilters =>
      refused(s"CREATE INDEX $name USING $kind ... expr = '$function'",
        s"$reason; keep the value in a column of its own, and $InPlaceOfColumns with it $PassOver")
    case other => refused(s"CREATE INDEX $name USING $other",
        s"kinds of indexes are $RecordIndex, $ColumnStats and $BloomFilters, and without USING a secondary index")
  }

  /** The refusal where options of a write say the opposite of [[isWhole]]. */
  def contradiction: UnsupportedStatement = refused(s"CREATE INDEX $RecordIndex ... OPTIONS",
    s"$IsPartitioned is false, and ${IndexOptions.PartitionKeys.name} is true")

  private def refused(statement: String, reason: String): UnsupportedStatement =
    UnsupportedStatement.Index(statement, reason)
}

private[catalog] object IndexRequest {

  val RecordIndex = "record_index"
  val ColumnStats = "column_stats"
  val BloomFilters = "bloom_filters"

  private val OfWrites = "hoodie."
  private val IsPartitioned = "isPartitioned"
  private val Expression = "expr"
  private val Identity = "identity"

  // Of tables that have indexes of expressions.
  private val FirstVersion = 8

  private val InPlaceOfColumns =
    "hoodie.metadata.index.column.stats.enable with hoodie.metadata.index.column.stats.column.list"
  private val PassOver = "lets reads pass files over"
}
