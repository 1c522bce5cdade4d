package io.hudilite.config

import io.hudilite.error.EditDistance

import java.util.Locale

/** Settings of a session that begin like Apache Hudi's, `SET hoodie.…`: the options of all its statements, as Hudi's SQL
  * has it. Only those that hudilite acts on count; the others may be there for another program, and are no errors.
  */
object HudiSettings {

  val Prefix = "hoodie."

  private val reads: Set[String] = (ReadOptions.all ++ ReadOptions.further).flatMap(_.names).map(lower).toSet

  private val facts: Set[String] = (TableOptions.facts.flatMap(_.names) ++ KnownOptions.StrategyNames).map(lower).toSet

  // Without these a read or a write would give or leave other rows, or not exclude other writers. One that cannot heed
  // them is refused.
  private val refusedInReads: Set[String] =
    Set("hoodie.datasource.merge.type", "hoodie.datasource.query.incremental.format")
  private val refusedInWrites: Set[String] = Set("hoodie.merge.allow.duplicate.on.inserts",
    "hoodie.static.overwrite.partition.paths", KnownOptions.ConcurrencyMode, KnownOptions.LockProvider).map(lower)

  /** Options of reads, and those by which reads find buckets. */
  def ofReads(settings: Map[String, String]): Map[String, String] =
    settings.filter { case (name, _) => isOfReads(lower(name)) }

  private def isOfReads(name: String): Boolean = reads(name) || refusedInReads(name)

  /** Options of writes and services, which state no fact of a table. */
  def ofWrites(settings: Map[String, String]): Map[String, String] =
    settings.filter { case (name, _) => isOfWrites(lower(name)) }

  private def isOfWrites(name: String): Boolean =
    refusedInWrites(name) || (Options.isHeeded(name) && !facts(name) && !reads(name))

  /** Settings that no statement heeds, with the reason. */
  def ineffective(settings: Map[String, String]): Seq[IneffectiveOption] = settings.keys.toSeq.sorted.filterNot(name =>
    isOfReads(lower(name)) || isOfWrites(lower(name))).flatMap(name =>
    reason(name, settings(name)).map(IneffectiveOption(
        name,
        _)))

  private def reason(setting: String, value: String): Option[String] = {
    val name = lower(setting)
    if (facts(name)) Some("a table takes it from the statement or write that makes it")
    else Options.refused.find(option => lower(option.name) == name) match {
      case Some(option) => if (option.harmless.contains(lower(value.trim))) None else Some(option.reason)
      case None if IneffectiveOptions.isAccepted(name) =>
        IneffectiveOptions.among(Map(setting -> value)).headOption.map(
          _.instead)
      case None => Some("it is not known" + EditDistance.nearest(name, known).fold("")(near =>
          s"; the nearest known option is $near"))
    }
  }

  private def known: Seq[String] = Options.documented.flatMap(_.names)

  private def lower(text: String): String = text.toLowerCase(Locale.ROOT)
}
