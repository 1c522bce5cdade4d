package io.hudilite.config

/** Options of one read. */
object ReadOptions {

  val QueryType: ConfigKey[String] = ConfigKey.choice("hoodie.datasource.query.type", Some("snapshot"),
    Seq("snapshot", "incremental", "read_optimized"),
    "The newest rows, the rows changed between two instants, or the newest rows of base files alone.",
    Seq("hoodie.datasource.view.type"))

  val AsOfInstant: ConfigKey[String] = ConfigKey.text("as.of.instant", None,
    "Read the table as of this instant: `yyyyMMddHHmmss[SSS]`, `yyyy-MM-dd` or `yyyy-MM-dd HH:mm:ss[.SSS]`.")

  val BeginInstant: ConfigKey[String] = ConfigKey.text("hoodie.datasource.read.begin.instanttime", None,
    "Where an incremental read begins; the instant itself is not read. `earliest` or `000` reads from the first one. " +
      "Tables of version 8 and later compare completion times.")

  val EndInstant: ConfigKey[String] = ConfigKey.text("hoodie.datasource.read.end.instanttime", None,
    "Where an incremental read ends; the instant itself is read. Without it: the newest one.")

  val MetaColumns: ConfigKey[Boolean] = ConfigKey.flag("hoodie.datasource.read.meta.columns", default = false,
    "Show the five `_hoodie_` columns in `SELECT *`. By name they can always be selected.")

  val all: Seq[ConfigKey[_]] = Seq(QueryType, AsOfInstant, BeginInstant, EndInstant, MetaColumns)
}
