package io.hudilite.config

import io.hudilite.outside.LockOptions

import com.fasterxml.jackson.databind.{JsonNode, ObjectMapper}

import scala.collection.JavaConverters._

/** An option of Hudi's that hudilite does not act on.
  *
  * @param harmless
  *   values, in lower case, with which the option may be ignored
  */
final case class RefusedOption(name: String, harmless: Seq[String], reason: String)

/** Options of Hudi's that are accepted and do nothing here.
  *
  * @param names
  *   names in lower case; one that ends in an asterisk stands for all with its beginning
  * @param instead
  *   substitute for the options, as the rest of a sentence
  */
private[config] final case class OptionsWithoutEffect(names: Seq[String], instead: Option[String]) {

  /** @param name in lower case */
  def has(name: String): Boolean =
    names.exists(known => known == name || (known.endsWith("*") && name.startsWith(known.dropRight(1))))
}

/** Options that Hudi knows and hudilite does not document, from `known-options.json`. They are accepted where ignoring
  * them loses nothing, and refused otherwise.
  */
private[config] object KnownOptions {

  /** Options that Spark itself adds to a read or write, in lower case: only the argument of `load` and `save` (seen on
    * 3.5.9, 4.0.1 and 4.3.0).
    */
  val OfSpark: Set[String] = Set("path")

  /** Substitutes for options of other formats and for Hudi's names in SQL, by their names in lower case. */
  val InPlaceOf: Map[String, String] = Map(
    "primarykey" -> TableOptions.RecordKeyFields.name,
    "precombinefield" -> TableOptions.OrderingFields.name,
    "recordkey" -> TableOptions.RecordKeyFields.name,
    "recordkeyfield" -> TableOptions.RecordKeyFields.name,
    "recordkeyfields" -> TableOptions.RecordKeyFields.name,
    "primarykeys" -> TableOptions.RecordKeyFields.name,
    "primarykeyfield" -> TableOptions.RecordKeyFields.name,
    "primarykeyfields" -> TableOptions.RecordKeyFields.name,
    "payloadclass" -> TableOptions.PayloadClass.name,
    "recordmergestrategyid" -> TableOptions.RecordMergeMode.name,
    "compression" -> WriteOptions.CompressionCodec.name,
    "overwrite-mode" -> WriteOptions.OverwriteMode.name,
    "overwriteschema" -> WriteOptions.MergeSchema.name,
    "merge-schema" -> WriteOptions.MergeSchema.name,
    "snapshot-id" -> ReadOptions.VersionAsOf.name,
    "as-of-timestamp" -> ReadOptions.TimestampAsOf.name,
    "startingversion" -> ReadOptions.BeginInstant.name,
    "startingtimestamp" -> ReadOptions.BeginInstant.name)

  /** Options that are accepted and have no effect. */
  lazy val WithoutEffect: Seq[OptionsWithoutEffect] = entries("withoutEffect").map(node =>
    OptionsWithoutEffect(texts(node.get("names")), Option(node.get("instead")).map(_.asText)))

  /** Options whose meaning would be lost. They are accepted only with a harmless value. */
  lazy val Refused: Seq[RefusedOption] = entries("refused").map(node =>
    RefusedOption(node.get("name").asText, texts(node.get("accepted")), node.get("reason").asText))

  private lazy val resource: JsonNode = {
    val stream = getClass.getResourceAsStream("/hudilite/known-options.json")
    try new ObjectMapper().readTree(stream)
    finally stream.close()
  }

  private def entries(kind: String): Seq[JsonNode] = resource.get(kind).elements.asScala.toList

  private def texts(node: JsonNode): Seq[String] = node.elements.asScala.map(_.asText).toList

  /** Spellings of the merge strategy, which must be that of a merge mode. */
  val StrategyNames: Seq[String] =
    Seq("hoodie.write.record.merge.strategy.id", "hoodie.datasource.write.record.merger.strategy",
      TableKeys.StrategyId, TableKeys.OldStrategyId)

  val ConcurrencyMode: String = LockOptions.Mode
  val LockProvider: String = LockOptions.Provider
}
