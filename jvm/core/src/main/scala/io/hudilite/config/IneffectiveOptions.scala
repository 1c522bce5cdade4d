package io.hudilite.config

import java.util.Locale

/** An option of Hudi's that is accepted and does nothing here.
  *
  * @param name
  *   name in the spelling of the user
  * @param instead
  *   substitute for the option, as the rest of a sentence
  */
final case class IneffectiveOption(name: String, instead: String) {
  def text: String = s"The option $name has no effect in hudilite: $instead."
}

/** Accepted options that do nothing, with the reason why that is no loss. */
object IneffectiveOptions {

  /** Options without effect among these, by name. */
  def among(options: Map[String, String]): Seq[IneffectiveOption] =
    options.keys.toSeq.sorted.filter(isAccepted).map(name => IneffectiveOption(name, instead(lower(name))))

  private[config] def isAccepted(name: String): Boolean =
    !Options.isHeeded(lower(name)) && KnownOptions.WithoutEffect.exists(_.has(lower(name)))

  private def instead(name: String): String =
    KnownOptions.WithoutEffect.find(_.has(name)).flatMap(_.instead).getOrElse(
      if (name.endsWith(".parallelism")) "Spark deals the work out by its size"
      else "there is nothing that it would change")

  private def lower(text: String): String = text.toLowerCase(Locale.ROOT)
}
