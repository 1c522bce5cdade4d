package io.hudilite.spark.procedure

import io.hudilite.table.Table
import io.hudilite.timeline.{Action, Instant, InstantResults}

import java.nio.charset.StandardCharsets.UTF_8
import java.nio.file.{Files, Path, Paths}

import org.apache.hadoop.fs.{Path => HadoopPath}
import org.apache.spark.sql.Row
import org.apache.spark.sql.types.StringType

/** Procedures that tell what completed actions did, those of the archive among them. */
private[procedure] object InstantProcedures {

  private val Folder = "local_folder"
  private val Actions = "clean,commit,deltacommit,rollback,savepoint,restore"

  private val exporting = Procedure("export_instants",
    "Writes what completed actions did into a local folder, a JSON text for each.",
    Seq(Parameter.Table, Parameter.text(Folder, "a folder of the machine of the session's driver, which is there"),
      Parameter.integer("limit", -1, "how many; -1 for all"),
      Parameter.text("actions", Actions, s"some of ${InstantResults.Actions.mkString(", ")}"),
      Parameter.flag("desc", "the newest first"), Parameter.Path), Seq("export_detail" -> StringType)) {
    (session, arguments) =>
      val folder = arguments.needed(Folder)
      val limit = arguments.integer("limit").filter(_ != -1).map(most =>
        if (most < 0) throw arguments.invalid("limit", most.toString, "it must be -1 for all, or 0 or more") else most)
      ServiceCall.of(session, arguments).onTable { (table, _) =>
        val written = new InstantExport(table, arguments, folder).write(actions(arguments), limit,
          arguments.flag("desc"))
        Seq(Row(s"Exported $written Instants to $folder"))
      }
  }

  private def actions(arguments: Arguments): Set[String] = {
    val asked = arguments.list("actions").getOrElse(Actions.split(',').toSeq)
    asked.find(!InstantResults.Actions.contains(_)).foreach(other =>
      throw arguments.invalid("actions", other,
        s"name some of ${InstantResults.Actions.mkString(", ")}"))
    asked.toSet
  }

  private val status = Listing("show_file_status", "Says of a file if it is there, or which action deleted it.",
    Seq(Parameter.Table, Parameter.Path, Parameter.text("partition", "the path of the partition of the file"),
      Parameter.text("file", "the name of the file"), Listing.Filter),
    Seq("status", "action", "instant", "timeline", "full_path").map(_ -> StringType)) { (table, arguments) =>
    val (partition, file) = (arguments.text("partition"), arguments.needed("file"))
    if (partition.isEmpty && table.config.partitionFields.nonEmpty)
      throw arguments.invalid("partition", "", "the table has partitions; name the one of the file")
    val of = partition.getOrElse("")
    val results = new InstantResults(table.store, table.timeline)
    val deleted = Seq(Action.Clean, Action.Rollback, Action.Restore).iterator.flatMap(action =>
      results.deletion(action, Some(of), file).map(action -> _)).take(1).toList.headOption
    Iterator(deleted match {
      case Some((action, found)) =>
        Row("deleted", action, found.instant.time, if (found.isArchived) "archived" else "active", "")
      case None => present(table, of, file).fold(Row("unknown", "", "", "", ""))(path =>
          Row("exist", "", "", "active", path))
    })
  }

  private def present(table: Table, partition: String, file: String): Option[String] = {
    val folder = s"${table.basePath.stripSuffix("/")}/$partition".stripSuffix("/")
    table.storage.list(folder).find(found => !found.isDirectory && found.name == file).map(found =>
      new HadoopPath(found.path).toUri.getPath)
  }

  val All: Seq[Procedure] = Seq(exporting, status)
}

/** Files of a local folder with what completed actions did. Files that are there already stay. */
private[procedure] final class InstantExport(table: Table, arguments: Arguments, named: String) {

  private val folder: Path = {
    val path = Paths.get(named)
    if (!Files.isDirectory(path)) throw invalid("it is no folder of the machine of the session's driver")
    val own = new HadoopPath(table.basePath).toUri
    val isLocal = own.getScheme == null || own.getScheme == "file"
    if (isLocal && path.toRealPath().startsWith(Paths.get(own.getPath).toRealPath()))
      throw invalid("it lies in the table")
    path
  }

  private val results = new InstantResults(table.store, table.timeline)

  /** Number of the instants that were written. */
  def write(actions: Set[String], limit: Option[Int], newestFirst: Boolean): Int = {
    val (active, archived) = (results.active(actions).map(_ -> false), results.archived(actions).map(_ -> true))
    val all = if (newestFirst) (archived ++ active).reverse else archived ++ active
    val (ofArchive, ofTimeline) = limit.fold(all)(all.take).partition(_._2)
    val texts = results.texts(ofTimeline.map(_._1)) ++
      (if (ofArchive.isEmpty) Iterator.empty else results.archivedTexts(ofArchive.map(_._1)))
    texts.map { case (instant, text) => write(instant, text.getBytes(UTF_8)) }.size
  }

  private def write(instant: Instant, content: Array[Byte]): Unit = {
    val file = folder.resolve(instant.fileName)
    if (!Files.exists(file)) Files.write(file, content)
    else if (!java.util.Arrays.equals(Files.readAllBytes(file), content))
      throw invalid(s"it has a file ${instant.fileName} of other content; name an empty folder")
    ()
  }

  private def invalid(reason: String) = arguments.invalid("local_folder", named, reason)
}
