package io.hudilite.spark.read

import io.hudilite.config.{TableDefinition, TableType}
import io.hudilite.filegroup.{FileNames, Partitions}
import io.hudilite.record.MetaFields
import io.hudilite.spark.SharedSession
import io.hudilite.spark.row.SchemaConversion
import io.hudilite.storage.HadoopStorage
import io.hudilite.table.Table
import io.hudilite.timeline.WriteStat
import io.hudilite.transaction.Transaction

import java.nio.file.{Files, Path, Paths}

import org.apache.hadoop.conf.Configuration
import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.functions.{col, lit}
import org.apache.spark.sql.types.StructType

import scala.collection.JavaConverters._

/** A table of files that Spark's own parquet writer made, or parquet-mr's, without key ranges and bloom filters: legal in
  * the format.
  *
  * @param avro
  *   of the record without meta columns
  */
final class HandmadeTable(facts: TableDefinition, avro: String) {

  def this(facts: TableDefinition, schema: StructType) =
    this(facts, SchemaConversion.toAvro(schema, facts.name, withMeta = false))

  val path: String = Files.createTempDirectory("hudilite-read").resolve("table").toString
  private val storage = new HadoopStorage(new Configuration())

  Table.create(storage, path, facts.copy(createSchema = Some(avro)))

  /** One commit of new file groups, one for each partition path given; returns its instant. */
  def commit(files: (String, DataFrame)*): String =
    commitFiles(files.map { case (partition, rows) =>
      (partition, rows.count(), (instant: String, name: String) => written(withMeta(instant, partition, name, rows)))
    }: _*)

  /** As above, of files that are made for an instant and a name, with the number of their rows. */
  def commitFiles(files: (String, Long, (String, String) => Path)*): String = {
    val table = Table.open(storage, path)
    val action = if (facts.tableType == TableType.MergeOnRead) "deltacommit" else "commit"
    val transaction = Transaction.begin(table, action, "INSERT")
    val stats = files.map { case (partition, rows, made) => write(transaction.instant, partition, rows, made) }
    transaction.commit(stats)
    transaction.instant
  }

  /** Where an incremental range begins that holds the last commit alone: the completion of the one before. */
  def beforeLast: String = {
    val before = Table.open(storage, path).timeline.writes.init.last
    before.completionTime.getOrElse(before.time)
  }

  private var groups = 0

  private def write(instant: String, partition: String, rows: Long, made: (String, String) => Path): WriteStat = {
    groups += 1
    val fileId = FileNames.newFileId(instant, 0, groups)
    val name = FileNames.baseFile(fileId, "0-0-0", instant)
    Partitions.createMetadata(storage, path, partition, instant)
    val target = Paths.get(Partitions.directory(path, partition), name)
    Files.createDirectories(target.getParent)
    Files.move(made(instant, name), target)
    WriteStat(fileId, if (partition.isEmpty) name else s"$partition/$name", WriteStat.NoPreviousCommit, partition,
      numWrites = rows, numInserts = rows, fileSizeInBytes = Files.size(target))
  }

  private def withMeta(instant: String, partition: String, name: String, rows: DataFrame): DataFrame = {
    val meta = Seq(lit(instant), lit(s"${instant}_0_0"), col(facts.recordKeyFields.head).cast("string"), lit(partition),
      lit(name)).zip(MetaFields.all).map { case (value, field) => value.as(field) }
    rows.select(meta ++ rows.columns.map(col): _*)
  }

  private def written(rows: DataFrame): Path = {
    val folder = Files.createTempDirectory("hudilite-part").resolve("out")
    rows.coalesce(1).write.parquet(folder.toString)
    val entries = Files.list(folder)
    try entries.iterator.asScala.find(_.getFileName.toString.endsWith(".parquet")).get
    finally entries.close()
  }

  def read(options: (String, String)*): DataFrame =
    SharedSession.spark.read.format("hudilite").options(options.toMap).load(path)
}
