package io.hudilite.config

import io.hudilite.error.{CommitConflict, CorruptTable, InvalidInput}
import io.hudilite.storage.{Cached, Found, Storage, Undo, WeightedCache}

/** Reads, creates and updates `.hoodie/hoodie.properties` (docs/format.md, table properties).
  *
  * Updates follow Hudi's protocol, in which the file is absent for a moment and its backup stands in.
  */
object TableProperties {

  /** Name of the file in `.hoodie`. The backup's name begins with it. */
  val FileName = "hoodie.properties"

  // Content and tag of files that were read, by path.
  private val Read = new Cached(new WeightedCache[String, (String, PropertiesFile.Parsed)](KeptBytes))
  private def KeptBytes: Long = 8L << 20

  private val Attempts = 5
  private val PauseMs = 200L

  def exists(storage: Storage, basePath: String): Boolean =
    storage.exists(file(basePath)) || storage.exists(backup(basePath))

  /** The configuration of the table at this path; `None` when there is no sign of a table. */
  def find(storage: Storage, basePath: String): Option[TableConfig] =
    try Some(read(storage, basePath))
    catch { case e: InvalidInput if e.condition == "TABLE_NOT_FOUND" => None }

  /** The table's configuration. Raises `TABLE_NOT_FOUND` at once when there is no sign of a table. */
  def read(storage: Storage, basePath: String): TableConfig = read(storage, basePath, Thread.sleep(_))

  private[config] def read(storage: Storage, basePath: String, pause: Long => Unit): TableConfig = {
    // A reader between the steps of an update can miss both files in one look, but never in two.
    def attempt(left: Int): TableConfig = current(storage, file(basePath)) match {
      case Some(Right(properties)) => TableConfig(properties)
      case main => look(storage, backup(basePath)) match {
          case Some(Right(properties)) => TableConfig(properties)
          case None if main.isEmpty && !exists(storage, basePath) =>
            throw InvalidInput("TABLE_NOT_FOUND", "path" -> basePath)
          case _ if left > 1 =>
            pause(PauseMs)
            attempt(left - 1)
          case saved => throw CorruptTable("CORRUPT_TABLE_PROPERTIES", "path" -> file(basePath),
              "reason" -> reasonOf(main, saved))
        }
    }
    attempt(Attempts)
  }

  /** The properties of a file that somebody gives, or why they cannot be a table's. */
  def parse(content: Array[Byte]): Either[String, Map[String, String]] = PropertiesFile.parse(content)

  /** Flaws of the file of the properties and of its backup, where there is one. */
  def health(storage: Storage, basePath: String): PropertiesHealth =
    PropertiesHealth(flaw(look(storage, file(basePath))), look(storage, backup(basePath)).map(b => flaw(Some(b))))

  /** As [[look]]; content that this process has read is not read again while the storage says that it is still there. */
  private def current(storage: Storage, path: String): Option[PropertiesFile.Parsed] = {
    val read = Read.of(storage)
    val known = read.get(path)
    storage.readUnlessKnown(path, known.map(_._1)) match {
      case Found.Nothing => None
      case Found.Known => known.map(_._2)
      case Found.Content(bytes, tag) =>
        val parsed = PropertiesFile.parse(bytes)
        tag.foreach(t => read.put(path, (t, parsed), bytes.length.toLong))
        Some(parsed)
    }
  }

  private def look(storage: Storage, path: String): Option[PropertiesFile.Parsed] =
    storage.read(path).map(PropertiesFile.parse)

  private def flaw(found: Option[PropertiesFile.Parsed]): Option[String] =
    found.fold(Option("it is missing"))(_.left.toOption)

  private def reasonOf(main: Option[PropertiesFile.Parsed], saved: Option[PropertiesFile.Parsed]): String =
    (flaw(main) ++ saved.flatMap(s => flaw(Some(s))).map(reason => s"the backup: $reason")).mkString("; ")

  /** Makes the folder of table files and the properties. Raises `TABLE_ALREADY_EXISTS` for a table of somebody else.
    * After a failure no properties of this call are left.
    */
  def create(storage: Storage, basePath: String, config: TableConfig): Unit = {
    storage.makeDirectory(folder(basePath))
    if (config.layout == 2) storage.makeDirectory(s"${folder(basePath)}/${config.timelinePath}")
    val content = PropertiesFile.render(config.properties, storage.clock.instant())
    val created = try !storage.exists(backup(basePath)) && storage.createNew(file(basePath), content)
    catch {
      case e: Throwable => throw Undo.after(e)(
          if (storage.read(file(basePath)).exists(_.sameElements(content))) storage.delete(file(basePath)))
    }
    if (!created) throw InvalidInput("TABLE_ALREADY_EXISTS", "path" -> basePath)
  }

  /** Deletes the properties of a table that nobody uses. The caller holds the table lock. */
  def delete(storage: Storage, basePath: String): Unit = {
    storage.delete(backup(basePath))
    storage.delete(file(basePath))
    ()
  }

  /** Replaces the properties by `change` of them. The caller holds the table lock. Raises `CONCURRENT_TABLE_UPDATE`
    * where another program, beyond the reach of the lock, changes them meanwhile.
    */
  def update(storage: Storage, basePath: String)(change: Map[String, String] => Map[String, String]): TableConfig = {
    recover(storage, basePath)
    val before = read(storage, basePath)
    val after = TableConfig(change(before.properties))
    if (after != before) swap(storage, basePath, before, after)
    after
  }

  /** Ends an update that died and left its backup: restores the file from it when the file is not whole, and then drops
    * the backup. The caller holds the table lock.
    */
  private[hudilite] def recover(storage: Storage, basePath: String): Unit =
    storage.read(backup(basePath)).foreach { saved =>
      val whole = look(storage, file(basePath)).exists(_.isRight)
      val savedWhole = PropertiesFile.parse(saved).isRight
      if (!whole && savedWhole) {
        storage.delete(file(basePath))
        storage.createNew(file(basePath), saved)
      }
      if (whole || savedWhole) storage.delete(backup(basePath))
    }

  private def swap(storage: Storage, basePath: String, before: TableConfig, after: TableConfig): Unit = {
    val current = storage.read(file(basePath)).getOrElse(throw InvalidInput("TABLE_NOT_FOUND", "path" -> basePath))
    PropertiesFile.parse(current) match {
      case Right(found) if TableConfig(found) == before =>
      case _ => throw conflict(basePath)
    }
    if (!storage.createNew(backup(basePath), current)) throw conflict(basePath)
    storage.delete(file(basePath))
    if (!storage.createNew(file(basePath), PropertiesFile.render(after.properties, storage.clock.instant())))
      throw conflict(basePath)
    verify(storage, basePath, after)
    storage.delete(backup(basePath))
  }

  private def verify(storage: Storage, basePath: String, after: TableConfig): Unit =
    look(storage, file(basePath)) match {
      case Some(Right(found)) if found - TableKeys.Checksum == after.properties - TableKeys.Checksum =>
      case other =>
        storage.delete(file(basePath))
        throw CorruptTable("CORRUPT_TABLE_PROPERTIES", "path" -> file(basePath),
          "reason" -> s"its update did not read back as written (${reasonOf(other, None)}); the backup is in force")
    }

  private def conflict(basePath: String): CommitConflict =
    CommitConflict("CONCURRENT_TABLE_UPDATE", "path" -> file(basePath))

  private def folder(basePath: String): String = s"${basePath.stripSuffix("/")}/.hoodie"
  private def file(basePath: String): String = s"${folder(basePath)}/$FileName"
  private def backup(basePath: String): String = s"${folder(basePath)}/$FileName.backup"
}

/** Health of a table's properties.
  *
  * @param flaw
  *   flaw of the file itself; `None` when it is whole
  * @param backup
  *   flaw of the backup, as of `flaw`; `None` when there is no backup
  */
final case class PropertiesHealth(flaw: Option[String], backup: Option[Option[String]]) {

  /** True when an update is under way, or died. */
  def hasBackup: Boolean = backup.isDefined

  /** True when one of the two files can be read. */
  def isReadable: Boolean = flaw.isEmpty || backup.contains(None)
}
