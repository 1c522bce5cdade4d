package io.hudilite.spark.read

import io.hudilite.Folders
import io.hudilite.codec.avro.AvroFile
import io.hudilite.codec.hfile.{HFileForm, HFileWriter}
import io.hudilite.spark.SharedSession

import java.io.ByteArrayOutputStream
import java.nio.charset.StandardCharsets.UTF_8
import java.nio.file.{Files, Path}

import org.apache.avro.Schema
import org.apache.avro.generic.{GenericData, GenericRecord}
import org.apache.spark.sql.{DataFrame, SparkSession}
import org.apache.spark.sql.functions._

import scala.collection.JavaConverters._

/** A table as a bootstrap of metadata by Apache Hudi leaves it, made of files that Spark wrote: three partitions, each with
  * one skeleton and one source of several row groups, whose rows are in no order.
  *
  * @param facts
  *   options of the table
  */
private[spark] final class BootstrappedTable(facts: Map[String, String] = Map.empty) {

  import BootstrappedTable._

  private val folder = Files.createTempDirectory("hudilite-bootstrapped").toRealPath()
  val source: Path = folder.resolve("source")
  val table: Path = folder.resolve("table")

  private val written = Written.once
  Folders.copy(written.source, source)

  /** The rows as they are in the source. */
  val rows: DataFrame = written.rows

  /** The source of the first partition. */
  lazy val first: Path = sources.head

  lazy val sources: Seq[Path] = sourcesIn(source)

  make()

  private def make(): Unit = {
    rows.limit(0).write.format("hudilite").option("hoodie.datasource.write.recordkey.field", "id")
      .option("hoodie.datasource.write.partitionpath.field", "dt").option("hoodie.write.table.version", "6")
      .option("hoodie.metadata.enable", "false").options(facts).mode("overwrite").save(table.toString)
    val timeline = table.resolve(".hoodie")
    list(timeline).filter(_.getFileName.toString.startsWith("2")).foreach(Files.delete)
    val properties = timeline.resolve("hoodie.properties")
    change(properties, Files.readAllBytes(properties) ++ s"\nhoodie.bootstrap.base.path=$source\n".getBytes(UTF_8))
    val skeletons = written.skeletons.map(skeleton)
    val index = timeline.resolve(".aux/.bootstrap/.fileids")
    Files.createDirectories(index)
    Files.write(index.resolve(s"00000000-0000-0000-0000-000000000000-0_1-0-1_$Instant.hfile"),
      indexOf(sources.zip(skeletons)))
    val stats = skeletons.zip(written.skeletons).map { case (file, made) => stat(file, made.rows) }
      .mkString("{", ",", "}")
    val commit = s"""{"partitionToWriteStats":$stats,"compacted":false,"operationType":"BOOTSTRAP",""" +
      s""""extraMetadata":{"schema":"${Columns.replace("\"", "\\\"")}"}}"""
    val kind =
      if (facts.get("hoodie.datasource.write.table.type").contains("MERGE_ON_READ")) "deltacommit" else "commit"
    val begun = if (kind == "commit") "inflight" else s"$kind.inflight"
    Seq(s"$kind.requested" -> "", begun -> "", kind -> commit).foreach { case (ending, content) =>
      Files.write(timeline.resolve(s"$Instant.$ending"), content.getBytes(UTF_8))
    }
  }

  private def skeleton(made: Skeleton): Path = {
    val to = Files.createDirectories(table.resolve(made.partition))
    Files.write(to.resolve(".hoodie_partition_metadata"),
      s"commitTime=$Instant\npartitionDepth=1\n".getBytes(UTF_8))
    Files.copy(made.file, to.resolve(made.name))
  }

  private def stat(skeleton: Path, rows: Long): String = {
    val (partition, bytes) = (skeleton.getParent.getFileName.toString, Files.size(skeleton))
    s""""$partition":[{"fileId":"${fileId(skeleton)}","path":"$partition/${skeleton.getFileName}",""" +
      s""""prevCommit":"null","numWrites":$rows,"numInserts":$rows,"partitionPath":"$partition",""" +
      s""""totalWriteBytes":$bytes,"fileSizeInBytes":$bytes}]"""
  }
}

private[spark] object BootstrappedTable {

  val Instant = "00000000000001"
  val Rows = 600L

  private val Columns =
    """{"type":"record","name":"r","fields":[{"name":"id","type":["null","string"],"default":null},
      |{"name":"ts","type":["null","long"],"default":null},{"name":"fare","type":["null","double"],"default":null},
      |{"name":"nums","type":["null",{"type":"array","items":["null","long"]}],"default":null},
      |{"name":"s","type":["null",{"type":"record","name":"s","fields":
      |[{"name":"a","type":["null","long"],"default":null}]}],"default":null},
      |{"name":"at","type":["null",{"type":"long","logicalType":"timestamp-micros"}],"default":null},
      |{"name":"price","type":["null",{"type":"fixed","name":"fixed","namespace":"r.price","size":9,
      |"logicalType":"decimal","precision":20,"scale":3}],"default":null},
      |{"name":"dt","type":["null","string"],"default":null}]}""".stripMargin.replace("\n", "")

  private val PathRecord = new Schema.Parser().parse(
    """{"type":"record","name":"HoodiePath","fields":[{"name":"uri","type":["null","string"]}]}""")
  private val Status = Schema.createRecord("HoodieFileStatus", "", "h", false,
    Seq(
      new Schema.Field("path", PathRecord, "", null: AnyRef),
      new Schema.Field("length", Schema.create(Schema.Type.LONG), "", null: AnyRef)).asJava)
  private val Info = Schema.createRecord("HoodieBootstrapFilePartitionInfo", "", "h", false,
    Seq(new Schema.Field("bootstrapFileStatus", Status, "", null: AnyRef)).asJava)

  private def indexOf(files: Seq[(Path, Path)]): Array[Byte] = {
    val out = new ByteArrayOutputStream()
    val writer = new HFileWriter(out, HFileForm("", 0L, gzip = false))
    files.map { case (source, skeleton) =>
      s"part=${skeleton.getParent.getFileName};fileid=${fileId(skeleton)}" -> info(source)
    }.sortBy(_._1).foreach { case (key, value) => writer.append(key.getBytes(UTF_8), value) }
    writer.finish()
    out.toByteArray
  }

  private def info(source: Path): Array[Byte] = {
    def record(schema: Schema, values: (String, Any)*): GenericRecord = {
      val made = new GenericData.Record(schema)
      values.foreach { case (name, value) => made.put(name, value) }
      made
    }
    AvroFile.write(record(Info,
        "bootstrapFileStatus" -> record(Status,
          "path" -> record(PathRecord, "uri" -> s"file:$source"), "length" -> Files.size(source))))
  }

  /** A skeleton as it was written, and as it is named in a table. */
  private final case class Skeleton(file: Path, partition: String, name: String, rows: Long)

  /** Files that all tables begin with, written once; each has copies.
    *
    * @param rows
    *   as they are in the source
    */
  private final case class Written(source: Path, rows: DataFrame, skeletons: Seq[Skeleton])

  private object Written {

    lazy val once: Written = write(SharedSession.spark, Files.createTempDirectory("hudilite-bootstrapped").toRealPath())

    private def write(spark: SparkSession, folder: Path): Written = {
      val source = folder.resolve("source")
      val made = spark.range(Rows).selectExpr("concat('k', lpad(id, 4, '0')) AS id", "id AS ts", "id * 1.5D AS fare",
        "array(id, id + 1) AS nums", "named_struct('a', id) AS s",
        "timestamp_micros(id * 86400000001) AS at", "IF(id % 3 = 0, NULL, CAST(id / 8 AS DECIMAL(20, 3))) AS price",
        "CASE WHEN id < 250 THEN 'a b' WHEN id < 300 THEN 'default' ELSE 'c%' END AS dt")
      made.repartition(1).sortWithinPartitions(expr("dt"), expr("hash(id)")).write.partitionBy("dt")
        .option("parquet.block.size", 2000).parquet(source.toString)
      val skeletons = sourcesIn(source).zipWithIndex.map { case (file, number) =>
        skeleton(spark, file, number, folder.resolve(s"skeleton$number"))
      }
      Written(source, spark.read.parquet(source.toString), skeletons)
    }

    private def skeleton(spark: SparkSession, file: Path, number: Int, to: Path): Skeleton = {
      val partition = file.getParent.getFileName.toString
      val name = s"a000000$number-0000-4000-8000-000000000000_0-0-0_$Instant.parquet"
      val rows = spark.read.parquet(file.toString)
      rows.select(lit(Instant).as("_hoodie_commit_time"),
        concat(lit(s"${Instant}_0_"), col("ts")).as("_hoodie_commit_seqno"), col("id").as("_hoodie_record_key"),
        lit(partition).as("_hoodie_partition_path"), lit(name).as("_hoodie_file_name")).coalesce(1)
        .write.parquet(to.toString)
      Skeleton(filesIn(to).head, partition, name, rows.count())
    }
  }

  private def sourcesIn(source: Path): Seq[Path] = folders(source).map(filesIn(_).head)

  private def fileId(skeleton: Path): String = skeleton.getFileName.toString.takeWhile(_ != '_')

  /** Writes other bytes, of which no checksum beside the file tells. */
  def change(file: Path, bytes: Array[Byte]): Unit = {
    Files.deleteIfExists(file.resolveSibling(s".${file.getFileName}.crc"))
    Files.write(file, bytes)
    ()
  }

  private def list(folder: Path): Seq[Path] = {
    val listed = Files.list(folder)
    try listed.iterator.asScala.toList.sortBy(_.toString)
    finally listed.close()
  }

  private def folders(folder: Path): Seq[Path] = list(folder).filter(Files.isDirectory(_))

  private def filesIn(folder: Path): Seq[Path] = list(folder).filter(_.getFileName.toString.endsWith(".parquet"))
    .filterNot(_.getFileName.toString.startsWith("."))
}
