package io.hudilite.service.compact

import io.hudilite.config.service.CompactionOptions
import io.hudilite.error.InvalidInput

import java.time.LocalDate
import java.time.format.{DateTimeFormatter, DateTimeParseException}

/** Days in partition paths: `2024/01/31`, `2024-01-31`, `20240131`, each level also as `column=value`; levels below the
  * day are allowed.
  */
private[compact] object DayPartitions {

  // (levels of the path, pattern over these levels joined by '/'); an escaped slash in a level stands for itself.
  private val formats: Seq[(Int, DateTimeFormatter)] = Seq(
    3 -> DateTimeFormatter.ofPattern("uuuu/M/d"),
    1 -> DateTimeFormatter.ofPattern("uuuu-MM-dd"),
    1 -> DateTimeFormatter.ofPattern("uuuu/MM/dd"),
    1 -> DateTimeFormatter.BASIC_ISO_DATE)

  /** The day of a partition; a path that does not begin with a day raises `InvalidInput`. */
  def dayOf(partition: String): LocalDate = {
    val levels = partition.split('/').map(level => level.substring(level.indexOf('=') + 1).replace("%2F", "/"))
    formats.view.flatMap { case (depth, format) => parsed(levels.take(depth).mkString("/"), format) }.headOption
      .getOrElse(throw InvalidInput("INVALID_OPTION_VALUE", "option" -> CompactionOptions.Strategy.name,
          "value" -> "DayBased",
          "reason" -> s"the partition '$partition' is not a day, and this strategy goes by days"))
  }

  private def parsed(text: String, format: DateTimeFormatter): Option[LocalDate] =
    try Some(LocalDate.parse(text, format))
    catch { case _: DateTimeParseException => None }
}
