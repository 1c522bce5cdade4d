package io.hudilite.schema

import java.util.concurrent.ConcurrentHashMap

/** Names in a file of the columns that a query asks for. */
sealed trait ColumnNames extends Serializable {

  /** The file's column for that of the query. `None` when the file has none: a column of the same name is another one.
    */
  def of(column: String): Option[NamedColumn]

  /** Names inside the elements of a list, if it is one. */
  def inElement: ColumnNames

  /** Names inside the keys and the values of a map, if it is one. */
  def inKey: ColumnNames
  def inValue: ColumnNames
}

/** A column by its name in a file, and the names inside of it. */
final case class NamedColumn(name: String, inside: ColumnNames)

object ColumnNames {

  /** Every column has the name that the query gives it. */
  case object Same extends ColumnNames {
    override def of(column: String): Option[NamedColumn] = Some(NamedColumn(column, this))
    override def inElement: ColumnNames = this
    override def inKey: ColumnNames = this
    override def inValue: ColumnNames = this
  }

  /** Names by id: a column has the name in `query` for the query, and the name in `file` for the file.
    *
    * @param kept
    *   true for ids that still belong to their columns; other ids of the file are of dropped columns
    */
  def between(query: ColumnType, file: ColumnType, kept: Int => Boolean = _ => true): ColumnNames =
    if (agree(query, file, kept)) Same else ById(query, file, kept)

  private def agree(query: ColumnType, file: ColumnType, kept: Int => Boolean): Boolean = (query, file) match {
    case (ColumnType.Record(q), f: ColumnType.Record) => q.size == f.columns.size && q.forall(c =>
        kept(c.id) && f.column(c.id).exists(o => o.name == c.name && agree(c.dataType, o.dataType, kept)))
    case (ColumnType.ListOf(q), ColumnType.ListOf(f)) => agree(q, f, kept)
    case (ColumnType.MapOf(qk, qv), ColumnType.MapOf(fk, fv)) => agree(qk, fk, kept) && agree(qv, fv, kept)
    case (_: ColumnType.Atom, _: ColumnType.Atom) => true
    case _ => false
  }

  private final case class ById(query: ColumnType, file: ColumnType, kept: Int => Boolean) extends ColumnNames {

    override def of(column: String): Option[NamedColumn] = (query, file) match {
      case (q: ColumnType.Record, f: ColumnType.Record) => q.column(column) match {
          case Some(asked) => f.column(asked.id).filter(c => kept(c.id))
              .map(c => NamedColumn(c.name, between(asked.dataType, c.dataType, kept)))
          // Writers that do not keep ids may add columns without one. Any other name belongs to the id it has there.
          case None => if (f.column(column).isEmpty) Some(NamedColumn(column, Same)) else None
        }
      case _ => Some(NamedColumn(column, Same))
    }

    override def inElement: ColumnNames = (query, file) match {
      case (ColumnType.ListOf(q), ColumnType.ListOf(f)) => between(q, f, kept)
      case _ => Same
    }

    override def inKey: ColumnNames = (query, file) match {
      case (ColumnType.MapOf(q, _), ColumnType.MapOf(f, _)) => between(q, f, kept)
      case _ => Same
    }

    override def inValue: ColumnNames = (query, file) match {
      case (ColumnType.MapOf(_, q), ColumnType.MapOf(_, f)) => between(q, f, kept)
      case _ => Same
    }
  }
}

/** The columns of a table whose names have changed, as one query sees them: by their names in the version that it
  * reads.
  */
final case class EvolvedColumns private (query: SchemaVersion, history: SchemaHistory) {

  // Most files of a table are of few versions.
  @transient private lazy val known = new ConcurrentHashMap[String, ColumnNames]()

  /** Names in the files and log blocks of the write with this instant. */
  def namesIn(instant: String): ColumnNames = {
    val file = history.at(instant)
    known.computeIfAbsent(file.version, _ => namesIn(file))
  }

  /** True when this name has always stood for one column. */
  def isOne(name: String): Boolean = (history.versions :+ query).flatMap(_.columns.column(name)).map(
    _.id).distinct.size <= 1 &&
    (query.columns.column(name).isDefined || history.versions.forall(_.columns.column(name).isEmpty))

  /** Types that the column of this name has had, oldest first. */
  def typesOf(name: String): Seq[ColumnType] = (history.versions.filter(_.version < query.version) :+ query).flatMap(
    _.columns.column(name)).map(_.dataType).distinct

  /** True when none of these columns, some of them fields of structs, has had two types. */
  def keepsTypes(paths: Seq[String]): Boolean = paths.forall(path => typesOf(path.takeWhile(_ != '.')).size <= 1)

  /** True when the column of the query with this very name has had no other name and type, and has not been away. */
  def keeps(name: String): Boolean = keepsName(name) && typesOf(name).size == 1

  /** True when the column of the query with this very name has had no other name, and has not been away. */
  def keepsName(name: String): Boolean = query.columns.columns.find(_.name == name).exists { column =>
    def isOne(of: SchemaVersion => Option[Column]): Boolean =
      (history.versions.filter(_.version < query.version) :+ query).map(of).dropWhile(_.isEmpty)
        .forall(_.exists(c => c.id == column.id && c.name == name))
    isOne(_.columns.column(name)) && isOne(_.columns.column(column.id))
  }

  /** True when the write of this instant had the columns of the query, with their types. */
  def isOfQuery(instant: String): Boolean = history.at(instant).columns == query.columns

  // A column that a later version lacks was dropped. Hudi may give its id to a new column.
  private def namesIn(file: SchemaVersion): ColumnNames = {
    val since = history.versions.dropWhile(_.version != file.version).takeWhile(_.version < query.version) :+ query
    if (file == query) ColumnNames.Same
    else ColumnNames.between(query.columns, file.columns, since.map(_.columns.ids).reduce(_ intersect _))
  }
}

object EvolvedColumns {

  /** The version read belongs to the history, also while the file with it is being replaced. */
  def of(query: SchemaVersion, history: SchemaHistory): EvolvedColumns =
    EvolvedColumns(query,
      SchemaHistory((history.versions.filterNot(_.version == query.version) :+ query).sortBy(_.version)))
}
