package io.hudilite.stats

import java.util.concurrent.ConcurrentHashMap

/** Ranges that another source has told, which is asked for each column of a file once, also where it does not know it. */
private[hudilite] final class RememberedRanges(source: ColumnRanges) extends ColumnRanges {

  private val told = new ConcurrentHashMap[(String, FilterColumn), Option[ColumnRange]]()

  override def knows(file: AskedFile): Boolean = source.knows(file)

  override def of(files: Seq[AskedFile]): Map[AskedFile, Map[FilterColumn, ColumnRange]] = {
    val questions = files.map(file =>
      file.copy(columns = file.columns.filterNot { case (column, _) => told.containsKey(file.relativePath -> column) }))
      .filter(_.columns.nonEmpty)
    val answers = if (questions.isEmpty) Map.empty[AskedFile, Map[FilterColumn, ColumnRange]] else source.of(questions)
    for (file <- questions; column <- file.columns.keys)
      told.put(file.relativePath -> column, answers.get(file).flatMap(_.get(column)))
    files.map(file => file -> known(file)).toMap
  }

  private def known(file: AskedFile): Map[FilterColumn, ColumnRange] =
    (for (column <- file.columns.keys.iterator; range <- told.get(file.relativePath -> column)) yield column -> range)
      .toMap
}
