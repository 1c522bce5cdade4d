package io.hudilite.metadata

import io.hudilite.codec.hfile.{HFile, HFileRecords}
import io.hudilite.log.{BlockKind, DeleteBlock, LogBlock, LogFiles}
import io.hudilite.storage.Storage

import java.nio.charset.StandardCharsets.UTF_8

/** The records that Apache Hudi wrote into files of a metadata table, unmerged.
  *
  * @param base
  *   path of the table
  */
final class WrittenRecords(storage: Storage, base: String) {

  private val Base = """(.*)_[^_]+_(\d+)\.hfile""".r
  private val Log = """\.(.*)_\d+\.log\..*""".r

  /** Records of an instant by file group; `None` for those that it deletes.
    *
    * @param files
    *   paths below the table
    */
  def of(instant: String, files: Seq[String]): Map[String, Map[String, Option[MetadataPayload]]] =
    files.flatMap(path =>
      path.substring(path.lastIndexOf('/') + 1) match {
        case Base(fileId, `instant`) => Seq(fileId -> ofBase(s"$base/$path"))
        case Log(fileId) => Seq(fileId -> ofLog(s"$base/$path", instant))
        case _ => Nil
      }).filter(_._2.nonEmpty).groupBy(_._1).map { case (group, all) => group -> all.flatMap(_._2).toMap }

  private def ofBase(path: String): Map[String, Option[MetadataPayload]] = {
    val file = HFile.of(storage.read(path).get, path)
    decoded(file.scan, new String(file.info("schema").get, UTF_8))
  }

  private def ofLog(path: String, instant: String): Map[String, Option[MetadataPayload]] = {
    val files = new LogFiles(storage)
    files.blocks(path, storage.read(path).get.length.toLong).filter(b => b.isMergeable && b.instant == instant)
      .flatMap(block(_, files)).toMap
  }

  private def block(of: LogBlock, files: LogFiles): Map[String, Option[MetadataPayload]] = of.kind match {
    case BlockKind.Delete => DeleteBlock.decode(files.content(of), of.path).map(_.key -> None).toMap
    case _ => decoded(HFile.of(files.content(of), of.path).scan, of.schemaJson)
  }

  private def decoded(records: HFileRecords, schema: String): Map[String, Option[MetadataPayload]] = {
    val codec = RecordCodec.of(schema)
    Iterator.continually(records.next()).takeWhile(identity).map { _ =>
      val key = new String(records.key, UTF_8)
      key -> Option(codec.decode(key, records.buffer, records.offset, records.length).payload)
    }.toMap
  }
}
