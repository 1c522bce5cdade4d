package io.hudilite.spark.keys

import io.hudilite.metadata.MetadataKeys
import io.hudilite.record.{ChangeBuffer, KeyChange}
import io.hudilite.spark.write.WriteFixture
import io.hudilite.storage.{HadoopStorage, Storage}
import io.hudilite.timeline.WriteStat
import io.hudilite.upkeep.{KeyShards, KeySource, ToldKeys}

import java.nio.charset.StandardCharsets.UTF_8

import org.apache.hadoop.conf.Configuration
import org.apache.spark.TaskContext

/** Told keys dealt to shards in tasks. */
class SparkKeyJobsSuite extends WriteFixture {

  private val storage = new HadoopStorage(new Configuration())

  private def notes(changes: Seq[KeyChange]): (Array[Byte], Long) = {
    val buffer = new ChangeBuffer
    changes.foreach { c =>
      val bytes = c.key.getBytes(UTF_8)
      buffer.add(buffer.place(c.partition, c.fileId, c.from), bytes, 0, bytes.length)
    }
    (buffer.take(), changes.size.toLong)
  }

  private def sent(changes: Seq[KeyChange]): KeySource = {
    val (bytes, count) = notes(changes)
    ToldKeys.Sent(bytes, count)
  }

  private def noted(base: String, name: String, changes: Seq[KeyChange]): KeySource = {
    val (bytes, count) = notes(changes)
    storage.replace(s"$base/$name", bytes)
    ToldKeys.Noted(s"$base/$name", count)
  }

  private val odd = Seq("", "\u0000", "a\u0000b", "ключ", "\ud83d\ude00", "k" * 5000)

  private def many: Seq[KeyChange] = (0 until 30000).map { i =>
    KeyChange(if (i < odd.size) odd(i) else s"key-${i * 7919 % 30011}", if (i % 3 == 0) "" else s"p=${i % 5}",
      if (i % 4 == 0) None else Some(s"f-${i % 9}"), if (i % 8 == 0) Some(s"f-${i % 7}") else None)
  }

  private def lines(base: String): Map[Int, Seq[KeyChange]] =
    storage.list(base).filter(_.name.startsWith("shard-")).map { file =>
      val fields = new String(storage.read(file.path).get, UTF_8).split("\u0001", -1).toSeq.dropRight(1).grouped(4)
      file.name.stripPrefix("shard-").toInt -> fields.map(f =>
        KeyChange(f.head, f(1), Some(f(2)).filter(_.nonEmpty), Some(f(3)).filter(_.nonEmpty))).toList
    }.toMap

  folder.test(
    "each change comes once to its shard, in the order of the keys' bytes, and shards without any are left out") {
    base =>
      val changes = many
      val (first, rest) = changes.splitAt(10000)
      val sources = noted(base, "KEYS-1", rest.take(15000)) +: noted(base, "KEYS-2", rest.drop(15000)) +:
        first.grouped(700).map(sent).toList
      val jobs = new SparkKeyJobs(session, base, mostOfDriver = 0)
      val stats = jobs.run(sources, LineShards(base, 7), storage)
      val found = lines(base)
      assertEquals(stats.map(_.fileId).sorted, found.keys.map(n => s"shard-$n").toSeq.sorted)
      assertEquals(found.keySet, (0 until 7).toSet - 3)
      def sorted(of: Seq[KeyChange]) = of.sortBy(c => (c.partition, c.fileId, c.from, c.key))
      assertEquals(sorted(found.values.flatten.toSeq), sorted(changes.filter(c => MetadataKeys.groupOf(c.key, 7) != 3)))
      found.foreach { case (number, of) =>
        assert(of.forall(c => MetadataKeys.groupOf(c.key, 7) == number))
        assertEquals(of.map(_.key), of.map(_.key).sorted(MetadataKeys.order))
      }
      assertEquals(stats.map(_.numWrites).sum, found.values.map(_.size.toLong).sum)
      assert(stats.forall(_.numInserts == 1), "each shard is written in a task")
  }

  folder.test("more shards than tasks are written each by itself") { base =>
    val changes = many
    val shards = LineShards(base, 100)
    new SparkKeyJobs(session, base, mostOfDriver = 0).run(changes.grouped(9000).map(sent).toList, shards, storage)
    assertEquals(lines(base).map { case (n, of) => n -> of.size },
      changes.map(c => shards.numberOf(c.key, c.partition))
        .filter(_ != 3).groupBy(identity).map { case (n, of) => n -> of.size })
  }

  folder.test("few changes are dealt by the driver, without a job") { base =>
    val jobs = new SparkKeyJobs(session, base)
    val stats = jobs.run(Seq(sent(many.take(500))), LineShards(base, 7), storage)
    assert(stats.nonEmpty && stats.forall(_.numInserts == 0), stats)
    assertEquals(jobs.run(Nil, LineShards(base, 7), storage), Nil)
  }
}

/** Writes changes as text; of the third shard nothing is to be said. */
private final case class LineShards(base: String, count: Int) extends KeyShards {

  override def numberOf(key: String, partition: String): Int = MetadataKeys.groupOf(key, count)

  override def write(storage: Storage, number: Int, changes: Iterator[KeyChange]): Option[WriteStat] =
    if (number == 3) {
      changes.take(1).foreach(_ => ())
      None
    } else {
      val all = changes.toList
      val text = all.map(c =>
        Seq(c.key, c.partition, c.fileId.getOrElse(""), c.from.getOrElse(""), "").mkString("\u0001")).mkString
      if (!storage.createNew(s"$base/shard-$number", text.getBytes(UTF_8))) throw new IllegalStateException("twice")
      Some(WriteStat(s"shard-$number", "", "", "", numWrites = all.size.toLong,
          numInserts = if (TaskContext.get() == null) 0 else 1))
    }
}
