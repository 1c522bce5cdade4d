package io.hudilite.spark.sync

import io.hudilite.config.TableConfig
import io.hudilite.error.InvalidInput
import io.hudilite.spark.catalog.metastore.Registered
import io.hudilite.spark.row.SchemaConversion
import io.hudilite.spark.shim.{CatalogEntries, EntryPartition, EntryWriter, Sessions}
import io.hudilite.spark.write.attempt.CommittedWrite
import io.hudilite.spark.write.table.WriteTarget
import io.hudilite.storage.Storage
import io.hudilite.sync.{SyncConf, SyncOptions}
import io.hudilite.table.Table

import java.util.Locale

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.TableIdentifier
import org.apache.spark.sql.catalyst.catalog.CatalogTable
import org.apache.spark.sql.types.{StructField, StructType}
import org.slf4j.LoggerFactory

import scala.util.Try
import scala.util.control.NonFatal

/** A name after it was brought up to date.
  *
  * @param columns
  *   true when its columns were others
  * @param added
  *   partitions that were sent
  */
final case class Synced(name: String, created: Boolean, columns: Boolean, added: Int, dropped: Int)

/** Names of a table in the session's catalog, kept up after its changes as Apache Hudi's sync keeps them. */
object MetastoreSync {

  private val log = LoggerFactory.getLogger("io.hudilite.spark.sync.MetastoreSync")

  /** Raises `InvalidInput`, before a write, for names that it could not keep up. A catalog that does not answer now may
    * do so after the write.
    */
  def check(session: SparkSession, target: WriteTarget): Unit =
    target.conf.sync.foreach(check(session, target.storage, target.config, target.basePath, target.schema, _))

  /** As [[check]] for a statement or procedure that writes no rows. */
  def check(session: SparkSession, table: Table, asked: Option[SyncConf]): Unit =
    asked.foreach(check(session, table.storage, table.config, table.basePath, columnsOf(table), _))

  private def check(session: SparkSession, storage: Storage, config: TableConfig, path: String, columns: StructType,
      conf: SyncConf): Unit = {
    checkPlace(session, conf)
    val writer = EntryWriter.of(session, conf.schemaLength)
    SyncedName.of(config, path, columns, conf).foreach(name =>
      Try(writer.find(name.id)).toOption.flatten.foreach(own(name, _, storage)))
  }

  /** Brings the names up to date after a write. */
  def apply(session: SparkSession, write: CommittedWrite): Unit =
    follow(session, write.table, write.target.conf.sync)

  /** Brings the names up to date after a change of the table. It is visible: where this fails a warning says why, or an
    * error where the options ask for one.
    */
  def follow(session: SparkSession, table: Table, asked: Option[SyncConf]): Unit = asked.foreach { conf =>
    try {
      run(session, table.refresh(), conf)
      ()
    } catch {
      case NonFatal(e) if conf.raises =>
        throw InvalidInput.because(e, "NAME_NOT_SYNCED", "path" -> table.basePath, "reason" -> reason(e))
      case NonFatal(e) =>
        log.warn(
          s"The change of ${table.basePath} is committed, but its names in the session's catalog are not " +
            s"up to date: ${reason(e)}")
    }
  }

  /** Changes a table between [[check]] and [[follow]]. */
  def around[T](session: SparkSession, table: Table, asked: Option[SyncConf])(change: => T): T = {
    check(session, table, asked)
    val changed = change
    follow(session, table, asked)
    changed
  }

  /** Options that name what a statement on this name keeps up, where it says no other. */
  def named(session: SparkSession, database: String, name: String): Map[String, String] = {
    val known = if (session.conf.get("spark.sql.caseSensitive").toBoolean) name else name.toLowerCase(Locale.ROOT)
    Map(SyncOptions.Database.name -> database,
      SyncOptions.Table.name -> SyncedName.base(known,
        other =>
          EntryWriter.of(session, SyncOptions.SchemaLength.default.get).find(TableIdentifier(other,
              Some(database))).flatMap(_.storage.locationUri)))
  }

  private def reason(error: Throwable): String =
    Option(error.getMessage).map(_.linesIterator.next()).getOrElse(error.toString).stripSuffix(".")

  /** Brings the names of a table up to date. */
  def run(session: SparkSession, table: Table, conf: SyncConf): Seq[Synced] = {
    checkPlace(session, conf)
    val names = SyncedName.of(table.config, table.basePath, columnsOf(table), conf)
    val writer = EntryWriter.of(session, conf.schemaLength)
    names.headOption.flatMap(_.id.database).filterNot(writer.hasDatabase).foreach { database =>
      if (!conf.createsDatabase) throw InvalidInput.option(SyncOptions.Database.name, database,
        s"there is no such database, and ${SyncOptions.CreatesDatabase.name} is false")
      session.sql(s"CREATE DATABASE IF NOT EXISTS spark_catalog.`$database`")
    }
    val done = names.flatMap(new NameSync(writer, table, conf, _).run())
    done.foreach(d => log.info(s"The name ${d.name} of ${table.basePath} is up to date: $d"))
    done
  }

  private def columnsOf(table: Table): StructType =
    table.schemaJson.map(SchemaConversion.toSpark).getOrElse(new StructType())

  private def checkPlace(session: SparkSession, conf: SyncConf): Unit = conf.uris.foreach { asked =>
    val own = Option(Sessions.hadoopConf(session).get("hive.metastore.uris")).getOrElse("").trim
    if (own != asked) throw InvalidInput("OPTION_NOT_SUPPORTED", "option" -> SyncOptions.Uris.name, "value" -> asked,
      "reason" ->
        (s"the session's own catalog is kept up, whose metastore is ${if (own.isEmpty) "another" else own}; " +
          "set spark.hadoop.hive.metastore.uris and enable Hive support"))
  }

  /** The entry as one of this table; raises `InvalidInput` for any other, which stays as it is. */
  private[sync] def own(name: SyncedName, found: CatalogTable, storage: Storage): Registered = {
    val here = storage.place(name.basePath).key
    Registered.of(found).filter(r => storage.place(r.path).key == here).getOrElse(
      throw InvalidInput("NAME_NOT_SYNCED", "path" -> name.basePath,
        "reason" ->
          (s"the name ${name.text} is that of another table or view, which stays; choose another " +
            s"${SyncOptions.Table.name}")))
  }

  private[sync] def warn(text: String): Unit = log.warn(text)
}

/** One name of a table, brought up to date. */
private[sync] final class NameSync(writer: EntryWriter, table: Table, conf: SyncConf, name: SyncedName) {

  /** `None` for a name that a statement has made. */
  def run(): Option[Synced] = writer.find(name.id) match {
    case None =>
      writer.create(name.entry)
      val (added, _) = partitions(SyncedPartitions.since(table, None), isNew = true)
      note(Map.empty)
      Some(Synced(name.text, created = true, columns = false, added, 0))
    case Some(found) =>
      val registered = MetastoreSync.own(name, found, table.storage)
      if (registered.byHudi) Some(changed(found))
      else {
        MetastoreSync.warn(
          s"The name ${name.text} was made by CREATE TABLE or saveAsTable, and stays as it is: Spark reads " +
            "it, other engines may not. Drop it, or let the sync have another name, for an entry that Hive can read.")
        None
      }
  }

  private def changed(found: CatalogTable): Synced = {
    val last = SyncedCommit.in(found.properties)
    val columns = shape(found.schema) != shape(name.entry.schema)
    if (columns) writer.change(entry(last, found.properties), columns = true)
    val (added, dropped) = partitions(SyncedPartitions.since(table, last.filter(_ => conf.incremental)), isNew = false)
    val isOther = columns || added + dropped > 0 || name.entry.properties.exists(p => !found.properties.exists(_ == p))
    if (isOther || (!conf.onlyOnChange && last != SyncedCommit.of(table))) note(found.properties)
    Synced(name.text, created = false, columns, added, dropped)
  }

  private def note(properties: Map[String, String]): Unit =
    writer.change(entry(SyncedCommit.of(table), properties), columns = false)

  private def entry(commit: Option[SyncedCommit], properties: Map[String, String]): CatalogTable =
    CatalogEntries.described(name.entry,
      properties ++ name.entry.properties ++ commit.map(_.properties).getOrElse(Map.empty), name.entry.comment)

  private def shape(columns: StructType): Seq[(String, String, Option[String])] =
    columns.map((field: StructField) => (field.name, field.dataType.sql, field.getComment().filter(_ => conf.comments)))

  /** Sends the partitions that have come and takes out those that have gone: how many each. */
  private def partitions(since: SyncedPartitions, isNew: Boolean): (Int, Int) =
    if (!name.isPartitioned || since.areNone) (0, 0)
    else {
      val (there, gone) = since.found(table, conf.batch)
      // Several folders may stand for one partition of the entry.
      val wanted = there.map(name.partition).groupBy(_.name).map(_._2.head).toSeq.sortBy(_.name)
      val names = wanted.map(_.name).toSet
      if (isNew) (add(wanted, _ => Set.empty), 0)
      else if (since.areAll) {
        val all = writer.all(name.entry)
        (add(wanted, _ => all.keySet), drop(all.filterNot(e => names(e._1)).values.toSeq))
      } else {
        val left = gone.map(name.partition).filterNot(p => names(p.name))
        (add(wanted, writer.present(name.entry, _)),
          drop(left.grouped(conf.batch).flatMap { some =>
            val present = writer.present(name.entry, some)
            some.filter(p => present(p.name)).map(_.values)
          }.toSeq))
      }
    }

  private def add(wanted: Seq[EntryPartition], present: Seq[EntryPartition] => Set[String]): Int =
    wanted.grouped(conf.batch).map { some =>
      val there = present(some)
      val fresh = some.filterNot(p => there(p.name))
      if (fresh.nonEmpty) writer.add(name.entry, fresh)
      fresh.size
    }.sum

  private def drop(left: Seq[Seq[String]]): Int = {
    left.grouped(conf.batch).foreach(writer.drop(name.entry, _))
    left.size
  }
}
