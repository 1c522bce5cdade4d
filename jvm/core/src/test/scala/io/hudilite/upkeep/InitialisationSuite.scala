package io.hudilite.upkeep

import io.hudilite.TestTables
import io.hudilite.config.{TableKeys, TableProperties, TableType}
import io.hudilite.metadata.GoldenCopy
import io.hudilite.storage.MemoryStorage
import io.hudilite.timeline.{Action, State}
import io.hudilite.transaction.TextWrites

import java.nio.charset.StandardCharsets.ISO_8859_1
import java.nio.file.Files

import munit.FunSuite

class InitialisationSuite extends FunSuite {

  private val path = "/t"

  private def withoutTokens(files: Seq[String]): Seq[String] =
    files.map(_.replaceFirst("_[0-9-]+_(?=\\d+\\.hfile)", "_").replaceFirst("_[0-9]{17}(?=\\.)", "")).sorted

  for (version <- Seq(6, 8, 9)) {

    test(s"version $version: the metadata table of a table of Hudi's is made anew and names what folders list") {
      val copy = new GoldenCopy(s"metadata-table-v$version")
      val kept = new KeptMetadata(TestTables.storage, copy.basePath)
      val before = TableProperties.read(kept.storage, MetadataHome.folder(kept.path)).properties
      val groupLog = copy.files(".*/files/\\.files-0000-0_0+1?0?\\.log\\.1_0-0-0").map(Files.readAllBytes(_))
      kept.initialise()
      assertEquals(kept.named, kept.listed)
      assert(kept.listed.size > 1 && kept.listed.values.forall(_.nonEmpty))
      assertEquals(kept.data.config.metadataPartitions, Seq("files"))
      val written = TableProperties.read(kept.storage, MetadataHome.folder(kept.path)).properties
      assertEquals(written, before)
      // The instant of version 6 follows the newest write.
      if (version >= 8)
        assertEquals(copy.files(".*/files/\\.files-0000-0_0+\\.log\\.1_0-0-0").map(Files.readAllBytes(_).toSeq),
          groupLog.map(_.toSeq))
    }

    test(s"version $version: the metadata table of a table without writes has the files that Hudi makes for one") {
      val storage = new MemoryStorage(() => 1767225600000L)
      TestTables.create(storage, path, version)
      val kept = new KeptMetadata(storage, path)
      kept.initialise()
      assertEquals((kept.named, kept.listed),
        (Map.empty[String, Map[String, Long]], Map.empty[String, Map[String, Long]]))
      val first = if (version == 6) "00000000000000010" else "00000000000000000"
      val timeline = if (version == 6) ".hoodie/metadata/.hoodie" else ".hoodie/metadata/.hoodie/timeline"
      assertEquals(withoutTokens(kept.files),
        withoutTokens(Seq(
            ".hoodie/metadata/.hoodie/hoodie.properties", s"$timeline/$first.deltacommit.requested",
            s"$timeline/$first.deltacommit.inflight", s"$timeline/$first.deltacommit",
            ".hoodie/metadata/files/.hoodie_partition_metadata",
            s".hoodie/metadata/files/.files-0000-0_$first.log.1_0-0-0",
            s".hoodie/metadata/files/files-0000-0_0-1-1_$first.hfile")))
      val text = new String(storage.read(s"$path/.hoodie/metadata/.hoodie/hoodie.properties").get, ISO_8859_1)
      assert(text.contains(s"${TableKeys.Name}=t_metadata") && text.contains(TableKeys.Checksum), text)
    }

    test(s"version $version: files of pending writes are left out, or make it wait") {
      val storage = new MemoryStorage(() => 1767225600000L)
      val table = TextWrites.table(storage, path, version, TableType.CopyOnWrite)
      val pending = TextWrites.insert("g-1")
      val transaction = pending.begin(table)
      TestTables.writeFile(table, transaction.instant, "p", "g-1")
      val kept = new KeptMetadata(storage, path)
      val now = kept.home
      assertEquals(new Initialisation(now).refusal(now.data.load()).isDefined, version == 6)
      if (version > 6) {
        kept.initialise()
        assertEquals(kept.named("p").keySet.map(_.takeWhile(_ != '_')), Set("g-0"))
      }
      transaction.rollback()
    }
  }

  test("a write that completes while its files are listed leaves the table without a metadata table") {
    val storage = new MemoryStorage(() => 1767225600000L)
    val table = TextWrites.table(storage, path, 9, TableType.CopyOnWrite)
    val kept = new KeptMetadata(storage, path)
    TextWrites.insert("g-1").run(table)
    assert(!new Initialisation(kept.home).run(table.timeline))
    assertEquals((kept.data.config.metadataPartitions, kept.files), (Nil, Nil))
    kept.initialise()
    assertEquals(kept.named, kept.listed)
  }

  test("an initialisation that was cut off leaves nothing that the next one keeps") {
    val storage = new MemoryStorage(() => 1767225600000L)
    TextWrites.table(storage, path, 9, TableType.CopyOnWrite)
    val kept = new KeptMetadata(storage, path)
    storage.createNew(s"$path/.hoodie/metadata/files/.files-0000-0_00000000000000000.log.1_0-0-0", Array(1.toByte))
    storage.createNew(s"$path/.hoodie/metadata/.hoodie/timeline/00000000000000000.deltacommit.requested", Array.empty)
    kept.initialise()
    assertEquals(kept.named, kept.listed)
    assertEquals(kept.home.timeline.instants.map(i => (i.action, i.state)), Seq((Action.DeltaCommit, State.Completed)))
  }
}
