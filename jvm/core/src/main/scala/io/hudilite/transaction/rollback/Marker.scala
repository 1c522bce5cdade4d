package io.hudilite.transaction.rollback

import io.hudilite.filegroup.FileNames

/** Marker of a data file that an attempt meant to write. Its path is relative to the base path. */
final case class Marker(relativePath: String, ioType: String)

/** The name of a marker, below the folder of its instant: `<partition>/<data file>.marker.<kind of write>`. */
private[rollback] object MarkerName {

  val Separator = ".marker."

  private val IoTypes = Set(Markers.Create, Markers.Merge, Markers.Append)

  def of(marker: Marker): String = s"${marker.relativePath}$Separator${marker.ioType}"

  /** The marker of this name; `None` when it names no file that the instant can have written. Callers delete the file
    * that it names, so nothing is guessed here.
    */
  def parse(name: String, instant: String): Option[Marker] = name.lastIndexOf(Separator) match {
    case -1 => None
    case at =>
      Some(Marker(name.substring(0, at), name.substring(at + Separator.length)))
        .filter(m => IoTypes(m.ioType) && DataPath.parse(m.relativePath).exists(mayWrite(instant, m.ioType, _)))
  }

  private def mayWrite(instant: String, ioType: String, path: DataPath): Boolean =
    FileNames.parseBaseFile(path.name).exists(_.instant == instant && ioType != Markers.Append) ||
      FileNames.parseLogFile(path.name).exists(log => log.time == instant || ioType == Markers.Append)
}
