package io.hudilite.outside

import io.hudilite.config.key.ConfigKey
import io.hudilite.error.InvalidInput

import java.util.Locale

/** A lock file that programs on several machines share.
  *
  * @param folder
  *   folder of the file; `None` = the table's `.hoodie`
  * @param expiryMs
  *   age at which nobody holds it any more; 0 = never
  * @param vouched
  *   schemes of storages of which the user says that they let one of two create a file
  */
final case class LockFileConf(folder: Option[String], expiryMs: Long, vouched: Set[String])

/** Options of Hudi's lock providers. The lock of a process and its machine is taken always; that of
  * `FileSystemBasedLockProvider` on top of it where it is asked for.
  */
object LockOptions {

  val Mode = "hoodie.write.concurrency.mode"
  val Provider = "hoodie.write.lock.provider"

  val Folder: ConfigKey[String] = ConfigKey.text("hoodie.write.lock.filesystem.path", None,
    "With the provider FileSystemBasedLockProvider: the folder of the lock file, by default the table's `.hoodie`.")

  val Expiry: ConfigKey[Int] = ConfigKey.int("hoodie.write.lock.filesystem.expire", 0,
    "With that provider: age at which the lock file of a program counts for nobody's; 0 keeps it until it is deleted.",
    0,
    "minutes")

  val Vouched: ConfigKey[Seq[String]] = ConfigKey.list("hoodie.fs.atomic_creation.support",
    "With that provider: schemes of storages, beside `file`, `hdfs` and `viewfs`, that let one of two create a file.")

  val all: Seq[ConfigKey[_]] = Seq(Folder, Expiry, Vouched)

  private val InProcess = ".InProcessLockProvider"
  private val OnStorage = ".FileSystemBasedLockProvider"

  /** The lock file that these options ask for. */
  def of(options: Map[String, String]): Option[LockFileConf] = provider(options).filter(_.endsWith(OnStorage)).map(_ =>
    LockFileConf(Folder.get(options).filter(_.nonEmpty), Expiry(options) * 60000L,
      Vouched.get(options).getOrElse(Nil).map(_.toLowerCase(Locale.ROOT)).toSet))

  /** Raises `InvalidInput` for a provider, or a mode, in which hudilite would not exclude other writers. */
  def check(options: Map[String, String]): Unit = {
    val said = provider(options)
    said.filterNot(name => Seq(InProcess, OnStorage).exists(name.endsWith)).foreach(name =>
      refuse(Provider, name,
        "it needs a client that hudilite does not bring; FileSystemBasedLockProvider reaches several machines"))
    ConfigKey.lookUp(options, Mode).map(_.trim.toUpperCase(Locale.ROOT)).foreach {
      case "SINGLE_WRITER" =>
      case "OPTIMISTIC_CONCURRENCY_CONTROL" if said.nonEmpty =>
      case "OPTIMISTIC_CONCURRENCY_CONTROL" =>
        refuse(Mode, "OPTIMISTIC_CONCURRENCY_CONTROL",
          s"without $Provider hudilite's lock covers one machine")
      case other => refuse(Mode, other, "writers of one file group exclude each other")
    }
  }

  private def provider(options: Map[String, String]): Option[String] =
    ConfigKey.lookUp(options, Provider).map(_.trim)

  private def refuse(option: String, value: String, reason: String): Unit =
    throw InvalidInput("OPTION_NOT_SUPPORTED", "option" -> option, "value" -> value, "reason" -> reason)
}
