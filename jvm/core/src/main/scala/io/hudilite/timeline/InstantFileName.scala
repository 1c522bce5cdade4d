package io.hudilite.timeline

import io.hudilite.error.CorruptTable
import io.hudilite.storage.FileInfo

import java.time.ZoneId

/** Grammar of the timeline's file names, `T` = instant, `C` = completion time (docs/format.md, timeline file names):
  *
  * {{{
  * T.<action>.requested      T.<action>.inflight      T.inflight = inflight commit
  * T.<action>                completed, layout 1; in layout 2 left over from a table that was upgraded
  * T_C.<action>              completed, layout 2
  * }}}
  *
  * A compaction completes as a commit, a log compaction as a delta commit, a clustering as a replace commit. In
  * layout 1 a clustering is a replace commit from the start.
  */
private[timeline] object InstantFileName {

  private val Name = "(\\d+)(?:_(\\d+))?\\.(.+)".r
  private val Requested = "(\\w+)\\.requested".r
  private val Inflight = "(\\w+)\\.inflight".r

  def requested(time: String, action: String, layout: Int): String =
    s"$time.${pendingAction(action, layout)}.requested"

  def inflight(time: String, action: String, layout: Int): String = pendingAction(action, layout) match {
    case Action.Commit => s"$time.inflight"
    case other => s"$time.$other.inflight"
  }

  def completed(time: String, action: String, completionTime: String, layout: Int): String =
    if (layout == 1) s"$time.${Action.completed(action)}" else s"${time}_$completionTime.${Action.completed(action)}"

  private def pendingAction(action: String, layout: Int): String =
    if (layout == 1 && action == Action.Clustering) Action.ReplaceCommit else action

  /** The instants of a listing, each in its highest state, ordered by time and then by action.
    *
    * @param isTime
    *   an instant of the timeline can have this time
    */
  def instants(files: Seq[FileInfo], layout: Int, zone: ZoneId, isTime: String => Boolean = InstantTime.isOfTimeline)
      : Seq[Instant] =
    files.filterNot(_.isDirectory).flatMap(instant(_, layout, zone, isTime))
      .groupBy(i => (i.time, i.comparableAction)).values.map(_.maxBy(_.state.rank)).toList
      .sortBy(i => (i.time, i.comparableAction))

  /** The state that one file shows; `None` for other files and for a crash's leftovers. A time that is no time raises
    * `CorruptTable`: nothing could be ordered by it, and no later time could be made.
    */
  def instant(file: FileInfo, layout: Int, zone: ZoneId, isTime: String => Boolean = InstantTime.isOfTimeline)
      : Option[Instant] =
    parse(file.name).map(checked(_, file, isTime).copy(fileBytes = file.length)).flatMap {
      case i if !Action.all(i.action) => None
      case i if i.isPending => if (i.completionTime.isEmpty) Some(i) else None
      // A write whose completed file is empty was never acknowledged: it stays pending.
      case i if file.length == 0 && Action.Writes(i.action) => None
      case i if layout == 1 => if (i.completionTime.isEmpty) Some(i) else None
      case i if i.completionTime.isEmpty =>
        Some(i.copy(completionTime = Some(InstantTime.fromEpochMillis(file.modifiedMs, zone))))
      case i => Some(i)
    }

  private def checked(instant: Instant, file: FileInfo, isTime: String => Boolean): Instant =
    (instant.time +: instant.completionTime.toSeq).filter(_ => Action.all(instant.action))
      .find(!isTime(_)).fold(instant)(time =>
        throw CorruptTable("CORRUPT_FILE", "path" -> file.path,
          "reason" -> s"$time in its name is not the time of an instant"))

  /** The instant that a name says, without regard to the content. */
  def parse(name: String): Option[Instant] = name match {
    case Name(time, completionTime, rest) =>
      val (action, state) = rest match {
        case "inflight" => (Action.Commit, State.Inflight)
        case Requested(a) => (a, State.Requested)
        case Inflight(a) => (a, State.Inflight)
        case a => (a, State.Completed)
      }
      Some(Instant(time, action, state, Option(completionTime), name))
    case _ => None
  }
}
