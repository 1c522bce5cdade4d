package io.hudilite.timeline

import io.hudilite.codec.avro.AvroFile
import io.hudilite.config.TableProperties
import io.hudilite.storage.GoldenTables

import java.io.ByteArrayInputStream

import com.fasterxml.jackson.databind.{JsonNode, ObjectMapper}
import munit.FunSuite
import org.apache.avro.Schema
import org.apache.avro.file.DataFileStream
import org.apache.avro.generic.{GenericDatumReader, GenericRecord}

import scala.collection.JavaConverters._

/** Timelines written by Apache Hudi itself, tests/golden. */
class GoldenTimelineSuite extends FunSuite {

  private val storage = GoldenTables.storage

  private def open(name: String): TimelineStore =
    new TimelineStore(storage, GoldenTables.basePath(name), TableProperties.read(storage, GoldenTables.basePath(name)))

  test("every table is there") {
    assertEquals(GoldenTables.names.size, 79)
  }

  GoldenTables.names.foreach { name =>
    test(s"$name: every instant is known and every file of it parses") {
      val store = open(name)
      val timeline = store.load()
      val known = timeline.instants.map(_.time).toSet
      val unknown = storage.list(store.folder).filterNot(_.isDirectory).map(_.name).filter(_.head.isDigit)
        .filterNot(f => known(f.takeWhile(_.isDigit)))
      assertEquals(unknown, Nil)
      val commits = store.readCommits(timeline.writes).map(_._2)
      assert(commits.nonEmpty)
      commits.foreach(checkCommit)
      timeline.completed.foreach {
        case i if i.action == Action.Clean =>
          assertEquals(store.readClean(i).earliestCommitToRetain.nonEmpty, !name.startsWith("cleaned-by-versions"))
        case i if i.action == Action.Rollback => assertEquals(store.readRollback(i).targets.size, 1)
        case i if i.action == Action.Savepoint => assert(store.readSavepoint(i).files.nonEmpty)
        case _ => ()
      }
      assertEquals(timeline.writes.forall(_.completionTime.isDefined), GoldenTables.version(name) >= 8)
      assert(timeline.completed.forall(i => i.completionTime.forall(_ > i.time)))
    }

    test(s"$name: our copy of every commit says the same, in both formats") {
      val store = open(name)
      store.readCommits(store.load().writes).foreach { case (instant, metadata) =>
        Seq(1, 2).foreach { layout =>
          val copy = CommitCodec.read(CommitCodec.write(metadata, instant.action, layout), "copy")
          assertEquals(copy, metadata)
        }
      }
    }

    test(s"$name: the schema is found") {
      val store = open(name)
      val schema = new Schema.Parser().parse(store.schema(store.load()).get.avroJson)
      assert(schema.getFields.asScala.map(_.name).contains("id"), schema)
    }
  }

  private def checkCommit(metadata: CommitMetadata): Unit = {
    assert(metadata.operation != CommitMetadata.Empty.operation)
    for ((partition, stats) <- metadata.stats; stat <- stats) {
      assertEquals(stat.partitionPath, partition)
      assert(stat.fileName.stripPrefix(".").startsWith(stat.fileId), stat)
      assert(stat.fileSizeInBytes > 0, stat)
      assertEquals(stat.isLog, stat.logFiles.nonEmpty)
    }
  }

  test("pending compactions are read with the slices that they name") {
    Seq("mor-compacted-v6", "mor-compacted-v8", "mor-compacted-v9").foreach { name =>
      val store = open(name)
      val plans = store.pendingCompactions(store.load())
      assertEquals(plans.size, 1, name)
      assert(plans.head._2.operations.nonEmpty)
      plans.head._2.operations.foreach { o =>
        assert(o.baseFile.exists(_.startsWith(o.fileId)), o)
        assert(o.logFiles.forall(_.startsWith(s".${o.fileId}_")) && o.logFiles.nonEmpty, o)
      }
    }
  }

  test("a completed compaction is a commit that says so") {
    Seq("mor-compacted-v6", "mor-compacted-v9").foreach { name =>
      val store = open(name)
      val compactions = store.readCommits(store.load().writes).filter(_._2.compacted)
      assertEquals(compactions.map(c => (c._1.action, c._2.operation)), Seq(("commit", "COMPACT")), name)
      assert(compactions.head._2.allStats.forall(_.logScan.records > 0))
    }
  }

  test("replaced file groups are read from clusterings and overwrites") {
    for (scenario <- Seq("clustered", "insert-overwrite"); version <- Seq(6, 8, 9)) {
      val store = open(s"$scenario-v$version")
      val commits = store.readCommits(store.load().writes)
      val replaced = commits.filter(_._1.action == Action.ReplaceCommit).map(_._2.replaced)
      assert(replaced.nonEmpty && replaced.forall(_.values.flatten.nonEmpty), s"$scenario-v$version")
    }
  }

  test("clustering plans are read in both layouts") {
    Seq(6 -> "replacecommit", 9 -> "clustering").foreach { case (version, action) =>
      val store = open(s"clustered-v$version")
      val file = storage.list(store.folder).find(_.name.endsWith(s".$action.requested")).get
      val slices = PlanCodec.clusteringPlan(storage.read(file.path).get).get.groups.flatten
      assert(slices.nonEmpty && slices.forall(s => s.baseFile.exists(_.startsWith(s.fileId))))
    }
  }

  // Releases of Parquet differ in what they add to a footer.
  test("files of the archived timeline are no larger than Hudi's that say the same, but for their footers") {
    for (version <- Seq(8, 9)) {
      val folder = s"${GoldenTables.basePath(s"archived-v$version")}/.hoodie/timeline/history"
      val files = storage.list(folder).filter(_.name.endsWith(".parquet"))
      assert(files.nonEmpty)
      files.foreach { file =>
        val rows = HistoryRows.all(storage.read(file.path).get)
        val ours = HistoryRows.write(rows)
        assertEquals(HistoryRows.all(ours).map(_.instant), rows.map(_.instant))
        println(s"${file.name}: ${ours.length} of ${file.length} bytes, ${rows.size} instants")
        assert(ours.length <= file.length + 600, s"${file.name}: ${ours.length} instead of ${file.length} bytes")
      }
    }
  }

  test("archived instants are those that left the active timeline") {
    Seq(6, 8, 9).foreach { version =>
      val store = open(s"archived-v$version")
      val timeline = store.load()
      val archived = store.archivedCompleted()
      assert(archived.exists(_.action == Action.Commit), s"v$version")
      assertEquals(archived.map(_.time), archived.map(_.time).sorted)
      assertEquals(archived.map(i => (i.time, i.action)).distinct.size, archived.size)
      assert(archived.filter(_.action == Action.Commit).forall(i => timeline.beforeStart(i.time)))
      assert(archived.forall(i => !timeline.contains(i.time)))
      assertEquals(archived.forall(_.completionTime.isDefined), version >= 8)
    }
  }

  test("a savepoint stands beside its commit, and a rolled-back instant is gone") {
    val store = open("savepoint-rollback-v9")
    val timeline = store.load()
    assertEquals(timeline.savepoints.map(timeline.isCompleted), Seq(true))
    val rollback = timeline.completed.find(_.action == Action.Rollback).get
    val target = store.readRollbackPlan(rollback).get.target
    assertEquals(store.readRollback(rollback).targets, Seq(target))
    assert(!timeline.contains(target.time))
  }

  test("our Avro schemas have Hudi's fields, order, types and defaults") {
    val ours = Seq(TimelineSchemas.Commit, TimelineSchemas.ReplaceCommit, TimelineSchemas.RequestedReplace,
      TimelineSchemas.CompactionPlan, TimelineSchemas.Clean, TimelineSchemas.CleanPlan, TimelineSchemas.RollbackPlan,
      TimelineSchemas.Rollback, TimelineSchemas.Savepoint).map(s => s.getFullName -> shape(s)).toMap
    // Nobody reads or writes the contents of an indexing.
    val hudis =
      storage.paths.filterNot(p => p.contains("/history/") || p.contains(".indexing")).flatMap(p => storage.read(p))
        .filter(AvroFile.isAvro).map(schemaOf).distinct
    assertEquals(hudis.map(_.getFullName).toSet, ours.keySet)
    hudis.foreach(h => assertEquals(ours(h.getFullName), shape(h)))
  }

  private def schemaOf(bytes: Array[Byte]): Schema = {
    val in = new DataFileStream(new ByteArrayInputStream(bytes), new GenericDatumReader[GenericRecord]())
    try in.getSchema
    finally in.close()
  }

  /** The parts of a schema that readers and writers depend on, as text. */
  private def shape(schema: Schema): String = schema.getType match {
    case Schema.Type.RECORD => schema.getFields.asScala.map { f =>
        s"${f.name}:${shape(f.schema)}" + Option(f.defaultVal).map(d => s"=$d").getOrElse("")
      }.mkString(schema.getFullName + "(", ",", ")")
    case Schema.Type.UNION => schema.getTypes.asScala.map(shape).mkString("[", "|", "]")
    case Schema.Type.ARRAY => s"array<${shape(schema.getElementType)}>"
    case Schema.Type.MAP => s"map<${shape(schema.getValueType)}>" + schema.getProp("avro.java.string")
    case other => other.getName + Option(schema.getProp("avro.java.string")).getOrElse("")
  }

  test("our JSON has Hudi's field names") {
    val mapper = new ObjectMapper()
    // Statistics of log scans that Hudi added late and its older readers do not know.
    val late = Set("totalValidLogBlocks", "totalLogBlocksSize", "totalLogBlocksScanTimeMs")
    def names(node: JsonNode): Set[String] = node.fieldNames.asScala.toSet
    def stats(root: JsonNode): Seq[Set[String]] =
      root.get("partitionToWriteStats").elements.asScala.flatMap(_.elements.asScala).map(names).toList
    for (name <- Seq("mor-compacted-v6", "insert-overwrite-v6", "cdc-v6")) {
      val store = open(name)
      store.load().writes.foreach { instant =>
        val hudis = mapper.readTree(storage.read(s"${store.folder}/${instant.fileName}").get)
        val ours = mapper.readTree(CommitCodec.write(store.readCommit(instant), instant.action, 1))
        assertEquals(names(ours), names(hudis))
        assertEquals(stats(ours), stats(hudis).map(_ -- late))
      }
    }
  }
}
