package io.hudilite.stats

import io.hudilite.filegroup.BaseFile

import org.apache.hadoop.conf.Configuration

/** Tells of base files what can be known without their rows: how many these are, between which values columns and record
  * keys lie, how many nulls there are. Pruning, lookups, merges, aggregates and services ask here. A reader that opens a
  * file takes the places of row groups and pages from the footer itself.
  */
trait FileStatistics {

  /** One answer for each of the files, made of what is known of it: the facts on a file are let go with that, since bloom
    * filters of many files would not fit into memory. It may take a request for each file, and files come beside each
    * other.
    *
    * @param wanted
    *   nothing beyond it is looked up
    */
  def eachFile[A](files: Seq[BaseFile], wanted: BoundsWanted)(use: (BaseFile, FileBounds) => A): Map[BaseFile, A]

  /** As [[eachFile]], for who need not know of which file they are told. */
  final def each[A](files: Seq[BaseFile], wanted: BoundsWanted)(use: FileBounds => A): Map[BaseFile, A] =
    eachFile(files, wanted)((_, of) => use(of))

  /** No request is needed any more for what is wanted of the file. */
  def isAtHand(file: BaseFile, wanted: BoundsWanted): Boolean = false

  final def of(files: Seq[BaseFile], wanted: BoundsWanted = BoundsWanted.OfKeys): Map[BaseFile, FileBounds] =
    each(files, wanted)(identity)

  final def ofFile(file: BaseFile, wanted: BoundsWanted = BoundsWanted.OfKeys): FileBounds =
    of(Seq(file), wanted)(file)
}

object FileStatistics {

  /** The statistics of a table's files: the one place where it is decided who knows them.
    *
    * @param conf
    *   evaluated when a file is asked about
    */
  def at(basePath: String, conf: => Configuration): FileStatistics = new FooterStatistics(basePath, conf)
}

/** A question about files, besides the number of their rows and the bounds of their record keys.
  *
  * @param columns
  *   names of top-level columns in the files
  * @param blooms
  *   bloom filters of record keys, of which one takes half a megabyte
  */
final case class BoundsWanted(columns: Seq[String] = Nil, blooms: Boolean = false)

object BoundsWanted {
  val OfKeys: BoundsWanted = BoundsWanted()
  val WithBlooms: BoundsWanted = BoundsWanted(blooms = true)
}
