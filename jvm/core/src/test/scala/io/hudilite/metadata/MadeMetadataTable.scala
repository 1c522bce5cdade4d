package io.hudilite.metadata

import io.hudilite.{GoldenFolder, TestTables}
import io.hudilite.codec.hfile.{HFile, HFileForm, HFileWriter}
import io.hudilite.config.TableProperties
import io.hudilite.filegroup.Partitions
import io.hudilite.log.{BlockKind, LogBlockWriter}
import io.hudilite.table.Table
import io.hudilite.timeline.{Action, CommitMetadata, TimelineStore}

import java.io.ByteArrayOutputStream
import java.nio.charset.StandardCharsets.UTF_8
import java.util.{Collections, HashMap => JHashMap}

import scala.collection.JavaConverters._

import org.apache.avro.Schema
import org.apache.avro.generic.{GenericData, GenericDatumWriter, GenericRecord}
import org.apache.avro.io.EncoderFactory

/** Gives a table of version 9 a metadata table that names its files, as Apache Hudi initialises it and goes on. */
object MadeMetadataTable {

  private val Initial = "00000000000000000"

  private lazy val golden: String = s"${GoldenFolder.table("savepoint-rollback-v9")}/.hoodie/metadata"

  private lazy val schemaJson: String = {
    val base = TestTables.storage.list(s"$golden/files").find(_.name.endsWith(".hfile")).get
    val file = HFile.open(TestTables.storage, base.path, base.length)
    try new String(file.info("schema").get, UTF_8)
    finally file.close()
  }

  private lazy val schema = new Schema.Parser().parse(schemaJson)
  private def schemaOf(field: String): Schema = schema.getField(field).schema.getTypes.asScala.last

  /** A metadata table of the files that there are, which the properties of the table do not list yet.
    *
    * @param blockBytes
    *   length of the blocks of its base file
    */
  def of(table: Table, blockBytes: Int = 1 << 20): Unit = {
    val storage = table.storage
    val folder = s"${table.basePath}/.hoodie/metadata"
    storage.createNew(s"$folder/.hoodie/hoodie.properties",
      TestTables.storage.read(s"$golden/.hoodie/hoodie.properties").get)
    val files = Partitions.discover(storage, table.basePath).map { case (path, found) =>
      path -> found.filterNot(f => f.isDirectory || f.name.startsWith(".")).map(f => f.name -> f.length).toMap
    }
    val records = files.toSeq.map { case (path, names) => record(MetadataKeys.ofPartition(path), 2, names) } :+
      record(MetadataKeys.AllPartitions, 1, files.keys.map(MetadataKeys.ofPartition(_) -> 0L).toMap)
    storage.createNew(s"$folder/files/files-0000-0_0-0-0_$Initial.hfile", hfile(records, blockBytes))
    complete(table, Initial)
  }

  /** Has the properties of the table say that it is there; a write of hudilite takes it away from then on. */
  def list(table: Table): Unit = {
    TableProperties.update(table.storage, table.basePath)(_ + ("hoodie.table.metadata.partitions" -> "files"))
    ()
  }

  /** Adds to it as a write of the table does.
    *
    * @param files
    *   lengths of new files by partition and name
    */
  def add(table: Table, instant: String, files: Map[String, Map[String, Long]]): Unit = {
    val records = files.toSeq.map { case (path, names) => record(MetadataKeys.ofPartition(path), 2, names) } :+
      record(MetadataKeys.AllPartitions, 1, files.keys.map(MetadataKeys.ofPartition(_) -> 0L).toMap)
    val block = LogBlockWriter.bytes(BlockKind.HFileData, LogBlockWriter.headers(9, instant, schemaJson),
      hfile(records, 1 << 20))
    table.storage.createNew(s"${table.basePath}/.hoodie/metadata/files/.files-0000-0_$instant.log.1_0-0-0", block)
    complete(table, instant)
  }

  private def complete(table: Table, instant: String): Unit = {
    val folder = s"${table.basePath}/.hoodie/metadata"
    val store = new TimelineStore(table.storage, folder, TableProperties.read(table.storage, folder))
    store.request(instant, Action.DeltaCommit)
    store.toInflight(instant, Action.DeltaCommit)
    store.complete(instant, Action.DeltaCommit, CommitMetadata("UPSERT_PREPPED", Map.empty, Map.empty))
    ()
  }

  private def hfile(records: Seq[(Array[Byte], Array[Byte])], blockBytes: Int): Array[Byte] =
    HFileWriter.bytes(records.sortBy(r => new String(r._1, UTF_8)).iterator,
      HFileForm(schemaJson, 0L, gzip = false, blockBytes = blockBytes))

  private def record(key: String, kind: Int, names: Map[String, Long]): (Array[Byte], Array[Byte]) = {
    val of = schemaOf("filesystemMetadata")
    val entries = new JHashMap[String, GenericRecord]()
    names.foreach { case (name, bytes) =>
      val entry = new GenericData.Record(of.getValueType)
      entry.put("size", bytes)
      entry.put("isDeleted", false)
      entries.put(name, entry)
    }
    val record = new GenericData.Record(schema)
    record.put("key", "")
    record.put("type", kind)
    record.put("filesystemMetadata", Collections.unmodifiableMap[String, GenericRecord](entries))
    val out = new ByteArrayOutputStream()
    val encoder = EncoderFactory.get.binaryEncoder(out, null)
    new GenericDatumWriter[GenericRecord](schema).write(record, encoder)
    encoder.flush()
    key.getBytes(UTF_8) -> out.toByteArray
  }
}
