package io.hudilite.spark.read

import java.nio.charset.StandardCharsets
import java.util.concurrent.{Callable, ExecutionException, ExecutorService, Executors, ThreadFactory}

import io.hudilite.filegroup.{BaseFile, BaseFileFooter}
import org.apache.hadoop.conf.Configuration

import scala.collection.JavaConverters._

/** Record keys that a query asks for, in the string order of footers. */
final case class RecordKeys(sorted: IndexedSeq[String]) {

  /** The keys inside the bounds, both inclusive. */
  def between(min: Option[String], max: Option[String]): IndexedSeq[String] = {
    val from = min.fold(0)(bound => firstFrom(0, sorted.size)(_ >= bound))
    val until = max.fold(sorted.size)(bound => firstFrom(from, sorted.size)(_ > bound))
    sorted.slice(from, until)
  }

  @annotation.tailrec
  private def firstFrom(low: Int, high: Int)(holds: String => Boolean): Int =
    if (low >= high) low
    else {
      val middle = (low + high) >>> 1
      if (holds(sorted(middle))) firstFrom(low, middle)(holds) else firstFrom(middle + 1, high)(holds)
    }
}

object RecordKeys {
  def of(keys: Iterable[String]): RecordKeys = RecordKeys(keys.toArray.distinct.sorted.toVector)
}

/** Whether a base file can hold one of some record keys, and what says that it cannot. */
sealed trait KeyVerdict

object KeyVerdict {
  case object MayHold extends KeyVerdict
  case object OutOfRange extends KeyVerdict
  case object NotInBloom extends KeyVerdict

  /** @param keys
    *   record keys that are asked for
    */
  def of(footer: BaseFileFooter, keys: RecordKeys): KeyVerdict = {
    val inRange = keys.between(footer.minKey, footer.maxKey)
    if (inRange.isEmpty) OutOfRange
    else footer.bloom match {
      case Some(bloom) if !inRange.exists(k => bloom.mightContain(k.getBytes(StandardCharsets.UTF_8))) => NotInBloom
      case _ => MayHold
    }
  }
}

/** Base files that key pruning left, and how many each step took. */
final case class KeyPruned(files: Seq[BaseFile], byRange: Int, byBloom: Int)

/** Prunes base files on the driver by their footers, read in parallel. */
object KeyPruning {

  /** Above this many files the footers are read where the files are read: inside tasks. */
  val MaxFilesOnDriver: Int = 1000

  private val Threads = 16

  private lazy val pool: ExecutorService = Executors.newFixedThreadPool(Threads,
    new ThreadFactory {
      override def newThread(work: Runnable): Thread = {
        val thread = new Thread(work, "hudilite-footers")
        thread.setDaemon(true)
        thread
      }
    })

  def prune(conf: Configuration, basePath: String, files: Seq[BaseFile], keys: RecordKeys): KeyPruned = {
    val judged = files.zip(inParallel(files)(f => KeyVerdict.of(FooterCache.withBloom(conf, basePath, f), keys)))
    KeyPruned(judged.collect { case (file, KeyVerdict.MayHold) => file }, judged.count(_._2 == KeyVerdict.OutOfRange),
      judged.count(_._2 == KeyVerdict.NotInBloom))
  }

  /** Runs the work for each item on a pool of the driver; the first failure is raised as it is. */
  private[read] def inParallel[A, B](items: Seq[A])(work: A => B): Seq[B] =
    if (items.size < 2) items.map(work)
    else {
      val tasks = items.map(item => new Callable[B] { override def call(): B = work(item) })
      try pool.invokeAll(tasks.asJava).asScala.map(_.get()).toList
      catch { case e: ExecutionException => throw e.getCause }
    }
}

/** Footers of base files by path, kept on the driver: a base file never changes under its name.
  *
  * Bloom filters are half a megabyte each, so only the last few are kept; without them a footer is small.
  */
object FooterCache {

  private val MaxFooters = 50000
  private val MaxBlooms = 128

  private val footers = new BoundedCache[String, BaseFileFooter](MaxFooters)
  private val blooms = new BoundedCache[String, BaseFileFooter](MaxBlooms)

  /** The footer, with the bloom filter if the file has one. */
  def withBloom(conf: Configuration, basePath: String, file: BaseFile): BaseFileFooter = {
    val path = FilePaths.absolute(basePath, file.relativePath)
    blooms.get(path).getOrElse {
      val footer = BaseFileFooter.read(conf, path, file.length)
      blooms.put(path, footer)
      footers.put(path, footer.copy(bloom = None))
      footer
    }
  }

  /** The footer's key range and row count; its bloom filter may be left out. */
  def withoutBloom(conf: Configuration, basePath: String, file: BaseFile): BaseFileFooter = {
    val path = FilePaths.absolute(basePath, file.relativePath)
    footers.get(path).getOrElse {
      val footer = BaseFileFooter.read(conf, path, file.length, withBloom = false)
      footers.put(path, footer)
      footer
    }
  }
}

/** A map that forgets what was used least recently. */
private[read] final class BoundedCache[K, V](maxEntries: Int) {

  private val entries = new java.util.LinkedHashMap[K, V](16, 0.75f, true) {
    override def removeEldestEntry(eldest: java.util.Map.Entry[K, V]): Boolean = size > maxEntries
  }

  def get(key: K): Option[V] = entries.synchronized(Option(entries.get(key)))

  def put(key: K, value: V): Unit = entries.synchronized {
    entries.put(key, value)
    ()
  }
}

private[read] object FilePaths {
  def absolute(basePath: String, relativePath: String): String = s"${basePath.stripSuffix("/")}/$relativePath"
}
