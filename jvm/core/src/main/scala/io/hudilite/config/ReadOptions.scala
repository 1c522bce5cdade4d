package io.hudilite.config

import io.hudilite.config.key.ConfigKey

/** Options of one read. */
object ReadOptions {

  val QueryType: ConfigKey[String] = ConfigKey.choice("hoodie.datasource.query.type", Some("snapshot"),
    Seq("snapshot", "incremental", "read_optimized"),
    "The newest rows, the rows changed between two instants, or the newest rows of base files alone.",
    Seq("hoodie.datasource.view.type"))

  val AsOfInstant: ConfigKey[String] = ConfigKey.text("as.of.instant", None,
    "Read the table as of this instant: `yyyyMMddHHmmss[SSS]`, `yyyy-MM-dd` or `yyyy-MM-dd HH:mm:ss[.SSS]`.")

  val VersionAsOf: ConfigKey[String] = ConfigKey.text("versionAsOf", None,
    "The same, by the name that Delta Lake has for it: an instant, or a time on the table's clock.")

  val TimestampAsOf: ConfigKey[String] = ConfigKey.text("timestampAsOf", None,
    "Read the table as of this time, which is one of Spark's session time zone where it names none, as in " +
      "`TIMESTAMP AS OF`. Of these three a read takes one.")

  val BeginInstant: ConfigKey[String] = ConfigKey.text("hoodie.datasource.read.begin.instanttime", None,
    "Where an incremental read begins; the instant itself is not read. `earliest` or `000` reads from the first one. " +
      "Tables of version 8 and later compare completion times.")

  val EndInstant: ConfigKey[String] = ConfigKey.text("hoodie.datasource.read.end.instanttime", None,
    "Where an incremental read ends; the instant itself is read. Without it: the newest one.")

  val PathGlob: ConfigKey[String] = ConfigKey.text("hoodie.datasource.read.incr.path.glob", Some(""),
    "The only files whose rows an incremental read sees, by a pattern for the end of their paths: `*` stands for any text, " +
      "slashes too, `?` for one character, `[ab]` for one of these, `{a,b}` for one of these texts. `/oslo/*` names a " +
      "partition. It must hold for all files of a file slice or for none. Empty: all files.")

  val FullScanFallback: ConfigKey[Boolean] = ConfigKey.flag("hoodie.datasource.read.incr.fallback.fulltablescan.enable",
    default = false,
    "What an incremental read with an end does when rows as of that end have been overwritten since and cleaned away: " +
      "true reads those that are left, false is an error. Without an end none is missing.")

  val MetaColumns: ConfigKey[Boolean] = ConfigKey.flag("hoodie.datasource.read.meta.columns", default = false,
    "Show the five `_hoodie_` columns in `SELECT *`. By name they can always be selected.")

  val UsesMetadata: ConfigKey[Boolean] = ConfigKey.flag("hoodie.metadata.enable", default = true,
    "In a read: take the files of a table from the metadata table beside it, where there is one that is as it should be; " +
      "elsewhere, and with `false`, folders are listed. Where nobody says `true` it must also know all that has left the " +
      "timeline, which is looked at up to 8 MiB of archived files. Incremental reads list folders. In a write: true makes " +
      "a metadata table that lists files, where there is none; false removes one. Without it, one is kept up unless it " +
      "holds other indexes than statistics and bloom filters.")

  val SkipsFiles: ConfigKey[Boolean] = ConfigKey.flag("hoodie.enable.data.skipping", default = true,
    "Leave out files in which no row can pass the filters of a query, by statistics of any of their columns: those of " +
      "the metadata table where `hoodie.metadata.enable` is on, and those in the footers of base files, of 1,000 at most.")

  /** Options that name the state of the table to read. At most one state may be named. */
  val TimeTravel: Seq[ConfigKey[String]] = Seq(AsOfInstant, VersionAsOf, TimestampAsOf)

  /** Options that say which changes an incremental read sees. */
  val OfRange: Seq[ConfigKey[String]] = Seq(BeginInstant, EndInstant, PathGlob)

  /** Options that choose the rows that a read sees. Writes work on the newest ones. */
  val ChoosesRows: Seq[ConfigKey[String]] = QueryType +: (TimeTravel ++ OfRange)

  val all: Seq[ConfigKey[_]] = ChoosesRows.filterNot(_ == PathGlob) ++ Seq(FullScanFallback, MetaColumns)

  /** Those that Hudi's writers heed, too, and the pattern of files. */
  val further: Seq[ConfigKey[_]] = Seq(PathGlob, UsesMetadata, SkipsFiles)
}
