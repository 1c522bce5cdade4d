package io.hudilite.spark.read

import io.hudilite.config.TableDefinition
import io.hudilite.filegroup.{FileNames, FileSlice, Partitions}
import io.hudilite.log._
import io.hudilite.record.MetaFields
import io.hudilite.spark.SharedSession
import io.hudilite.spark.row.SchemaConversion
import io.hudilite.storage.HadoopStorage
import io.hudilite.table.Table
import io.hudilite.timeline.WriteStat
import io.hudilite.transaction.Transaction

import java.io.{ByteArrayOutputStream, File}
import java.nio.charset.StandardCharsets.{ISO_8859_1, UTF_8}
import java.nio.file.{Files, Paths}

import org.apache.avro.Schema
import org.apache.avro.generic.{GenericData, GenericDatumWriter, GenericRecord}
import org.apache.avro.io.EncoderFactory
import org.apache.commons.io.FileUtils
import org.apache.hadoop.conf.Configuration
import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.types.StructType

/** A merge-on-read table of one file group, whose log blocks a test writes by hand.
  *
  * @param ordering
  *   the ordering column, or several with commas in between; without one the later record wins
  * @param base
  *   rows of the base file; `None` for a slice of log files alone
  * @param sorted
  *   the base file is hudilite's own, in the order of the keys
  */
final class LoggedTable(base: Option[DataFrame], schema: StructType, ordering: Option[String], sorted: Boolean = true) {

  private val storage = new HadoopStorage(new Configuration())
  private val facts = TableDefinition("logged", Seq("id"), orderingFields = ordering.toSeq.flatMap(_.split(",")))

  val path: String = (base, sorted) match {
    case (Some(rows), true) => written(rows)
    case (rows, _) =>
      val made = new HandmadeTable(facts, schema)
      rows.foreach(r => made.commit("" -> r))
      made.path
  }

  private def written(rows: DataFrame): String = {
    val target = Files.createTempDirectory("hudilite-logged").resolve("table").toString
    val options = Map("hoodie.table.name" -> "logged", "hoodie.datasource.write.recordkey.field" -> "id",
      "hoodie.datasource.write.operation" -> "insert") ++ ordering.map("hoodie.datasource.write.precombine.field" -> _)
    rows.coalesce(1).write.format("hudilite").options(options).mode("append").save(target)
    target
  }

  private val avroSchema = new Schema.Parser().parse(SchemaConversion.toAvro(schema, "logged", withMeta = true))

  /** The one slice, if there is any file yet. */
  def slice: Option[FileSlice] = Table.open(storage, path).allSlices().values.flatten.headOption

  /** Appends one log file of these blocks in a delta commit and answers its instant. */
  def append(blocks: LoggedTable.Content*): String = {
    setType("COPY_ON_WRITE")
    val table = Table.open(storage, path)
    val present = slice
    val transaction = Transaction.begin(table, "deltacommit", "UPSERT")
    val instant = transaction.instant
    val fileId = present.fold(FileNames.newFileId(instant, 0, 0))(_.fileId)
    val name = FileNames.logFile(fileId, instant, 1, "0-0-0")
    Partitions.createMetadata(storage, path, "", instant)
    val bytes = blocks.flatMap(block(_, instant, present.flatMap(_.base).map(_.instant)).toSeq).toArray
    Files.write(Paths.get(path, name), bytes)
    transaction.commit(Seq(WriteStat(fileId, name, present.fold(WriteStat.NoPreviousCommit)(_.instant), "",
          fileSizeInBytes = bytes.length.toLong, logFiles = Seq(name), logVersion = 1)))
    setType("MERGE_ON_READ")
    instant
  }

  /** A copy, as Apache Hudi's upgrade leaves a table of version 6: the log files of these writes bear the instant of the
    * slice. This process knows nothing of it yet.
    */
  def asUpgraded(writes: String*): String = {
    val (older, timeline) = (slice.get, Table.open(storage, path).timeline)
    val copy = Files.createTempDirectory("hudilite-upgraded").resolve("table")
    FileUtils.copyDirectory(new File(path), copy.toFile)
    val there = older.logs.count(_.time == older.instant)
    for ((write, n) <- writes.zipWithIndex; completed <- timeline.completionTime(write)) {
      val made = FileNames.logFile(older.fileId, write, 1, "0-0-0")
      val name = FileNames.logFile(older.fileId, older.instant, there + n + 1, "0-0-0")
      val commit = copy.resolve(s".hoodie/timeline/${write}_$completed.deltacommit").toString
      // The texts of an Avro file lie there as they are.
      val content = new String(storage.read(commit).get, ISO_8859_1)
      require(made.length == name.length && content.contains(made))
      storage.replace(commit, content.replace(made, name).getBytes(ISO_8859_1))
      Files.move(copy.resolve(made), copy.resolve(name))
    }
    copy.toString
  }

  private def setType(name: String): Unit = {
    val properties = s"$path/.hoodie/hoodie.properties"
    val text = new String(storage.read(properties).get, UTF_8)
    storage.replace(properties, text.replaceAll("hoodie.table.type=\\w+", s"hoodie.table.type=$name").getBytes(UTF_8))
  }

  /** Adds to the table's properties; some make it one that hudilite does not write to, so set them last. */
  def setProperty(key: String, value: String): Unit = {
    val properties = s"$path/.hoodie/hoodie.properties"
    val text = new String(storage.read(properties).get, UTF_8)
    storage.replace(properties, s"$text\n$key=$value\n".getBytes(UTF_8))
  }

  private def block(content: LoggedTable.Content, instant: String, baseInstant: Option[String]): Array[Byte] = {
    val (kind, bytes, written) = content match {
      case data: LoggedTable.Data =>
        val own = data.schema.getOrElse(avroSchema)
        (BlockKind.AvroData, AvroBlock.encode(data.rows.map(encoded(own, instant, _))), own)
      case deletes: LoggedTable.Deletes =>
        (BlockKind.Delete, DeleteBlock.encode(deletes.keys.map { case (k, o) => DeleteRecord(k, "", o) }, 9),
          avroSchema)
    }
    val positions = content.positions.flatMap(rows => baseInstant.map(_ -> rows.toArray))
    val headers = LogBlockWriter.headers(9, instant, written.toString, positions, partial = content.isPartial)
    LogBlockWriter.bytes(kind, headers, bytes)
  }

  private def encoded(written: Schema, instant: String, values: Seq[Any]): Array[Byte] = {
    val record = new GenericData.Record(written)
    val meta = Seq(instant, s"${instant}_0_0", values.head.toString, "", "f")
    MetaFields.all.zip(meta).foreach { case (field, value) => record.put(field, value) }
    values.zipWithIndex.foreach { case (value, i) => record.put(MetaFields.all.size + i, value) }
    val out = new ByteArrayOutputStream()
    val encoder = EncoderFactory.get().binaryEncoder(out, null)
    new GenericDatumWriter[GenericRecord](written).write(record, encoder)
    encoder.flush()
    out.toByteArray
  }

  /** Path of the newest log file. */
  def lastLog: java.nio.file.Path = Paths.get(path, slice.get.logs.last.name)

  def read(options: (String, String)*): DataFrame = LoggedTable.read(path, options: _*)
}

object LoggedTable {

  def read(path: String, options: (String, String)*): DataFrame =
    SharedSession.spark.read.format("hudilite").options(options.toMap).load(path)

  sealed trait Content {
    def positions: Option[Seq[Long]]
    def isPartial: Boolean = false
  }

  /** Rows in the order of the schema, the key first. */
  final case class Data(rows: Seq[Seq[Any]], positions: Option[Seq[Long]] = None, schema: Option[Schema] = None,
      override val isPartial: Boolean = false) extends Content
  final case class Deletes(keys: Seq[(String, OrderingValue)], positions: Option[Seq[Long]] = None) extends Content
}
