package io.hudilite.stats

import io.hudilite.filegroup.{BaseFile, BaseFileFooter, FooterCache}
import io.hudilite.storage.Parallel

import org.apache.hadoop.conf.Configuration

/** Statistics from the files' own Parquet footers, which are opened beside each other and kept by the process
  * (`FooterCache`). Where columns are wanted it is the whole footer that is opened, as for a read.
  */
private[stats] final class FooterStatistics(basePath: String, conf: => Configuration) extends FileStatistics {

  private lazy val hadoop = conf

  override def eachFile[A](files: Seq[BaseFile], wanted: BoundsWanted)(
      use: (BaseFile, FileBounds) => A): Map[BaseFile, A] =
    if (files.isEmpty) Map.empty
    else {
      val settings = hadoop // the session that it comes from is known to the caller's thread alone
      files.zip(Parallel.map(files)(file => use(file, bounds(settings, file, wanted)))).toMap
    }

  override def isAtHand(file: BaseFile, wanted: BoundsWanted): Boolean =
    wanted.columns.isEmpty && FooterCache.has(pathOf(file), file.length, wanted.blooms)

  private def pathOf(file: BaseFile): String = s"${basePath.stripSuffix("/")}/${file.relativePath}"

  private def bounds(settings: Configuration, file: BaseFile, wanted: BoundsWanted): FileBounds = {
    val path = pathOf(file)
    def ofKeys: BaseFileFooter = FooterCache.read(settings, path, file.length, wanted.blooms)
    if (wanted.columns.isEmpty) boundsOf(ofKeys)
    else {
      val whole = FooterCache.metadata(settings, path, file.length)
      boundsOf(if (wanted.blooms) ofKeys else BaseFileFooter.withoutBloom(path, whole))
        .copy(columns = FooterColumns.of(whole, wanted.columns))
    }
  }

  private def boundsOf(footer: BaseFileFooter): FileBounds = FileBounds(footer.rows,
    KeyBounds(footer.minKey, footer.maxKey, footer.bloom, footer.sortedByKey, footer.uniqueKeys))
}
