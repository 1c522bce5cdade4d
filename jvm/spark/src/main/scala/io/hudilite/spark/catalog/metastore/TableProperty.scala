package io.hudilite.spark.catalog.metastore

import io.hudilite.config.{Options, TableOptions, TableType, WriteOptions}
import io.hudilite.config.key.ConfigKey
import io.hudilite.error.{EditDistance, InvalidInput}

import java.util.Locale

/** OPTIONS and TBLPROPERTIES of a statement, by the names of options. */
object TableProperty {

  // Apache Hudi's names of these options in SQL.
  private val Words: Seq[(String, ConfigKey[_])] = Seq("primaryKey" -> TableOptions.RecordKeyFields,
    "preCombineField" -> TableOptions.OrderingFields, "orderingFields" -> TableOptions.OrderingFields,
    "type" -> TableOptions.Type, "recordMergeMode" -> TableOptions.RecordMergeMode,
    "payloadClass" -> TableOptions.PayloadClass)

  private val Names: Map[String, ConfigKey[_]] = Words.map { case (word, key) => lower(word) -> key }.toMap

  /** Facts by the names that statements use: Hudi's names in SQL where there are such. */
  def inSql(facts: Seq[(ConfigKey[_], String)]): Seq[(String, String)] = facts.map { case (key, value) =>
    val word = Words.collectFirst { case (found, `key`) => found }
    val short = Types.collectFirst { case (found, kind) if key == TableOptions.Type && kind.name == value => found }
    word.getOrElse(key.name) -> short.getOrElse(value)
  }

  /** Most letters by which a name may differ from one of these words to be taken for a misspelling. */
  private val Typos = 2

  private val Types = Map("cow" -> TableType.CopyOnWrite, "mor" -> TableType.MergeOnRead)

  private val facts: Set[String] = TableOptions.facts.flatMap(_.names).map(lower).toSet

  private val buckets: Set[String] = WriteOptions.OfBuckets.flatMap(_.names).map(lower).toSet

  /** The properties, with Hudi's SQL names translated to options. Raises `InvalidInput` when one is misspelt, or given
    * twice with different values.
    */
  def options(properties: Map[String, String]): Map[String, String] = {
    properties.keys.toSeq.sorted.foreach(checkSpelling)
    val (words, plain) = properties.toSeq.sorted.partition { case (name, _) => Names.contains(lower(name)) }
    words.foldLeft(plain.toMap) { case (options, (word, text)) =>
      val key = Names(lower(word))
      val value = if (key == TableOptions.Type) tableType(word, text) else text
      key.raw(options).filterNot(_._2.replace(" ", "") == value.replace(" ", "")).foreach { case (other, said) =>
        throw InvalidInput("INVALID_OPTION_VALUE", "option" -> word, "value" -> text,
          "reason" -> s"$other gives $said; leave one of them out")
      }
      if (key.isSet(options)) options else options + (key.name -> value)
    }
  }

  /** Properties of a user's own, which the catalog keeps and no write heeds. */
  def own(properties: Map[String, String]): Map[String, String] =
    properties.filter { case (name, _) => isOwn(name) }

  def isOwn(name: String): Boolean = {
    checkSpelling(name)
    !Names.contains(lower(name)) && Options.isOfOthers(name)
  }

  // Short words are too near to many others to be checked.
  private def checkSpelling(name: String): Unit =
    Words.map(_._1).filter(_.length > 3 * Typos)
      .find(word => !Names.contains(lower(name)) && EditDistance.between(lower(name), lower(word)) <= Typos)
      .foreach(word => throw InvalidInput("UNKNOWN_OPTION", "option" -> name, "nearest" -> word))

  private def tableType(word: String, text: String): String = {
    val known = Types.get(lower(text.trim)).map(_.name).orElse(TableType.all.map(_.name).find(_ == text.trim))
    known.getOrElse(throw InvalidInput("INVALID_OPTION_VALUE", "option" -> word, "value" -> text,
        "reason" -> "a type is cow or mor"))
  }

  /** True when the property states a fact of the table, which lies with the table and not in the catalog. */
  def isFact(name: String): Boolean = facts(lower(name)) || Names.contains(lower(name))

  /** Options that hold for writes and state no fact of the table. */
  def kept(options: Map[String, String]): Map[String, String] =
    options.filter { case (name, _) => (lower(name).startsWith("hoodie.") || ofWrites(lower(name))) && !isFact(name) }

  // Those without Hudi's prefix.
  private val ofWrites: Set[String] = Set(WriteOptions.MergeSchema.name, WriteOptions.OverwriteMode.name).map(lower)

  /** Options that determine how keys are dealt to buckets. */
  def ofBuckets(options: Map[String, String]): Map[String, String] =
    options.filter { case (name, _) => buckets(lower(name)) }

  /** Options of buckets among unchecked properties; none for a kind of buckets or index that hudilite lacks. Reads need
    * none, and a write names the kind that is missing.
    */
  def ofSimpleBuckets(properties: Map[String, String]): Map[String, String] = {
    def says(key: ConfigKey[_], texts: String*): Option[Boolean] =
      key.raw(properties).map { case (_, text) => texts.exists(text.trim.equalsIgnoreCase) }
    if (says(WriteOptions.IndexType, WriteOptions.ByBuckets).contains(true) &&
      !says(WriteOptions.BucketEngine, "SIMPLE", WriteOptions.ConsistentHashing).contains(false))
      ofBuckets(properties)
    else Map.empty
  }

  private def lower(text: String): String = text.toLowerCase(Locale.ROOT)
}
