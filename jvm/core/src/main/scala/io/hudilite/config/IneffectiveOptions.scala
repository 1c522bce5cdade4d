package io.hudilite.config

import java.util.Locale

/** An option of Hudi's that is accepted and does nothing here.
  *
  * @param name
  *   in the spelling in which it was given
  * @param instead
  *   what takes its place, as the rest of a sentence
  */
final case class IneffectiveOption(name: String, instead: String) {
  def text: String = s"The option $name has no effect in hudilite: $instead."
}

/** Tells a user which of the options that were accepted do nothing, and why that is no loss. */
object IneffectiveOptions {

  /** Those among the options, by name. */
  def among(options: Map[String, String]): Seq[IneffectiveOption] =
    options.keys.toSeq.sorted.filter(isAccepted).map(name => IneffectiveOption(name, instead(lower(name))))

  private[config] def isAccepted(name: String): Boolean = {
    val known = lower(name)
    !Options.isHeeded(known) && (KnownOptions.Accepted(known) || KnownOptions.AcceptedPrefixes.exists(known.startsWith))
  }

  private val Families: Seq[(Seq[String], String)] = Seq(
    Seq("hoodie.metadata.", "hoodie.record.index.", "hoodie.expression.index.", "hoodie.table.metadata.",
      "hoodie.bloom.index.use.metadata") -> "it lists files and reads their footers, and keeps no metadata table",
    Seq("hoodie.datasource.hive_sync.", "hoodie.meta.sync.", "hoodie.meta_sync.", "hoodie.datasource.meta.sync.",
      "hoodie.datasource.meta_sync.", "hoodie.gcp.", "hoodie.aws.") -> "no metastore is told of the table",
    Seq("hoodie.write.lock.", "hoodie.write.concurrency.", "hoodie.write.num.retries.",
      "hoodie.write.conflict.") -> "it has a lock of its own, whose wait is hoodie.write.lock.wait_time_ms",
    Seq("hoodie.embed.timeline.server", "hoodie.timeline.server.", "hoodie.filesystem.", "hoodie.markers.",
      "hoodie.write.markers.") -> "the driver reads the timeline itself, and each task writes its own markers",
    Seq("hoodie.metrics.") -> "Spark's SQL page shows the figures of reads and writes",
    Seq("hoodie.async.", "hoodie.clean.async", "hoodie.archive.",
      "hoodie.datasource.compaction.async.") -> "hudilite.services.async lets services run beside the writes",
    Seq("hoodie.memory.", "hoodie.write.buffer.", "hoodie.insert.write.buffer.") ->
      "Spark's own settings bound the memory of a task")

  private def instead(name: String): String = Families.collectFirst {
    case (beginnings, text) if beginnings.exists(name.startsWith) => text
  }.getOrElse(
    if (name.endsWith(".parallelism")) "Spark deals the work out by its size"
    else "there is nothing that it would change")

  private def lower(text: String): String = text.toLowerCase(Locale.ROOT)
}
