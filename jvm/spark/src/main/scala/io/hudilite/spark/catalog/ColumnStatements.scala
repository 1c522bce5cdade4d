package io.hudilite.spark.catalog

import io.hudilite.error.{InvalidInput, UnsupportedTable}
import io.hudilite.record.MetaFields
import io.hudilite.schema.ColumnEdit
import io.hudilite.spark.keys.KeyedOptions
import io.hudilite.spark.row.{Nullability, SchemaConversion}
import io.hudilite.spark.shim.CachedPlans
import io.hudilite.spark.sync.MetastoreSync
import io.hudilite.table.{Table, TableAccess, TableSupport}
import io.hudilite.transaction.{AlteredColumns, Assumption, ColumnAlteration}

import org.apache.spark.sql.connector.catalog.TableChange
import org.apache.spark.sql.connector.catalog.TableChange._
import org.apache.spark.sql.types._

/** ALTER TABLE ADD, DROP, RENAME and ALTER COLUMN: one commit that changes the table's columns and no file. */
private[catalog] object ColumnStatements {

  /** Changes of columns among all changes. */
  def among(changes: Seq[TableChange]): Seq[ColumnChange] = changes.collect { case change: ColumnChange => change }

  /** Raises `InvalidInput` for a change that a Hudi table cannot keep. Errors raised later, as the statement runs, are
    * wrapped by Spark.
    */
  def check(place: HudiliteTable, changes: Seq[ColumnChange]): Unit =
    place.table.foreach(table => schemaJson(table, changed(place, table, changes)))

  /** Makes the changes. Raises as [[check]], and `CommitConflict` when another writer came first. */
  def run(place: HudiliteTable, changes: Seq[ColumnChange]): Unit = place.table.foreach { table =>
    val after = changed(place, table, changes)
    ColumnRules.tell(place.name(), StructType(added(changes)))
    val assumption = if (changes.exists(requires)) Assumption.NoRows else Assumption.Nothing
    if (after.after != columns(table) || after.edits.nonEmpty) commit(place, table, after, assumption)
  }

  private def changed(place: HudiliteTable, table: Table, changes: Seq[ColumnChange]): ColumnChanges = {
    val now = columns(table)
    MetastoreSync.check(place.session, table, place.writeConf().sync)
    val ofFiles = changes.filterNot(ColumnRules.ofEntry(now, place.entry, _))
    ofFiles.foreach(checkRole(table, _))
    ofFiles.foreach(checkName)
    if (!place.entry.exists(!_.byHudi)) // nothing keeps the length of a text
      ColumnRules.refuse(StructType(added(ofFiles)))
    ofFiles.foreach(checkRequired(place, table, _))
    val found = ColumnChanges.of(table.basePath, now, ofFiles, table.config.partitionFields)
    if (!found.asWritten && table.config.droppedColumns.nonEmpty)
      throw UnsupportedTable("UNSUPPORTED_TABLE_FEATURE", "path" -> table.basePath,
        "feature" -> "dropped partition columns beside columns that schema-on-read changed",
        "reason" -> "these columns have no ids", "way" -> UnsupportedTable.NewTable)
    found
  }

  /** Raises `InvalidInput` for a new column that refuses nulls, where rows lack it or nothing keeps the rule. */
  private def checkRequired(place: HudiliteTable, table: Table, change: ColumnChange): Unit = change match {
    case add: AddColumn if !add.isNullable =>
      def refuse(reason: String): Unit =
        throw UnsupportedStatement.Column(add.fieldNames.mkString("."), s"$reason; leave NOT NULL out").of(
          table.basePath)
      if (table.allSlices().exists(_._2.nonEmpty)) refuse("present rows have no value for a new column")
      if (add.fieldNames.length > 1 || place.entry.forall(_.byHudi))
        refuse("only an entry of hudilite's own in the session's catalog keeps the rule, for a whole column")
    case _ =>
  }

  private def requires(change: ColumnChange): Boolean = change match {
    case add: AddColumn => !add.isNullable
    case _ => false
  }

  private def added(changes: Seq[ColumnChange]): Seq[StructField] = changes.collect { case add: AddColumn =>
    StructField(add.fieldNames.last, add.dataType)
  }

  private def schemaJson(table: Table, changed: ColumnChanges): String =
    SchemaConversion.toAvro(Nullability.relaxed(changed.after), table.config.name, withMeta = false)

  private def commit(place: HudiliteTable, table: Table, changed: ColumnChanges, assumption: Assumption): Unit = {
    val conf = place.writeConf()
    val options = KeyedOptions.of(place.session, place.basePath, conf.commit)
    val json = schemaJson(table, changed)
    if (changed.asWritten && !table.schema.exists(_.byId.isDefined))
      ColumnAlteration.grow(table, json, options, assumption)
    else ColumnAlteration.alter(table, AlteredColumns(json, changed.edits), options, assumption)
    HudiliteCatalog.forget(place.session, place.basePath)
    CachedPlans.refresh(place.session, place.basePath)
    MetastoreSync.follow(place.session, table, conf.sync)
  }

  private def columns(table: Table): StructType =
    TableSupport.of(table, TableAccess.Write).schema.fold(new StructType())(s => SchemaConversion.toSpark(s.avroJson))

  // A column of such a name would be taken for one of the meta columns, and left out of the schema.
  private def checkName(change: ColumnChange): Unit = {
    val name = change match {
      case add: AddColumn if add.fieldNames.length == 1 => Some(add.fieldNames.head)
      case renamed: RenameColumn if renamed.fieldNames.length == 1 => Some(renamed.newName)
      case _ => None
    }
    name.filter(n => MetaFields.all.exists(_.equalsIgnoreCase(n))).foreach(n =>
      throw InvalidInput("INVALID_COLUMN_NAME", "column" -> n,
        "reason" -> "the table itself makes a column of this name"))
  }

  // The table's properties name these columns, and their values stand in keys and paths.
  private def checkRole(table: Table, change: ColumnChange): Unit = change match {
    case _: DeleteColumn | _: RenameColumn | _: UpdateColumnType =>
      val (path, config) = (change.fieldNames.toSeq, table.config)
      for {
        (role, names) <- Seq("record key" -> config.recordKeyFields, "partition" -> config.partitionFields,
          "ordering" -> config.orderingFields, "delete mark" -> config.deleteMarker.toSeq.map(_.field))
        name <- names.map(_.takeWhile(_ != ':').split('.').toSeq) if name.startsWith(path) || path.startsWith(name)
      } throw UnsupportedStatement.Column(path.mkString("."),
        s"a column of the $role keeps its name and type; write the rows to a new table to change it").of(table.basePath)
    case _ =>
  }
}

/** Changes of columns by a statement: pure.
  *
  * @param after
  *   columns of the table afterwards
  * @param edits
  *   changes of names
  * @param asWritten
  *   true when a write of rows could have made these changes, so that readers find everything by name
  */
private[catalog] final case class ColumnChanges(after: StructType, edits: Seq[ColumnEdit], asWritten: Boolean)

private[catalog] object ColumnChanges {

  /** All changes, one after the other. Raises `InvalidInput` for a change that a Hudi table cannot keep, or after which
    * rows could not be read.
    *
    * @param table
    *   path of the table
    * @param partitions
    *   names of its partition columns
    */
  def of(table: String, before: StructType, changes: Seq[ColumnChange], partitions: Seq[String] = Nil): ColumnChanges =
    new Changing(table, partitions).all(before, changes)

  private final class Changing(table: String, partitions: Seq[String]) {

    def all(before: StructType, changes: Seq[ColumnChange]): ColumnChanges =
      changes.foldLeft(ColumnChanges(before, Nil, asWritten = true)) { (done, change) =>
        val path = change.fieldNames.toList
        change match {
          case add: AddColumn =>
            val placed = at(done.after, path.init)(inserted(_, column(add), add.position))
            done.copy(after = placed,
              asWritten = done.asWritten &&
                (placed == at(done.after, path.init)(_ :+ column(add)) ||
                  path.init.isEmpty && isBeforePartitions(placed, path.last)))
          case gone: DeleteColumn => done.edited(path, ColumnEdit.Drop(path))(_.filterNot(_.name == path.last))
          case named: RenameColumn =>
            done.edited(path, ColumnEdit.Rename(path, named.newName))(changed(_, path.last)(
                _.copy(name = named.newName)))
          case typed: UpdateColumnType => retyped(done, path, typed.newDataType)
          case told: UpdateColumnComment =>
            done.copy(after = field(done.after, path)(f =>
              told.newComment match {
                case null | "" => StructField(f.name, f.dataType, f.nullable)
                case text => f.withComment(text)
              }))
          case nulls: UpdateColumnNullability if nulls.nullable =>
            done.copy(after = field(done.after, path)(
              _.copy(nullable = true)))
          case moved: UpdateColumnPosition =>
            done.copy(asWritten = false,
              after = at(done.after, path.init) { fields =>
                val (own, others) = fields.partition(_.name == path.last)
                inserted(others, own.head, moved.position)
              })
          case _ =>
            throw refused(path,
              "rows that are there may break the rule, or nothing keeps it for a table without an entry of hudilite's; give values in each write")
        }
      }

    private implicit class Edited(done: ColumnChanges) {
      def edited(path: List[String], edit: ColumnEdit)(change: Seq[StructField] => Seq[StructField]): ColumnChanges =
        ColumnChanges(at(done.after, path.init)(change), done.edits :+ edit, asWritten = false)
    }

    // Apache Hudi's own ADD COLUMNS puts columns there, too, and readers find them by name.
    private def isBeforePartitions(placed: StructType, name: String): Boolean =
      placed.fieldNames.drop(placed.fieldNames.indexOf(name) + 1).forall(partitions.contains)

    private def column(add: AddColumn): StructField = {
      if (add.defaultValue != null)
        throw refused(add.fieldNames.toList,
          "present rows have no value for a new column; leave DEFAULT out, then SET DEFAULT for the rows to come")
      val plain = StructField(add.fieldNames.last, Nullability.relaxed(ColumnRules.asText(add.dataType)))
      Option(add.comment).filter(_.nonEmpty).fold(plain)(plain.withComment)
    }

    private def inserted(fields: Seq[StructField], one: StructField, position: ColumnPosition): Seq[StructField] =
      position match {
        case null => fields :+ one
        case after: After =>
          val (front, back) = fields.splitAt(fields.indexWhere(_.name.equalsIgnoreCase(after.column)) + 1)
          (front :+ one) ++ back
        case _ => one +: fields
      }

    private def retyped(done: ColumnChanges, path: List[String], to: DataType): ColumnChanges = {
      val grown = field(done.after, path)(f => if (widens(f.dataType, to)) f.copy(dataType = to) else f)
      val after = field(done.after, path) { f =>
        if (!convertible(f.dataType, to)) throw refused(path,
          s"values of type ${f.dataType.simpleString} cannot be read as ${to.simpleString}; add a column of that type")
        f.copy(dataType = to)
      }
      done.copy(after = after, asWritten = done.asWritten && grown == after)
    }

    // Changes of types that a write makes by itself, too, and that readers without ids know.
    private def widens(from: DataType, to: DataType): Boolean = (from, to) match {
      case (a, b) if a == b => true
      case (IntegerType, LongType) | (FloatType, DoubleType) => true
      case _ => false
    }

    /** Changes of types that Hudi's schema-on-read converts. */
    private def convertible(from: DataType, to: DataType): Boolean = (from, to) match {
      case (a, b) if a == b => true
      case (IntegerType, LongType | FloatType | DoubleType | StringType) => true
      case (LongType, FloatType | DoubleType | StringType) => true
      case (FloatType, DoubleType | StringType) => true
      case (DoubleType | DateType | _: DecimalType, StringType) => true
      case (a: DecimalType, b: DecimalType) => b.scale >= a.scale && b.precision - b.scale >= a.precision - a.scale
      case (IntegerType | LongType | FloatType | DoubleType | StringType, _: DecimalType) => true
      case (StringType, DateType) => true
      case _ => false
    }

    private def field(struct: StructType, path: List[String])(change: StructField => StructField): StructType =
      at(struct, path.init)(changed(_, path.last)(change))

    private def changed(fields: Seq[StructField], name: String)(change: StructField => StructField): Seq[StructField] =
      fields.map(f => if (f.name == name) change(f) else f)

    /** The struct with other fields in the struct that the path leads to. */
    private def at(struct: StructType, path: List[String])(change: Seq[StructField] => Seq[StructField]): StructType =
      fields(struct, path, path)(change)

    private def fields(struct: StructType, path: List[String], whole: List[String])(
        change: Seq[StructField] => Seq[StructField]): StructType = path match {
      case Nil => StructType(change(struct.fields.toSeq))
      case name :: rest => StructType(struct.fields.map(f =>
            if (f.name == name) f.copy(dataType = inside(f.dataType, rest, whole)(change)) else f))
    }

    private def inside(dataType: DataType, path: List[String], whole: List[String])(
        change: Seq[StructField] => Seq[StructField]): DataType =
      (dataType, path) match {
        case (s: StructType, _) => fields(s, path, whole)(change)
        case (ArrayType(element, nulls), "element" :: rest) => ArrayType(inside(element, rest, whole)(change), nulls)
        case (MapType(key, value, nulls), "value" :: rest) => MapType(key, inside(value, rest, whole)(change), nulls)
        case _ => throw refused(whole,
            "only fields of structs can be changed, not elements, keys or values; add a column of the new type")
      }

    private def refused(path: Seq[String], reason: String): InvalidInput =
      UnsupportedStatement.Column(path.mkString("."), reason).of(table)
  }
}
