package io.hudilite.metadata

/** The table before an action, as far as the records of the action depend on it.
  *
  * @param shape
  *   content and form of the metadata table
  * @param slices
  *   newest file slices of the partitions that the action touches; only where the metadata table holds partition
  *   statistics
  * @param statistics
  *   of the columns of their files, as the metadata table has them, by partition and name of the file; none are needed
  *   where all of them are made
  * @param named
  *   files of the table as its metadata table names them, by partition; only for a restore
  * @param expressed
  *   as `statistics`, those of each index of an expression
  * @param places
  *   of the keys that the action takes away, as the record index has them
  */
final case class MetadataState(
    shape: MetadataShape,
    slices: Map[String, Seq[KnownSlice]] = Map.empty,
    statistics: Map[String, Map[String, Seq[ColumnStatistics]]] = Map.empty,
    named: Map[String, Set[String]] = Map.empty,
    expressed: Map[MetadataPartition, Map[String, Map[String, Seq[ColumnStatistics]]]] = Map.empty,
    places: Map[String, Seq[MetadataPayload.Place]] = Map.empty) {

  private[metadata] def placesOf(key: String, partition: String): Option[MetadataPayload.Place] =
    places.getOrElse(key, Nil).find(place => !shape.isPartitioned || place.partition == partition)
}

/** Content and form of a metadata table.
  *
  * @param partitions
  *   those that records are wanted of
  * @param version
  *   of the table
  * @param columns
  *   names of the columns with statistics, with dots for nested ones
  * @param bloomKind
  *   Hudi's name of the kind of bloom filters
  * @param expressions
  *   those of the partitions that are indexes of expressions
  * @param isPartitioned
  *   the record index has file groups of its own for each partition of the table
  */
final case class MetadataShape(partitions: Set[MetadataPartition], version: Int, columns: Seq[String] = Nil,
    bloomKind: String = MetadataShape.DynamicBloom, expressions: Seq[ExpressionIndex] = Nil,
    isPartitioned: Boolean = false)

object MetadataShape {

  val DynamicBloom = "DYNAMIC_V0"

  // From this version of tables on, statistics name the type of their column.
  private[metadata] val TypedStatistics = 9

  // From this version on, the rollback of a write leaves nothing of it in the metadata table.
  private[metadata] val OwnRollbacks = 8
}

/** The names of the files of a file slice. */
final case class KnownSlice(fileId: String, base: Option[String], logs: Seq[KnownLog]) {
  def names: Seq[String] = base.toSeq ++ logs.map(_.name)
}

/** @param since
  *   completion time of its write; before version 8 the instant in its name, which is that of its slice
  */
final case class KnownLog(name: String, since: String)
