package io.hudilite.transaction.lock

import io.hudilite.error.{CommitConflict, InvalidInput}
import io.hudilite.storage.{Interrupts, Storage, StorageTime, TableStorage, Undo}

import java.io.IOException
import java.time.Instant
import java.util.{Locale, UUID}
import java.util.concurrent.{ConcurrentHashMap, TimeUnit}

import com.fasterxml.jackson.databind.ObjectMapper

import org.slf4j.LoggerFactory

import scala.util.control.NonFatal

/** Settings of a lock file that programs on several machines share.
  *
  * @param folder
  *   folder of the file; `None` = the table's `.hoodie`
  * @param expiryMs
  *   age at which the file counts for nobody's; 0 = never
  * @param vouched
  *   schemes of storages of which the user says that they let one of two create a file
  */
final case class StorageLockSettings(folder: Option[String] = None, expiryMs: Long = 0L,
    vouched: Set[String] = Set.empty)

/** The lock file of Apache Hudi's `FileSystemBasedLockProvider`: whoever creates it has the lock, and deletes it. It keeps
  * processes on several machines apart, Hudi's writers among them. It is taken while the lock of this process and machine
  * is held (docs/format.md#a-lock-file-for-several-machines).
  */
private[transaction] final class StorageLock(ofTable: Storage, basePath: String, settings: StorageLockSettings) {

  import StorageLock._

  private val storage = settings.folder.fold(ofTable)(_ => TableStorage.whole(ofTable))
  private val folder = settings.folder.getOrElse(s"$basePath/.hoodie").stripSuffix("/")
  private val path = s"$folder/$Name"

  /** Raises `InvalidInput` where the storage may let two create the file, or other machines do not see it. */
  def check(): Unit = {
    val scheme = schemeOf(folder)
    if (!Atomic(scheme) && !settings.vouched(scheme))
      refuse(s"the storage $scheme may let two writers create one lock file; where it does not, name it in " +
        "hoodie.fs.atomic_creation.support")
    if (scheme == Local && schemeOf(basePath) != Local)
      refuse(
        s"the folder $folder of the lock file is on this machine, and the table is not; choose one beside the table")
  }

  private def refuse(reason: String): Unit = throw InvalidInput("OPTION_NOT_SUPPORTED",
    "option" -> "hoodie.write.lock.provider", "value" -> "FileSystemBasedLockProvider", "reason" -> reason)

  private def schemeOf(path: String): String = {
    val at = path.indexOf(":/")
    if (at > 0) path.substring(0, at).toLowerCase(Locale.ROOT)
    else {
      val place = storage.place(path)
      place.local.fold(place.key.takeWhile(_ != ':'))(_ => Local)
    }
  }

  /** Runs `body` while holding the lock. Raises `LOCK_TIMEOUT` when it is not free in time. */
  def held[T](waitMs: Long)(body: => T): T = {
    check()
    if (isOwn) body
    else if (settings.folder.isEmpty && !storage.exists(folder))
      body // there is no table, since its folder is made first
    else {
      settings.folder.foreach(_ => storage.makeDirectory(folder))
      val hold = Hold(Thread.currentThread(), content())
      acquire(hold, System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(waitMs), waitMs)
      holds.put(path, hold)
      try body
      finally {
        holds.remove(path)
        Interrupts.heldBack(release(hold))
      }
    }
  }

  /** Raises `CommitConflict` when the lock that this thread holds was taken away, as by a program that took it for
    * expired. Apache Hudi deletes the file also where it waited for the lock in vain.
    */
  def checkHeld(): Unit = Option(holds.get(path)).filter(_.thread eq Thread.currentThread()).foreach(hold =>
    if (!isReadable(hold)) throw CommitConflict("COMMIT_CONFLICT", "instant" -> "not told", "path" -> basePath,
      "reason" -> s"the lock file $path, which was held, is gone or another's"))

  // A file that cannot be read, or that its checksum does not fit, is no longer the one that was made.
  private def isReadable(hold: Hold): Boolean =
    try isThere(hold)
    catch { case _: IOException => false }

  private def isOwn: Boolean = Option(holds.get(path)).exists(_.thread eq Thread.currentThread())

  @annotation.tailrec
  private def acquire(hold: Hold, deadline: Long, waitMs: Long): Unit =
    if (!isCreated(hold) && !removeExpired()) {
      if (System.nanoTime() >= deadline)
        throw CommitConflict("LOCK_TIMEOUT", "path" -> basePath, "waitMs" -> waitMs.toString)
      Thread.sleep(PollMs)
      acquire(hold, deadline, waitMs)
    } else if (!orGivenBack(hold)(isThere(hold))) acquire(hold, deadline, waitMs)

  private def isCreated(hold: Hold): Boolean = orGivenBack(hold)(storage.createNew(path, hold.content))

  // The file may be there after any failure, when nobody would delete it.
  private def orGivenBack[T](hold: Hold)(body: => T): T =
    try body
    catch { case e: Throwable => throw Undo.after(e)(twice(giveBack(hold))) }

  private def isThere(hold: Hold): Boolean = storage.read(path).exists(java.util.Arrays.equals(_, hold.content))

  private def removeExpired(): Boolean = settings.expiryMs > 0 && isExpired() && {
    // A file that was made anew since has another content.
    val found = storage.read(path)
    val expired = found.isDefined && isExpired() && storage.read(path).exists(java.util.Arrays.equals(_, found.get))
    if (expired) {
      log.warn("The lock file {} is older than {} ms: nobody holds it any more.", path, settings.expiryMs)
      storage.delete(path)
    }
    expired
  }

  // The age by the storage's time counts. This machine's clock, which may be wrong, keeps that from being asked often.
  private def isExpired(): Boolean = storage.list(folder).exists(f =>
    f.name == Name && storage.clock.millis() - f.modifiedMs > settings.expiryMs / 2 &&
      storageNow - f.modifiedMs > settings.expiryMs)

  private def storageNow: Long = TimeUnit.NANOSECONDS.toMillis(System.nanoTime()) + ahead

  // Milliseconds.
  private lazy val ahead: Long =
    StorageTime.now(storage, folder) - TimeUnit.NANOSECONDS.toMillis(System.nanoTime())

  // Work under the lock is done, so a failure here must not undo it.
  private def release(hold: Hold): Unit =
    try
      if (!twice(giveBack(hold))) log.warn("The lock file {} was gone or another's before it was given back.", path)
    catch { case NonFatal(e) => log.warn(s"The lock file $path could not be deleted; delete it by hand.", e) }

  private def giveBack(hold: Hold): Boolean = isThere(hold) && { storage.delete(path); true }

  // Everybody would wait for a file that stays because of a moment's failure.
  private def twice[T](body: => T): T =
    try body
    catch { case NonFatal(_) => body }

  private def content(): Array[Byte] = mapper.writeValueAsBytes(mapper.createObjectNode()
      .put("lockCreateTime", Instant.ofEpochMilli(storage.clock.millis()).toString)
      .put("lockThreadName", Thread.currentThread().getName).put("lockHolder", s"hudilite ${UUID.randomUUID()}"))
}

private[hudilite] object StorageLock {

  /** Name that Apache Hudi gives the file. */
  val Name = "lock"

  // Apache Hudi's own list.
  private val Atomic = Set("file", "hdfs", "viewfs")
  private val Local = "file"
  private val PollMs = 100L
  private val mapper = new ObjectMapper()
  private val log = LoggerFactory.getLogger("io.hudilite.transaction.StorageLock")

  private final case class Hold(thread: Thread, content: Array[Byte])

  // Held locks of this JVM by their paths. The lock of the process lets one thread of a table come here at a time.
  private val holds = new ConcurrentHashMap[String, Hold]()
}
