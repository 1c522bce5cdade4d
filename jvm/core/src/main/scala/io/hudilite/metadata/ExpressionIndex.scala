package io.hudilite.metadata

import org.apache.avro.Schema

/** An index of the values that a function has over a column: statistics of them by file, in a partition of its own.
  *
  * @param isFilter
  *   it has a bloom filter of them in the place of statistics
  */
final case class ExpressionIndex(partition: MetadataPartition, column: String, function: IndexFunction,
    isFilter: Boolean = false) {

  /** Apache Hudi's name of its kind. */
  def kind: String = (if (isFilter) MetadataPartition.BloomFilters else MetadataPartition.ColumnStats).name

  /** Why a table with these columns cannot have it.
    *
    * @param schema
    *   columns of the table in Avro's words, without meta columns
    */
  def refusal(schema: String): Option[String] =
    Option(new Schema.Parser().parse(schema).getField(column)).map(_.schema) match {
      case None => Some(s"the table has no column $column, or not as one of its own")
      case Some(of) if AvroStatValues.kind(of).forall(_.ordinal != function.takes) =>
        Some(s"its function is not of the type of $column")
      case _ => None
    }
}

object ExpressionIndex {

  private val Kinds = Set(MetadataPartition.ColumnStats, MetadataPartition.BloomFilters).map(_.name)

  /** The index of a definition, or the reason why it cannot be gone by.
    *
    * @param name
    *   of its partition
    */
  def of(name: String, definition: Option[IndexDefinition]): Either[String, ExpressionIndex] = definition match {
    case None => Left("no definition says what it is of")
    case Some(d) if !Kinds(d.kind) => Left(s"it is of the kind ${d.kind}")
    case Some(IndexDefinition(_, _, Seq(column), _, _, _, _)) if column.contains('.') =>
      Left(s"$column lies in another")
    case Some(IndexDefinition(_, kind, Seq(column), _, _, function, words)) =>
      val isFilter = kind == MetadataPartition.BloomFilters.name
      for {
        partition <- MetadataPartition.of(name).toRight(s"$name is no partition")
        known <- IndexFunction.of(function, words, ofValues = isFilter)
      } yield ExpressionIndex(partition, column, known, isFilter)
    case Some(d) => Left(s"it is of ${d.columns.size} columns")
  }
}
