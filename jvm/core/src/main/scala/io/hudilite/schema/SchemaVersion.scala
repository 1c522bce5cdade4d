package io.hudilite.schema

/** The type of a column as far as names go. */
sealed trait ColumnType extends Serializable {

  /** Ids of all columns inside, at whatever depth. */
  def ids: Set[Int] = this match {
    case ColumnType.Record(columns) => columns.flatMap(c => c.dataType.ids + c.id).toSet
    case ColumnType.ListOf(element) => element.ids
    case ColumnType.MapOf(key, value) => key.ids ++ value.ids
    case _: ColumnType.Atom => Set.empty
  }
}

object ColumnType {

  /** A type without columns inside; `name` is Hudi's, such as `long` or `decimal(10, 2)`. */
  final case class Atom(name: String) extends ColumnType

  final case class Record(columns: Seq[Column]) extends ColumnType {

    def column(id: Int): Option[Column] = columns.find(_.id == id)

    /** The column of exactly this name, else one whose name differs by case only. */
    def column(name: String): Option[Column] =
      columns.find(_.name == name).orElse(columns.find(_.name.equalsIgnoreCase(name)))
  }

  final case class ListOf(element: ColumnType) extends ColumnType

  final case class MapOf(key: ColumnType, value: ColumnType) extends ColumnType
}

/** A column, or a field inside of one. It keeps its id under every name, and no other column of the table ever gets it.
  */
final case class Column(id: Int, name: String, dataType: ColumnType)

/** The columns that a table has from one instant on, as Hudi's schema-on-read records them
  * (docs/format.md#columns-by-id).
  *
  * @param version
  *   instant that brought the change; [[SchemaVersion.BeforeChanges]] for the columns before the first one
  * @param columns
  *   columns of the files, meta columns included
  */
final case class SchemaVersion(version: String, columns: ColumnType.Record)

object SchemaVersion {

  /** Less than every instant. */
  val BeforeChanges = "0"
}

/** All versions of a table's columns, oldest first and at least one. */
final case class SchemaHistory(versions: Seq[SchemaVersion]) {

  /** The version by which the write of an instant named the columns of its files. An instant before all versions wrote
    * when columns had no ids yet and none had been renamed or dropped.
    */
  def at(instant: String): SchemaVersion = versions.reverseIterator.find(_.version <= instant).getOrElse(versions.head)
}
