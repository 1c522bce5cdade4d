package io.hudilite.service.advise

/** Files that lookups open, as the footers of a sample let expect: pure.
  *
  * A key lies in one file of its place, the partition or with a global index the table. Every other file of that place is
  * opened as well if its range has the key and its bloom filter, where one is asked, lets it through. A file group of log
  * files alone is always opened.
  *
  * @param counts
  *   files by partition
  */
private[advise] final class ProbedFiles(sample: Seq[SampledFile], counts: Map[String, PartitionFiles],
    isGlobal: Boolean) {

  import ProbedFiles._

  private def place(partition: String): String = if (isGlobal) "" else partition

  private val inPlace: Map[String, Int] =
    counts.groupBy(c => place(c._1)).map { case (at, parts) => at -> parts.values.map(_.groups).sum }
  private val sampled: Map[String, Seq[SampledFile]] = sample.groupBy(f => place(f.group.partition))

  /** Files that are opened for the key of a row picked at random; none of a table without files. */
  def byKey(weigh: SampledFile => Double): Double =
    if (inPlace.isEmpty) 0.0
    else {
      val each = sample.flatMap(file => othersOf(file, weigh).map(file.rows.max(1L).toDouble -> _))
      val all = each.map(_._1).sum
      if (all == 0) inPlace.values.max.toDouble else 1 + each.map { case (rows, n) => rows * n }.sum / all
    }

  // Of what was not sampled the sample tells.
  private def othersOf(file: SampledFile, weigh: SampledFile => Double): Option[Double] = {
    val at = place(file.group.partition)
    val others = sampled(at).filter(_ != file)
    val unknown = inPlace(at) - 1
    if (unknown == 0) Some(0.0)
    else if (others.isEmpty) None
    else Some(others.map(o => weigh(o) * file.within(o)).sum / others.size * unknown)
  }

  /** Files that are opened for an upsert like this one: those that it wrote to, and others that may hold one of its keys.
    * The keys lie where the files do that it wrote to.
    */
  def by(upsert: LastUpsert, weigh: SampledFile => Double): Double = {
    val keys = upsert.keys.groupBy(k => place(k._1)).map { case (at, some) => at -> some.values.sum }
    val written = upsert.groups.groupBy(g => place(g.partition))
    keys.map { case (at, count) =>
      val there = inPlace.getOrElse(at, 0)
      val own = written.get(at).fold(0)(_.size).min(there)
      own + (there - own) * shareOpened(at, count, upsert, weigh)
    }.sum
  }

  private def shareOpened(at: String, keys: Long, upsert: LastUpsert, weigh: SampledFile => Double): Double = {
    val (own, others) = sampled.getOrElse(at, Nil).partition(f => upsert.groups(f.group))
    if (others.isEmpty) 1.0
    else others.map(o => if (own.isEmpty || own.exists(o.meets)) anyOf(keys, weigh(o)) else 0.0).sum / others.size
  }
}

private[advise] object ProbedFiles {

  /** Ranges alone are asked. */
  val ByRange: SampledFile => Double = _ => 1.0

  /** Bloom filters are asked, too. */
  val ByFilter: SampledFile => Double = _.passes

  /** The likelihood that one of so many keys passes, of which each does with this one. */
  private def anyOf(keys: Long, each: Double): Double = 1 - math.pow(1 - each, keys.toDouble)
}
