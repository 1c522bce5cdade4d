package io.hudilite.config

import io.hudilite.config.key.ConfigKey

/** Options of the operation `bootstrap`, which makes a table of Parquet files that are there. */
object BootstrapOptions {

  /** The operation in `hoodie.datasource.write.operation`, of a DataFrame's writer alone. */
  val Operation = "bootstrap"

  private val Selectors = "org.apache.hudi.client.bootstrap.selector."
  val FullRecord: String = s"${Selectors}FullRecordBootstrapModeSelector"
  val MetadataOnly: String = s"${Selectors}MetadataOnlyBootstrapModeSelector"
  val ByRegex: String = s"${Selectors}BootstrapRegexModeSelector"

  private val Translators = "org.apache.hudi.client.bootstrap.translator."

  val BasePath: ConfigKey[String] = ConfigKey.text("hoodie.bootstrap.base.path", None,
    "Folder of the Parquet files whose rows the operation `bootstrap` takes.")

  val Selector: ConfigKey[String] = ConfigKey.choice("hoodie.bootstrap.mode.selector", Some(MetadataOnly),
    Seq(FullRecord, MetadataOnly, ByRegex),
    "How partitions are taken over; only whole rows are.")

  val Regex: ConfigKey[String] = ConfigKey.text("hoodie.bootstrap.mode.selector.regex", Some(".*"),
    "Pattern of the partitions that BootstrapRegexModeSelector takes in its mode.")

  val RegexMode: ConfigKey[String] = ConfigKey.choice("hoodie.bootstrap.mode.selector.regex.mode",
    Some("METADATA_ONLY"), Seq("METADATA_ONLY", "FULL_RECORD"),
    "Mode of the partitions that match the pattern; others are taken in the other one.")

  val KeyGenerator: ConfigKey[String] = ConfigKey.text("hoodie.bootstrap.keygen.class", None,
    "Key generator of the new table, in the place of hoodie.datasource.write.keygenerator.class.")

  val KeyGeneratorName: ConfigKey[String] = ConfigKey.text("hoodie.bootstrap.keygen.type", None,
    "Key generator of the new table by name.")

  val Translator: ConfigKey[String] = ConfigKey.choice("hoodie.bootstrap.partitionpath.translator.class", None,
    Seq("Identity", "Decoded").map(name => s"$Translators${name}BootstrapPartitionPathTranslator"),
    "Accepted: the values of whole rows make their partition paths.")

  val all: Seq[ConfigKey[_]] = Seq(BasePath, Selector, Regex, RegexMode, KeyGenerator, KeyGeneratorName, Translator)
}
