package io.hudilite.config

import io.hudilite.config.key.ConfigKey
import io.hudilite.config.service.{
  ArchiveOptions,
  CleanOptions,
  ClusteringOptions,
  CompactionOptions,
  PartitionTtlOptions,
  ServiceOptions
}
import io.hudilite.error.{EditDistance, InvalidInput}
import io.hudilite.outside.{CallbackOptions, LockOptions}
import io.hudilite.sync.SyncOptions

import java.util.Locale

/** All options that hudilite documents, and the check of those that a user has set. */
object Options {

  /** The documented options, in the order of docs/options.md. */
  val documented: Seq[ConfigKey[_]] = TableOptions.all ++ WriteOptions.all ++ CompactionOptions.all ++
    ServiceOptions.all ++
    CleanOptions.all ++ ArchiveOptions.all ++ ClusteringOptions.documented ++ ReadOptions.all

  /** Options that hudilite acts on as Hudi's documentation says, so that docs/options.md only lists them. */
  val further: Seq[ConfigKey[_]] =
    (WriteOptions.ofStatements :+ WriteOptions.AmongOthers) ++
      WriteOptions.ofPartitions ++
      WriteOptions.ofMetadata ++ LockOptions.all ++ CallbackOptions.all ++ IndexOptions.all ++
      ClusteringOptions.further ++ PartitionTtlOptions.all ++
      SyncOptions.all ++ ReadOptions.further ++ TableOptions.further ++ BootstrapOptions.all

  private val heeded: Seq[ConfigKey[_]] = documented ++ further

  private val documentedNames: Set[String] = heeded.flatMap(_.names).map(lower).toSet

  /** Options of Hudi's that are accepted and have no effect; an asterisk stands for any end of a name. */
  def accepted: Seq[String] = KnownOptions.WithoutEffect.flatMap(_.names).sorted

  /** Options of Hudi's that are refused unless their value is harmless. */
  def refused: Seq[RefusedOption] = KnownOptions.Refused

  private lazy val refusedByName: Map[String, RefusedOption] = refused.map(r => lower(r.name) -> r).toMap

  private val checkedNames: Set[String] =
    (KnownOptions.StrategyNames ++
      Seq(KnownOptions.ConcurrencyMode, KnownOptions.LockProvider, BootstrapOptions.Copies.name)).map(lower).toSet

  private val ofReads: Set[String] = ReadOptions.all.flatMap(_.names).map(lower).toSet

  // Options of buckets may be given to reads, too, since Hudi's readers prune by buckets.
  private val ofWrites: Set[String] =
    ((WriteOptions.all :+ WriteOptions.AmongOthers) ++ WriteOptions.ofStatements ++ LockOptions.all ++
      CallbackOptions.all ++ CompactionOptions.all ++
      ServiceOptions.all ++ CleanOptions.all ++
      ArchiveOptions.all ++ ClusteringOptions.all ++ PartitionTtlOptions.all).filterNot(
      WriteOptions.OfBuckets.contains).flatMap(_.names).map(lower)
      .toSet

  /** Raises `InvalidInput` for an unknown option, for one of reads given to a write and the reverse, for one whose
    * meaning hudilite would lose, and for a malformed value. `IneffectiveOptions` has the options that Hudi knows and
    * that change nothing here.
    */
  def check(options: Map[String, String], side: OptionSide = OptionSide.Any,
      beside: Map[String, String] = Map.empty): Unit = {
    // Only commits have entries, and any text may be one.
    def isEntry(name: String): Boolean = side != OptionSide.Read && CommitNotes.isEntry(name, beside ++ options)
    options.toSeq.sorted.foreach { case (key, value) =>
      if (isHeeded(lower(key)) || !isEntry(key)) checkOne(lower(key), key, value, side)
    }
    LockOptions.check(options)
    if (LockOptions.of(options).isDefined && WriteOptions.FailedWritesPolicy.get(options).contains("EAGER"))
      notSupported(WriteOptions.FailedWritesPolicy.name, "EAGER", "a writer that shares the lock may be alive")
    heeded.foreach(_.get(options))
    mergeMode(options)
  }

  private def checkOne(name: String, key: String, value: String, side: OptionSide): Unit =
    if (documentedNames.contains(name)) misplaced(name, side).foreach(notSupported(key, value, _))
    else if (!checkedNames.contains(name) && !KnownOptions.OfSpark.contains(name))
      refusedByName.get(name) match {
        case Some(option) =>
          if (!option.harmless.contains(lower(value.trim))) notSupported(option.name, value, option.reason)
        case None if IneffectiveOptions.isAccepted(name) =>
        case None => throw InvalidInput("UNKNOWN_OPTION", Seq("option" -> key) ++ nearest(name).map("nearest" -> _): _*)
      }

  private def misplaced(name: String, side: OptionSide): Option[String] = side match {
    case OptionSide.Read if ofWrites(name) => Some("it is an option of writes, and this is a read")
    case OptionSide.Write if ofReads(name) => Some("it is an option of reads, and this is a write")
    case _ => None
  }

  /** All names of an option in lower case, by one of them. */
  def spellings(name: String): Seq[String] =
    heeded.map(_.names.map(lower)).find(_.contains(lower(name))).getOrElse(Seq(lower(name)))

  /** These options, and others as far as none of these is one of them under another name. */
  def outranking(options: Map[String, String], others: Map[String, String]): Map[String, String] = {
    val said = options.keySet.map(lower)
    others.filterNot { case (name, _) => spellings(name).exists(said) } ++ options
  }

  /** True for a name that is no option and looks like none, such as that of a property of a user's own. */
  def isOfOthers(name: String): Boolean = {
    val said = lower(name)
    def near = EditDistance.nearest(said, documentedNames.filterNot(isOfHudi).toSeq).isDefined
    !isOfHudi(said) && !said.startsWith("hudilite.") && !isHeeded(said) && !KnownOptions.OfSpark(said) &&
    !KnownOptions.InPlaceOf.contains(said) && !near
  }

  private def isOfHudi(name: String): Boolean = name.startsWith(HudiSettings.Prefix)

  private[config] def isHeeded(name: String): Boolean = documentedNames.contains(name) || checkedNames.contains(name)

  /** The merge mode that the options ask for, by name, payload class or strategy id. */
  def mergeMode(options: Map[String, String]): Option[MergeMode] = {
    val byName = TableOptions.RecordMergeMode.get(options).flatMap(MergeMode.of)
      .map(TableOptions.RecordMergeMode.name -> _)
    val all = byName.toList ++ askedBy(TableOptions.PayloadClass.names, modeOfPayload, options) ++
      askedBy(KnownOptions.StrategyNames, modeOfStrategy(options, _), options)
    all.find(_._2 != all.head._2).foreach { case (name, mode) =>
      throw InvalidInput.option(name, mode.name, s"${all.head._1} asks for ${all.head._2.name}")
    }
    all.headOption.map(_._2)
  }

  private def modeOfPayload(className: String): Option[MergeMode] =
    Payload.of(className).map(_.mode).orElse(MergeMode.ofPayload(className))

  // One strategy is that of all payload classes with a rule of their own.
  private def modeOfStrategy(options: Map[String, String], id: String): Option[MergeMode] =
    if (id == Payload.StrategyId) payload(options).map(_.mode) else MergeMode.ofStrategy(id)

  /** The payload class with a merge rule of its own that the options ask for. */
  def payload(options: Map[String, String]): Option[Payload] =
    TableOptions.PayloadClass.get(options).flatMap(Payload.of)

  private def askedBy(names: Seq[String], read: String => Option[MergeMode], options: Map[String, String])
      : Seq[(String, MergeMode)] = for {
    name <- names
    value <- ConfigKey.lookUp(options, name).map(_.trim).filter(_.nonEmpty).toList
  } yield name -> read(value).getOrElse(notSupported(name, value, "its rule for rows with one key is not known"))

  private def notSupported(option: String, value: String, reason: String): Nothing =
    throw InvalidInput("OPTION_NOT_SUPPORTED", "option" -> option, "value" -> value, "reason" -> reason,
      "way" -> "use Apache Hudi for what needs it")

  private def nearest(name: String): Option[String] =
    KnownOptions.InPlaceOf.get(name).orElse(EditDistance.nearest(name, heeded.flatMap(_.names)))

  private def lower(text: String): String = text.toLowerCase(Locale.ROOT)
}
