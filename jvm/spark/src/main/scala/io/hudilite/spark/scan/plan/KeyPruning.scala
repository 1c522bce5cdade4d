package io.hudilite.spark.scan.plan

import io.hudilite.filegroup.{BaseFile, FooterCache}
import io.hudilite.spark.basefile.read.{FilePaths, KeyVerdict, RecordKeys}
import io.hudilite.storage.Parallel

import org.apache.hadoop.conf.Configuration

/** Base files that key pruning left, and how many each step took. */
final case class KeyPruned(files: Seq[BaseFile], byRange: Int, byBloom: Int)

/** Prunes base files on the driver by their footers, read in parallel. */
object KeyPruning {

  /** Above this many files the footers are read where the files are read: inside tasks. */
  val MaxFilesOnDriver: Int = 1000

  def prune(conf: Configuration, basePath: String, files: Seq[BaseFile], keys: RecordKeys): KeyPruned = {
    val judged = files.zip(Parallel.map(files) { f =>
      val path = FilePaths.absolute(basePath, f.relativePath)
      KeyVerdict.of(FooterCache.read(conf, path, f.length, withBloom = true), keys)
    })
    KeyPruned(judged.collect { case (file, KeyVerdict.MayHold) => file }, judged.count(_._2 == KeyVerdict.OutOfRange),
      judged.count(_._2 == KeyVerdict.NotInBloom))
  }
}
