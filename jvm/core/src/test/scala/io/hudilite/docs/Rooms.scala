package io.hudilite.docs

/** One package of the main sources.
  *
  * @param name
  *   name of the package below `io.hudilite`
  * @param knows
  *   subject, in a few words
  * @param imports
  *   the rooms that it imports: all of them, and no others
  */
final case class Room(name: String, knows: String, imports: String*)

/** The rooms of the house and every edge between them. `ArchitectureSuite` compares the sources with them. The picture
  * and the table in docs/design.md are made of them.
  */
object Rooms {

  val core: Seq[Room] = Seq(
    Room("error", "the closed family of errors, and the conditions with their texts"),
    Room("storage", "the few file operations that the format needs, on Hadoop's file systems", "error"),
    Room("codec.avro", "Avro's binary encoding and its container files"),
    Room("codec.bloom", "bloom filters, bit by bit"),
    Room("codec.hfile", "HFiles, block by block", "error", "storage"),
    Room("codec.parquet", "Parquet files in memory, and records of files that are opened once"),
    Room("config.key", "one option: its name, its text and what that means", "error"),
    Room("config.service", "the options of table services, declared once each and read in one place", "config.key",
      "error"),
    Room("config", "options of tables, reads and writes, declared once each and read in one place; `hoodie.properties`",
      "config.key", "config.service", "error", "storage"),
    Room("record", "record keys and partition paths letter by letter; columns that no user writes", "config",
      "config.key", "error"),
    Room("log", "the blocks of log files", "codec.avro", "error", "storage"),
    Room("timeline.plan", "what the plans of services and their results hold"),
    Room("timeline", "instants and their files in both layouts; commit metadata in JSON and Avro; plans; archives",
      "codec.avro", "codec.parquet", "config", "error", "log", "storage", "timeline.plan"),
    Room("schema", "columns by id, and under which names they lie in files", "error"),
    Room("filegroup", "file names, footers, and which files make up a snapshot", "codec.bloom", "error", "log",
      "storage", "timeline", "timeline.plan"),
    Room("stats", "what is known of base files without their rows: counts, bounds of columns and record keys",
      "codec.bloom", "filegroup", "storage"),
    Room("table", "a table opened once: properties, timeline, schema, slices; what it must have to be read or written",
      "config", "error", "filegroup", "index", "log", "record", "schema", "storage", "timeline",
      "timeline.plan"),
    Room("index", "where record keys are: the kinds of index, one interface for all, and buckets", "config",
      "error", "filegroup", "record", "stats"),
    Room("merge", "which of two records of a key survives", "config"),
    Room("transaction.lock", "one writer at a time on this machine, and which process it is", "error", "storage"),
    Room("transaction.rollback", "markers, owners and heartbeats; what a write that died leaves to clean up",
      "config", "error", "filegroup", "log", "storage", "timeline", "timeline.plan", "transaction.lock"),
    Room("transaction", "begin, conflict check, commit gate", "config", "error", "filegroup", "index", "record",
      "schema", "storage", "table", "timeline", "timeline.plan", "transaction.lock", "transaction.rollback"),
    Room("service.compact", "which file slices are compacted, and when", "config", "config.service", "error",
      "filegroup", "log", "storage", "table", "timeline", "timeline.plan", "transaction"),
    Room("service.clean", "which files only past states need, and that they go", "config.service", "error",
      "filegroup", "storage", "table", "timeline", "transaction"),
    Room("service.cluster", "which file slices are written again together, and laid out how", "config",
      "config.service", "error", "filegroup", "index", "table", "timeline", "timeline.plan", "transaction"),
    Room("service.archive", "which instants leave the active timeline, and how they get into the archived one",
      "config", "config.service", "filegroup", "service.clean", "table", "timeline", "transaction",
      "transaction.rollback"),
    Room("service.undo", "savepoints, and writes that are taken back", "error", "filegroup", "table", "timeline",
      "timeline.plan", "transaction", "transaction.rollback"),
    Room("service.partition", "partitions that are dropped", "config.service", "error", "filegroup", "table",
      "timeline", "transaction"),
    Room("service.doctor", "what is wrong with a table, and which of it can be mended", "config", "error",
      "filegroup", "service.clean", "storage", "table", "timeline", "timeline.plan", "transaction",
      "transaction.rollback"))

  val spark: Seq[Room] = Seq(
    Room("spark.shim", "Spark's and Parquet's classes that are private or differ between versions"),
    Room("spark.row", "Spark's types and rows beside the format's; the session's configuration", "config", "error",
      "filegroup", "record", "spark.shim", "storage"),
    Room("spark.basefile.stored", "how a file stores the values of a column, and what else they can be read as"),
    Room("spark.basefile.read", "base files to batches and rows, by Spark's vectorized Parquet reader",
      "codec.parquet", "config", "error", "filegroup", "log", "record", "schema", "spark.basefile.stored",
      "spark.row", "spark.shim", "stats", "storage", "table"),
    Room("spark.basefile.encode", "rows and batches to base files", "codec.bloom", "error", "filegroup", "record",
      "spark.row", "spark.shim", "storage"),
    Room("spark.logfile.read", "records of log files, decoded and merged with each other", "codec.hfile",
      "codec.parquet", "config", "error", "filegroup", "log", "merge", "record", "schema",
      "spark.basefile.read", "spark.basefile.stored", "spark.row", "spark.shim", "table"),
    Room("spark.logfile.encode", "records to the blocks of log files", "codec.parquet", "error", "filegroup", "log",
      "spark.basefile.encode", "spark.row"),
    Room("spark.slice", "what becomes of the rows of base and log where they meet"),
    Room("spark.slice.deliver", "base and log together on the way to a reader: as batches, or as rows with some keys",
      "filegroup", "merge", "record", "schema", "spark.basefile.read", "spark.logfile.read", "spark.row",
      "spark.shim", "spark.slice", "stats"),
    Room("spark.slice.rewrite", "rows of base files and newer versions of them on the way into the next base file",
      "codec.bloom", "filegroup", "merge", "record", "schema", "spark.basefile.encode", "spark.basefile.read",
      "spark.logfile.read", "spark.row", "spark.slice"),
    Room("spark.bucket", "keys of files held against the buckets that they lie in, and buckets in Spark's words",
      "error", "filegroup", "index", "record", "spark.basefile.read", "spark.row", "spark.shim", "stats",
      "storage", "table"),
    Room("spark.scan.task", "the parts of a table that a task reads, and the columns of its rows", "filegroup",
      "index", "record", "spark.basefile.read", "spark.row", "spark.shim", "spark.slice.deliver", "stats"),
    Room("spark.scan.plan", "scans on the driver: push-down, pruning, dealing to tasks", "config", "error",
      "filegroup", "index", "record", "schema", "spark.basefile.read", "spark.logfile.read", "spark.row",
      "spark.scan.task", "spark.slice.deliver", "stats", "table", "timeline"),
    Room("spark.lookup", "the index probe: which file holds a key", "codec.bloom", "config", "error", "filegroup",
      "record", "schema", "spark.basefile.read", "spark.logfile.read", "spark.row", "spark.shim",
      "spark.slice.deliver", "spark.task", "stats", "table"),
    Room("spark.write", "writes as Spark calls them", "error", "log", "record", "spark.row", "spark.shim",
      "spark.write.attempt", "spark.write.job", "spark.write.table", "spark.write.task"),
    Room("spark.write.table", "the table that a write goes to: its columns, keys and index", "config", "error",
      "index", "record", "schema", "spark.basefile.read", "spark.bucket", "spark.logfile.encode", "spark.row",
      "spark.shim", "storage", "table", "transaction"),
    Room("spark.write.job", "all that the tasks of a write are sent", "config", "error", "filegroup", "index",
      "merge", "schema", "spark.basefile.encode", "spark.bucket", "spark.logfile.encode", "spark.row",
      "spark.shim", "spark.write.table", "transaction.rollback"),
    Room("spark.write.task", "writers of file groups", "error", "filegroup", "log", "spark.basefile.encode",
      "spark.basefile.read", "spark.logfile.encode", "spark.row", "spark.shim", "spark.slice.rewrite",
      "spark.write.job", "stats", "storage", "timeline", "transaction.rollback"),
    Room("spark.write.attempt", "a write as it is asked for, and one try of it: begun, committed or taken back",
      "error", "filegroup", "index", "spark.write.job", "spark.write.table", "spark.write.task", "table",
      "timeline", "transaction"),
    Room("spark.task", "the plan of a service as a job of Spark's", "filegroup", "spark.shim"),
    Room("spark.inspect", "what a table tells of itself, as tables to select from", "config", "error", "filegroup",
      "spark.basefile.read", "spark.row", "spark.shim", "spark.task", "stats", "storage", "table", "timeline",
      "timeline.plan"),
    Room("spark.service", "a service of a table: as it runs, is stopped and follows writes, and how it stands",
      "config", "config.service", "spark.write.table", "table", "timeline"),
    Room("spark.service.slice", "file slices compacted, folded and put together, in tasks", "filegroup", "log",
      "service.compact", "spark.basefile.encode", "spark.basefile.read", "spark.logfile.encode",
      "spark.logfile.read", "spark.row", "spark.slice.rewrite", "spark.task", "spark.write.job",
      "spark.write.task", "timeline", "transaction.rollback"),
    Room("spark.service.compact", "compactions: planned and run, by call and after writes", "config",
      "config.service", "error", "filegroup", "service.compact", "spark.logfile.read", "spark.service",
      "spark.service.slice", "spark.task", "spark.write.job", "spark.write.table", "table", "timeline",
      "transaction"),
    Room("spark.service.cluster.layout", "in which order a clustering lays rows out, and where files are cut",
      "config.service", "error", "record", "service.cluster", "spark.row", "spark.shim", "spark.write.job",
      "table"),
    Room("spark.service.cluster.rewrite", "planned slices to new file groups: copied, in another order or by bucket",
      "error", "filegroup", "index", "record", "service.cluster", "spark.row", "spark.scan.plan",
      "spark.service.cluster.layout", "spark.service.slice", "spark.shim", "spark.write.job",
      "spark.write.task", "table", "timeline"),
    Room("spark.service.cluster", "clusterings: planned and run, by call and after writes", "config",
      "config.service", "error", "index", "service.cluster", "spark.bucket", "spark.service",
      "spark.service.cluster.layout", "spark.service.cluster.rewrite", "spark.write.job", "spark.write.table",
      "table", "timeline", "transaction"),
    Room("spark.service.clean", "files, instants and partitions that go, by call and after writes", "config",
      "config.service", "service.archive", "service.clean", "service.partition", "spark.row", "spark.service",
      "spark.shim", "spark.task", "spark.write.table", "storage", "table", "timeline", "transaction"),
    Room("spark.service.doctor", "record keys with several rows, or in the bucket of others", "config", "error",
      "filegroup", "index", "record", "service.doctor", "spark.bucket", "storage", "table"),
    Room("spark.service.inline", "the services that follow writes, at once or beside the next ones",
      "config.service", "error", "service.compact", "spark.service", "spark.service.clean",
      "spark.service.cluster", "spark.service.compact", "spark.shim", "spark.write.attempt",
      "spark.write.table", "table"),
    Room("spark.stage", "rows of a source that are evaluated once, and what is done when they are lost", "error",
      "record", "spark.shim"),
    Room("spark.plan.layout", "which task and file group each row of a write goes to", "config", "filegroup",
      "index", "record", "spark.bucket", "spark.row", "spark.shim", "spark.stage", "spark.write",
      "spark.write.attempt", "spark.write.job", "spark.write.table", "table", "timeline"),
    Room("spark.scan.rule", "rules for queries: filters that come up as they run, and what is read once",
      "spark.bucket", "spark.scan.plan", "spark.shim"),
    Room("spark.plan", "the rules and nodes around each write", "config", "error", "spark.plan.layout",
      "spark.plan.merge", "spark.plan.table", "spark.row", "spark.shim", "spark.stage", "spark.write",
      "spark.write.attempt", "spark.write.table", "table"),
    Room("spark.plan.table", "the table of a write, and the partitions that its statement means", "config", "error",
      "filegroup", "record", "spark.plan.layout", "spark.row", "spark.scan.plan", "spark.shim", "spark.write",
      "spark.write.attempt", "spark.write.table", "storage", "table", "timeline"),
    Room("spark.plan.merge", "upserts as MERGE, and lookups of keys in the place of scans", "error", "merge",
      "record", "spark.lookup", "spark.plan.layout", "spark.plan.table", "spark.row", "spark.shim",
      "spark.stage", "spark.write", "spark.write.table", "table"),
    Room("spark.plan.delta", "the row changes of a MERGE, UPDATE or DELETE: moved, and laid out by file group",
      "error", "filegroup", "merge", "record", "spark.lookup", "spark.plan.layout", "spark.plan.merge",
      "spark.plan.table", "spark.shim", "spark.stage", "spark.write", "spark.write.attempt",
      "spark.write.table", "table"),
    Room("spark.procedure", "what CALL runs, by name, and which table its arguments mean", "config", "config.key",
      "config.service", "error", "filegroup", "service.archive", "service.clean", "service.cluster",
      "service.compact", "service.doctor", "service.partition", "service.undo", "spark.catalog.metastore",
      "spark.inspect", "spark.row", "spark.service", "spark.service.clean", "spark.service.cluster",
      "spark.service.compact", "spark.service.doctor", "spark.service.inline", "spark.shim", "storage", "table",
      "timeline", "transaction"),
    Room("spark.catalog.metastore", "Hudi tables in the session's own catalog, and what SQL calls their facts",
      "config", "config.key", "error", "record", "spark.shim", "table"),
    Room("spark.catalog", "tables as Spark sees them, by path or name, and what statements may do with them",
      "config", "error", "filegroup", "record", "schema", "service.partition", "spark.basefile.read",
      "spark.catalog.metastore", "spark.inspect", "spark.plan.table", "spark.procedure", "spark.row",
      "spark.scan.plan", "spark.scan.task", "spark.service.inline", "spark.shim", "spark.write",
      "spark.write.attempt", "spark.write.table", "storage", "table", "transaction"),
    Room("spark.catalog.statement", "statements on tables by path or name: their rules, and those that are refused",
      "config", "config.key", "error", "record", "spark.catalog", "spark.catalog.metastore", "spark.plan.merge",
      "spark.row", "spark.shim", "spark.write.table", "table"),
    Room("spark.function", "functions in FROM: changes and the timeline", "config", "error", "spark.catalog",
      "spark.inspect", "spark.procedure"),
    Room("spark", "the data source and the session extension", "error", "spark.catalog", "spark.catalog.statement",
      "spark.function", "spark.plan", "spark.plan.delta", "spark.plan.merge", "spark.procedure",
      "spark.scan.rule", "spark.service.inline", "spark.shim", "spark.write.attempt"))

  val all: Seq[Room] = core ++ spark

  /** The room of a package or of a name in it. Code in Spark's packages, which needs their private classes, belongs to
    * the shim.
    */
  def of(dotted: String): String =
    if (dotted.startsWith("org.apache.spark.")) "spark.shim"
    else dotted.stripPrefix("io.hudilite").stripPrefix(".").split('.').toSeq
      .takeWhile(part => part.nonEmpty && part.head.isLower).mkString(".")

  /** Rooms by the greatest number of rooms below them. Those of one layer never import each other. */
  def layers(rooms: Seq[Room]): Seq[Seq[Room]] = {
    val byName = rooms.map(room => room.name -> room).toMap
    def height(room: Room): Int = (0 +: room.imports.flatMap(byName.get).map(height(_) + 1)).max
    rooms.groupBy(height).toSeq.sortBy(-_._1).map(_._2)
  }
}
