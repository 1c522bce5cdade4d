package io.hudilite.config

import io.hudilite.config.key.ConfigKey
import io.hudilite.error.{EditDistance, InvalidInput}

/** Settings of a session that are no options of reads and writes, but bounds of their plans. */
object SessionSettings {

  val Prefix = "spark.hudilite."

  /** Prefix of options that are set for a session. */
  val OptionPrefix = "spark.datasource.hudilite."

  // With 36 characters a key this takes some 400 MB in the driver and in each executor.
  val MaxBroadcastKeys: ConfigKey[Long] = ConfigKey.long("spark.hudilite.lookup.maxBroadcastKeys", 4000000L,
    "Keys of an upsert that are sent to every task at most, to be looked up in files; more of them are joined with a " +
      "scan of the table's keys.", min = 0, unit = "")

  val all: Seq[ConfigKey[_]] = Seq(MaxBroadcastKeys)

  /** Raises `InvalidInput` for an unknown setting of hudilite's, and for a malformed value. */
  def check(settings: Map[String, String]): Unit = {
    val own = settings.filter(_._1.startsWith(Prefix))
    own.keys.toSeq.sorted.find(name => !all.exists(_.name == name)).foreach(name =>
      throw InvalidInput("UNKNOWN_OPTION", Seq("option" -> name) ++ nearest(name).map("nearest" -> _): _*))
    all.foreach(_.get(own))
  }

  private def nearest(name: String): Option[String] = {
    val option = name.stripPrefix(Prefix)
    val options = Options.documented.flatMap(_.names)
    options.find(_.equalsIgnoreCase(option)).map(OptionPrefix + _)
      .orElse(EditDistance.nearest(name, all.map(_.name)))
      .orElse(EditDistance.nearest(option, options).map(OptionPrefix + _))
  }
}
