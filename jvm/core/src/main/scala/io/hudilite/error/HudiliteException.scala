package io.hudilite.error

import scala.util.control.NonFatal

/** The closed family of errors that hudilite raises on purpose, cut by what the caller does next.
  *
  * Every error is a condition of `error-conditions.json` with parameters; its text starts with `[CONDITION]`, which is
  * the part that survives executors, py4j and Spark Connect. A bug is an `IllegalStateException`, outside the family.
  */
sealed trait HudiliteException extends Throwable {

  /** Name of the condition, e.g. `UNKNOWN_OPTION`. */
  def condition: String

  /** Values of the condition's message parameters. */
  def parameters: Map[String, String]
}

object HudiliteException {

  /** The error of hudilite's that `error` is or carries, as Spark's failure of a job does. Where a job was given up at
    * the first failure of a task, it is read from the text, which is all that is left.
    */
  def in(error: Throwable): Option[HudiliteException] = {
    val chain = Iterator.iterate(error)(_.getCause).takeWhile(_ != null).toList
    chain.collectFirst { case own: HudiliteException => own }.orElse(
      chain.flatMap(e => Option(e.getMessage).flatMap(Conditions.read)).headOption.map { case (condition, parameters) =>
        of(condition.kind, condition.name, parameters, null)
      })
  }

  /** The error to raise for `error`: itself, unless it wraps an error of hudilite's. Then that error is raised once
    * more, in its one line, with everything around it as its cause.
    */
  def unwrapped(error: Throwable): Throwable =
    in(error).filter(_ ne error).fold(error)(e => of(e.getClass.getSimpleName, e.condition, e.parameters, error))

  private def of(kind: String, condition: String, parameters: Map[String, String], cause: Throwable)
      : Throwable with HudiliteException = kind match {
    case "InvalidInput" => new InvalidInput(condition, parameters, cause)
    case "UnsupportedTable" => new UnsupportedTable(condition, parameters, cause)
    case "CommitConflict" => new CommitConflict(condition, parameters, cause)
    case "CommitStateUnknown" => new CommitStateUnknown(condition, parameters, cause)
    case "CorruptTable" => new CorruptTable(condition, parameters, cause)
  }

  /** Runs `body`; errors that it raises are [[unwrapped]]. */
  def unwrapping[T](body: => T): T =
    try body
    catch { case NonFatal(e) => throw unwrapped(e) }
}

/** Fix the call: an option, a column, a value or a path is wrong. */
final class InvalidInput(val condition: String, val parameters: Map[String, String], cause: Throwable)
    extends IllegalArgumentException(Conditions.render(condition, parameters), cause)
    with HudiliteException

/** The table or the request needs a feature that hudilite lacks. */
final class UnsupportedTable(val condition: String, val parameters: Map[String, String], cause: Throwable)
    extends UnsupportedOperationException(Conditions.render(condition, parameters), cause)
    with HudiliteException

/** Another writer won: nothing of this write is visible, and trying again is safe. */
final class CommitConflict(val condition: String, val parameters: Map[String, String], cause: Throwable)
    extends RuntimeException(Conditions.render(condition, parameters), cause)
    with HudiliteException

/** It is not known whether the commit landed: check before trying again; nothing was deleted. */
final class CommitStateUnknown(val condition: String, val parameters: Map[String, String], cause: Throwable)
    extends RuntimeException(Conditions.render(condition, parameters), cause)
    with HudiliteException

/** Bytes on storage break the format. */
final class CorruptTable(val condition: String, val parameters: Map[String, String], cause: Throwable)
    extends RuntimeException(Conditions.render(condition, parameters), cause)
    with HudiliteException

object InvalidInput {
  def apply(condition: String, parameters: (String, String)*): InvalidInput =
    new InvalidInput(condition, parameters.toMap, null)

  /** The value of an option or argument that cannot be honoured. */
  def option(name: String, value: String, reason: String): InvalidInput =
    InvalidInput("INVALID_OPTION_VALUE", "option" -> name, "value" -> value, "reason" -> reason)

  def because(cause: Throwable, condition: String, parameters: (String, String)*): InvalidInput =
    new InvalidInput(condition, parameters.toMap, cause)
}

object UnsupportedTable {

  /** Ways out of a feature that is missing, for the parameter `way`. */
  val ByHudi = "Use Apache Hudi for this table"
  val WrittenByHudi = "Write to it with Apache Hudi, or write its rows to a new table"
  val NewTable = "Write its rows to a new table"

  def apply(condition: String, parameters: (String, String)*): UnsupportedTable =
    new UnsupportedTable(condition, parameters.toMap, null)
}

object CommitConflict {
  def apply(condition: String, parameters: (String, String)*): CommitConflict =
    new CommitConflict(condition, parameters.toMap, null)
}

object CommitStateUnknown {
  def because(cause: Throwable, condition: String, parameters: (String, String)*): CommitStateUnknown =
    new CommitStateUnknown(condition, parameters.toMap, cause)
}

object CorruptTable {

  /** Runs `parse` on bytes already in memory. Any exception means that the file at `path` is corrupt. */
  def guard[T](path: String)(parse: => T): T =
    try parse
    catch {
      case e: HudiliteException => throw e
      case NonFatal(e) =>
        throw because(e, "CORRUPT_FILE", "path" -> path,
          "reason" -> Option(e.getMessage).getOrElse(e.getClass.getSimpleName).takeWhile(_ != '\n'))
    }

  /** Runs `body`; a damage that it finds names the hint in its reason, too. */
  def hinting[T](hint: String)(body: => T): T =
    try body
    catch {
      case e: CorruptTable =>
        val reason = e.parameters.get("reason").fold(hint)(r => s"$r; $hint")
        throw because(e, e.condition, e.parameters.updated("reason", reason).toSeq: _*)
    }

  def apply(condition: String, parameters: (String, String)*): CorruptTable =
    new CorruptTable(condition, parameters.toMap, null)
  def because(cause: Throwable, condition: String, parameters: (String, String)*): CorruptTable =
    new CorruptTable(condition, parameters.toMap, cause)
}
