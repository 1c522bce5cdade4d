package io.hudilite.metadata.known

import io.hudilite.error.HudiliteException
import io.hudilite.metadata.{ExpressionIndex, KnownFile}
import io.hudilite.storage.Storage
import io.hudilite.timeline.{FactsTeller, ToldFacts, WriteStat}

/** The facts on its files that a task tells, so that nobody reads them again.
  *
  * @param columns
  *   dotted names of the columns to tell of
  * @param blooms
  *   tell of bloom filters, too
  * @param expressions
  *   tell of the values of these, too
  */
final case class WantedFacts(columns: Seq[String], blooms: Boolean, expressions: Seq[ExpressionIndex] = Nil)
    extends FactsTeller {

  /** That which tells of files. */
  def on(storage: Storage): FactsOfFiles = new FactsOfFiles(storage, columns, blooms, expressions)

  /** A file of which they cannot be told has none, nor one whose filter is too long to be sent. Filters of values all have
    * a length, so that a task sends those of a few files, and the fewer the more tasks there are.
    */
  override def told(storage: Storage, basePath: String, stats: Seq[WriteStat], tasks: Int): Seq[WriteStat] = {
    val files = on(storage)
    val filters = expressions.count(_.isFilter)
    val (some, others) = if (filters == 0) (stats, Nil) else stats.splitAt(WantedFacts.filtersOf(tasks) / filters)
    some.map { stat =>
      try {
        val file = files.of(s"${basePath.stripSuffix("/")}/${stat.path}", stat.fileSizeInBytes)
        if (file.bloom.exists(_.length > WantedFacts.MostSent)) stat else stat.copy(facts = Some(ToldFile(file, this)))
      } catch {
        case _: HudiliteException => stat
        case _: IllegalArgumentException => stat
      }
    } ++ others
  }

  private[known] def covers(
      other: WantedFacts): Boolean = (blooms || !other.blooms) && other.columns.forall(columns.contains) &&
    other.expressions.forall(expressions.contains)
}

object WantedFacts {
  private val MostSent = 64 * 1024

  // Of values of functions, each of 431,380 characters.
  private val MostFilters = 8

  // The driver takes no more, some 64 MB.
  private val MostOfAll = 150

  private def filtersOf(tasks: Int): Int = math.min(MostFilters, MostOfAll / math.max(1, tasks))
}

/** Facts on a file that a task has written.
  *
  * @param wanted
  *   said to the task
  */
final case class ToldFile(of: KnownFile, wanted: WantedFacts) extends ToldFacts

object ToldFile {

  /** The facts that are wanted of a file, where its task has told them. */
  def of(stat: WriteStat, wanted: WantedFacts): Option[KnownFile] = stat.facts.collect {
    case ToldFile(file, said) if said.covers(wanted) =>
      file.copy(columns = file.columns.filter(c => wanted.columns.contains(c._1)))
  }
}
