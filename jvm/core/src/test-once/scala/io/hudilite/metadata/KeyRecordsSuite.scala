package io.hudilite.metadata

import io.hudilite.config.TableProperties
import io.hudilite.filegroup.FileSlice
import io.hudilite.metadata.MetadataPayload.{NoPlace, Place}
import io.hudilite.record.KeyChange

import io.hudilite.storage.{HadoopStorage, Storage}
import io.hudilite.table.{KeysOfFiles, Table}
import io.hudilite.timeline.{Action, CommitMetadata, Instant, InstantTime, TimelineStore, WriteStat}
import io.hudilite.upkeep.IndexGroups

import java.time.ZoneId

import munit.FunSuite
import org.apache.hadoop.conf.Configuration

import scala.collection.mutable

/** For each kind of action, the records of a record index are those that Apache Hudi wrote for the same action on the same
  * table, key by key, each in the file group that it lies in.
  */
class KeyRecordsSuite extends FunSuite {

  for (name <- GoldenKeys.names) test(s"$name: each action makes the places that Apache Hudi wrote") {
    val golden = new GoldenIndex(name)
    val compared = GoldenKeys.steps(name).flatMap(golden.compared)
    val different = compared.flatMap(_.differences)
    assertEquals(different, Nil)
    assert(compared.map(_.theirs.size).sum >= 13, compared.map(c => c.what -> c.theirs.size))
    assert(compared.flatMap(_.theirs.values).exists(_.isEmpty), "some key goes")
  }

  private final class GoldenIndex(name: String) {

    private val base = s"/$name/table"
    private val disk = GoldenKeys.onDisk(GoldenKeys.steps(name).flatMap(_.after)
        .filterNot(_._1.startsWith(".hoodie/")).toMap)
    private val keys = new KeysOfFiles(new HadoopStorage(new Configuration()))
    private val isPartitioned = name.contains("in-partitions")

    // As Apache Hudi's own records have them.
    private val places = mutable.Map.empty[(String, String), Place]

    def compared(step: GoldenSteps.Step): Seq[ComparedKeys] = {
      val (before, after) = (GoldenKeys.inMemory(base, step.before), GoldenKeys.inMemory(base, step.after))
      val known = completed(before).map(_.time).toSet
      val now = Table.open(after, base)
      val files = step.after.keys.filter(p => step.before.get(p) != step.after.get(p)).toSeq
      val written = new WrittenRecords(after, base)
      now.timeline.writes.filterNot(i => known(i.time)).map { write =>
        val theirs = written.of(write.time, files.filter(_.startsWith(".hoodie/metadata/record_index/")))
        compared(step.name, write, now, theirs)
      }
    }

    private def completed(storage: Storage): Seq[Instant] =
      TableProperties.find(storage, base).toSeq.flatMap(new TimelineStore(storage, base, _).load().completed)

    private def compared(step: String, write: Instant, now: Table,
        theirs: Map[String, Map[String, Option[MetadataPayload]]]): ComparedKeys = {
      val commit = now.store.readCommit(write)
      val ms = InstantTime.toEpochMillis(write.time, ZoneId.systemDefault)
      val shape = MetadataShape(Set(MetadataPartition.RecordIndex), now.config.version, isPartitioned = isPartitioned)
      val action = MetadataAction.Written(write.time, commit, Map.empty,
        ActionKeys(changes(write, commit, now), Some(ms)))
      val had = places.toSeq.map { case ((key, _), place) => key -> place }.groupBy(_._1).map { case (k, some) =>
        k -> some.map(_._2)
      }
      val ours = MetadataRecords.of(action, MetadataState(shape, places = had)).records(MetadataPartition.RecordIndex)
        .filterNot(record => had.getOrElse(record.key, Nil).exists(p => KeyRecords.isSame(record, Some(p))))
      val groups = IndexGroups(
        now.storage.list(s"$base/.hoodie/metadata/record_index").map(_.name)
          .flatMap(io.hudilite.filegroup.FileNames.parseLogFile).map(_.fileId).distinct.sorted.toIndexedSeq,
        isPartitioned)
      val mine = ours.map { record =>
        val partition = record.payload match {
          case place: Place => place.partition
          case _ => had(record.key).find(p =>
              action.keys.changes.exists(c =>
                c.key == record.key && c.partition == p.partition)).get.partition
        }
        (groups.ids(groups.numberOf(record.key, partition)), record.key) ->
          (record.payload match {
            case place: Place => Some(place)
            case _ => None
          })
      }.toMap
      val other = theirs.toSeq.flatMap { case (group, records) =>
        records.map { case (key, payload) =>
          (group, key) -> payload.collect { case place: Place => place }
        }
      }.toMap
      other.foreach { case ((group, key), place) =>
        val at = (key, if (isPartitioned) group else "")
        place.fold[Any](places.remove(at))(places.update(at, _))
      }
      ComparedKeys(s"$step ${commit.operation}", mine, other)
    }

    private def changes(write: Instant, commit: CommitMetadata, now: Table): Seq[KeyChange] =
      if (commit.operation == CommitMetadata.Compact || write.action == Action.Compaction || commit.compacted) Nil
      else {
        val former = now.timeline.writes.map(_.time).filter(_ < write.time).lastOption
          .fold(Map.empty[String, Seq[FileSlice]])(time => now.allSlices(Some(time)))
        val files = commit.allStats.filter(_.path.nonEmpty).toSeq
        val gone = files.filterNot(_.isLog).map(s => s.partitionPath -> s.fileId) ++
          (if (commit.operation == CommitMetadata.Cluster) Nil
           else commit.replaced.toSeq.flatMap { case (p, ids) => ids.map(p -> _) })
        gone.distinct.flatMap { case (partition, id) =>
          former.getOrElse(partition, Nil).filter(_.fileId == id).flatMap(leaving)
        } ++ files.flatMap(coming)
      }

    private def leaving(slice: FileSlice): Seq[KeyChange] =
      slice.base.toSeq.flatMap(b =>
        keys.ofBase(s"$disk/${b.relativePath}", b.length)
          .map(KeyChange(_, slice.partition, None, Some(slice.fileId))))

    private def coming(stat: WriteStat): Seq[KeyChange] =
      if (stat.isLog) keys.ofLog(s"$disk/${stat.path}", stat.fileSizeInBytes).map { case (key, isThere) =>
        KeyChange(key, stat.partitionPath, Some(stat.fileId).filter(_ => isThere),
          Some(stat.fileId).filterNot(_ => isThere))
      }.toList
      else keys.ofBase(s"$disk/${stat.path}", stat.fileSizeInBytes)
        .map(KeyChange(_, stat.partitionPath, Some(stat.fileId))).toList
  }

  test("a key that comes and leaves in one action is where it comes") {
    val changes = Seq(KeyChange("k", "old", None), KeyChange("k", "new", Some("f-0")))
    assertEquals(KeyRecords.record("k", changes, None, Some(7L)),
      Some(MetadataRecord("k", Place("new", "f-0", Some(7L), None))))
  }

  test(
    "a key that leaves a file group goes where that has its place, and stays where another group of the partition has") {
    def after(change: KeyChange, fileId: String) =
      KeyRecords.record("k", Seq(change), Some(Place("p", fileId, None, None)), Some(7L))
    val gone = Some(MetadataRecord("k", NoPlace))
    val leaving = KeyChange("k", "p", None, Some("f-0"))
    assertEquals((after(leaving, "f-0"), after(leaving, "f-1")), (gone, None))
    assertEquals(after(leaving.copy(partition = "q"), "f-0"), None)
    assertEquals(after(leaving.copy(from = None), "f-1"), gone)
  }

  test("file groups of a partition have its name, letter by letter as Apache Hudi spells it") {
    assertEquals(IndexGroups.partitioned(Map("p-3_x" -> 1, "a-b c" -> 1, "" -> 1, "d=1/e" -> 1)).ids.toSet,
      Set("record-index-p%2D3%5Fx-0000-0", "record-index-a%2Db c-0000-0", "record-index--0000-0",
        "record-index-d%3D1%2Fe-0000-0"))
  }

  test("the number of file groups is reckoned for the keys that there are and those to come") {
    assertEquals(Seq(0L, 100000000L, 200000000L, 1000000000000L).map(IndexGroups.reckoned(_, 10, 10000, 2.0)),
      Seq(10, 10, 17, 10000))
  }
}

private final case class ComparedKeys(what: String, ours: Map[(String, String), Option[Place]],
    theirs: Map[(String, String), Option[Place]]) {
  def differences: Seq[String] = (ours.keySet ++ theirs.keySet).toSeq.sorted
    .filter(at => ours.get(at) != theirs.get(at))
    .map(at => s"$what $at: ours ${ours.get(at)}, theirs ${theirs.get(at)}")
}
