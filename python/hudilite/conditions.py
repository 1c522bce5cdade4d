# Generated from jvm/core/src/main/resources/hudilite/error-conditions.json; `make docs` writes it again.
"""Conditions of errors by their names: what has happened, what to do, and the SQL state."""

from __future__ import annotations

from typing import Final

CONDITIONS: Final[dict[str, tuple[str, str, str]]] = {
    "BUCKETS_NOT_NAMED": (
        "The table at <path> has a bucket index, but neither its commits nor its files tell the number of buckets, and the write does not name it: <reason>.",
        "Set hoodie.bucket.index.num.buckets to the number by which the other writers of the table go, hoodie.bucket.index.hash.field where not all fields of the record key decide, and hoodie.bucket.index.partition.expressions where partitions have numbers of their own; for statements, set them in the session as spark.datasource.hudilite.hoodie.bucket.index.num.buckets and so on. Later writes need not name them.",
        "42616",
    ),
    "CLUSTERING_NOT_FOUND": (
        "The table at <path> has no pending clustering <instant>; pending are: <pending>.",
        "Name one of these, or plan a clustering first.",
        "42704",
    ),
    "CLUSTERING_NOT_POSSIBLE": (
        "The table at <path> cannot be clustered: <reason>.",
        "Leave its file groups as they are, or write its rows to a new table.",
        "0A000",
    ),
    "CLUSTERING_PENDING": (
        "The file group <fileId> in '<partition>' of the table at <path> is about to be replaced by the pending clustering <clustering>.",
        "Run the clustering, or take it back with rollback(<clustering>), then run the write again; nothing of it is visible. Set hudilite.clustering.wait_time_ms to let writes wait for clusterings that others run.",
        "40001",
    ),
    "COMMIT_CONFLICT": (
        "The write <instant> to the table at <path> cannot be committed: <reason>.",
        "Run the write again on the present state of the table; nothing of it is visible.",
        "40001",
    ),
    "COMMIT_STATE_UNKNOWN": (
        "The outcome of the instant <instant> is not known: <reason>.",
        "Check if the timeline in <path> shows the instant as completed before you write again; nothing was deleted.",
        "40003",
    ),
    "COMPACTIONS_OVERLAP": (
        "The pending compactions <instants> of the table at <path> both take the file group <fileId> in '<partition>'.",
        "Stop the program that planned them, then remove the .compaction.requested and .compaction.inflight files of all but the first from the timeline.",
        "XX001",
    ),
    "COMPACTION_NOT_FOUND": (
        "The table at <path> has no pending compaction <instant>; pending are: <pending>.",
        "Name one of these, or plan a compaction first.",
        "42704",
    ),
    "COMPACTION_NOT_POSSIBLE": (
        "The table at <path> is copy-on-write, so it has no log files to compact.",
        "Compact only tables of the type MERGE_ON_READ.",
        "0A000",
    ),
    "CONCURRENT_TABLE_UPDATE": (
        "Another process is changing <path> at the same time.",
        "Try again when it is done; nothing was changed or moved.",
        "40001",
    ),
    "CORRUPT_FILE": (
        "The file <path> is damaged: <reason>.",
        "Restore it from a copy, or roll the table back to an instant before it was written.",
        "XX001",
    ),
    "CORRUPT_TABLE_PROPERTIES": (
        "The table configuration <path> cannot be used: <reason>.",
        "Restore hoodie.properties from hoodie.properties.backup or a copy of the table.",
        "XX001",
    ),
    "DELTA_COMMIT_PENDING": (
        "The delta commit <instant> of another program to the table at <path> is pending, and its records may lie inside log files of other writes, where hudilite cannot take them back.",
        "Wait for it. If its program is dead, write to the table once with Apache Hudi, with hoodie.write.auto.upgrade=false to keep its version; an upsert of no rows is enough.",
        "40001",
    ),
    "EXTENSION_NOT_LOADED": (
        "This Spark session was started without hudilite's planner rules, which writes need, or its catalog, which names of tables need.",
        "Start the session with spark.sql.extensions=io.hudilite.spark.HudiliteExtensions and spark.sql.catalog.spark_catalog=io.hudilite.spark.catalog.HudiliteSessionCatalog, or with hudilite.session() in Python.",
        "55000",
    ),
    "ILLEGAL_PARTITION_PATH": (
        "The partition path '<path>' of <columns> = <values> cannot be written: <reason>.",
        "Correct the values, or create the table with hoodie.datasource.write.partitionpath.urlencode=true, which escapes '/' and ':'. It does not help with the values '.', '..' and '.hoodie', with values that begin with '.' and end with '.crc', or with values that are too long.",
        "22023",
    ),
    "INCOMPATIBLE_TYPE": (
        "The column <column> has the type <incomingType> in the rows to write and <tableType> in the table, and <reason>.",
        "Cast the column to <tableType>.",
        "42846",
    ),
    "INSTANT_REMOVED": (
        "The instant <instant> of the table at <path> or some of its files are gone: another writer rolled it back, archived it or cleaned up since the table was opened.",
        "Run the query or the write again.",
        "40001",
    ),
    "INSTANT_TAKEN": (
        "The instant <instant> of the table at <path> belongs to another writer: <reason>.",
        "Run the write again; it will take a new instant.",
        "40001",
    ),
    "INVALID_COLUMN_NAME": (
        "The column name <column> cannot be stored: <reason>.",
        "Rename the column before writing.",
        "42602",
    ),
    "INVALID_INSTANT": (
        "'<text>' is not an instant or a time.",
        "Write it as 17 digits (yyyyMMddHHmmssSSS), yyyy-MM-dd or yyyy-MM-dd HH:mm:ss[.SSS].",
        "22007",
    ),
    "INVALID_OPTION_VALUE": (
        "The value '<value>' of the option <option> is not valid: <reason>.",
        "Correct the value; docs/options.md describes it.",
        "22023",
    ),
    "INVALID_PARTITION_VALUE": (
        "The value '<value>' of a partition column cannot be turned into a partition path: <reason>.",
        "Correct the value, or the hoodie.keygen.timebased options.",
        "22007",
    ),
    "JAR_NOT_FOUND": (
        "The package of hudilite has <number> jars of <artifact> in <folder> instead of one.",
        "Install hudilite again beside this Spark (pip install --force-reinstall . in its source folder), which builds the jar for it; HUDILITE_SPARK=all builds those of all, as python jvm/build_jars.py does in a source folder.",
        "55000",
    ),
    "JAVA_NOT_USABLE": (
        "Spark cannot be started: <reason>.",
        "Install Java 17 and set JAVA_HOME or PATH to it; the command hudilite env shows which Java is found.",
        "55000",
    ),
    "KEYS_SPELLED_ALIKE": (
        "Two rows of one write have different values of <fields> that make one record key: <one>, and <other>.",
        "Change the values, or choose other key fields. In Hudi's composite keys a value with a comma and a colon can look like the next field; __null__ and __empty__ stand for no value and the empty text.",
        "23505",
    ),
    "KEY_IN_WRONG_BUCKET": (
        "The base file <file> is of bucket <bucket>, but by <count> buckets and the hash fields <fields> its record key <key> belongs to bucket <other>. Nothing was written: the next upsert of the key would not have found it.",
        "If the table has another number of buckets, set that. If it has this one, another program has written to it by another number: the procedure doctor lists such keys. Move the table to another number of buckets, or overwrite all of it, to deal all rows anew.",
        "XX001",
    ),
    "KEY_MOVED_TWICE": (
        "A statement brings more than one row of the key <key> to the partition '<partition>', at least one of them from another partition.",
        "Leave all but one of these rows out of the statement, or delete them before.",
        "23505",
    ),
    "LOCK_TIMEOUT": (
        "The lock of the table at <path> was not free within <waitMs> ms: another writer holds it.",
        "Run the write again when the other one has ended, or allow a longer wait.",
        "55P03",
    ),
    "METADATA_TABLE_LOST": (
        "A write to the table at <path> would delete <partitions> of its metadata table, <bytes> bytes that Apache Hudi would have to build again: hudilite does not maintain them.",
        "Write with Apache Hudi, or set hoodie.metadata.strict=false to let them go.",
        "0A000",
    ),
    "MISSING_COLUMN": (
        "The column <column> is not in the data, which has <columns>.",
        "Add the column, or correct the option that names it; with hoodie.write.set.null.for.missing.columns=true a column of the table that is neither key, partition nor ordering column is null in the rows that lack it.",
        "42703",
    ),
    "MISSING_OPTION": (
        "The option <option> is missing: <reason>.",
        "Set the option; docs/options.md describes it.",
        "42616",
    ),
    "NAME_NOT_SYNCED": (
        "The names of the table at <path> in the session's catalog cannot be kept up: <reason>.",
        "Correct the options below hoodie.datasource.hive_sync, or the catalog. Nothing was written where this is said before the write; a commit that had been made by then stays, and the next write, or CALL hudilite.system.hive_sync(...), brings the names up to date.",
        "42710",
    ),
    "NULL_IN_REQUIRED_COLUMN": (
        "The column <column> holds a null, but the table's schema allows none there.",
        "Fill the value, or make the column of the table nullable.",
        "23502",
    ),
    "NULL_ORDERING_VALUE": (
        "The row with the key <key> has no value in the ordering column <column> of the merge-on-read table at <path>: Apache Hudi fails to read a table where such a row meets another one of its key in a log.",
        "Give the column a value in each row, or make the table with hoodie.record.merge.mode=COMMIT_TIME_ORDERING, where the later write wins.",
        "23502",
    ),
    "NULL_RECORD_KEY": (
        "A row has no record key: <fields> is null or empty.",
        "Remove or repair such rows, or choose other record key fields.",
        "23502",
    ),
    "OPTION_CONTRADICTS_TABLE": (
        "The option <option> = '<value>' contradicts the table, which has '<actual>'.",
        "Remove the option; a table keeps the facts that it was created with, until all its rows are replaced in mode overwrite or by CREATE OR REPLACE TABLE ... AS SELECT.",
        "42616",
    ),
    "OPTION_NOT_SUPPORTED": (
        "The option <option> = '<value>' is not supported: <reason>.",
        "Leave it out{, or <way>}.",
        "0A000",
    ),
    "PACKAGE_NOT_INSTALLED": (
        "<what> needs the Python package <package>, which is not installed.",
        "Install it with pip install 'hudilite[<extra>]'.",
        "55000",
    ),
    "PARTITION_CHANGED": (
        "An update moves the row <key> from the partition '<from>' to '<to>', which the index of the write does not follow.",
        "Delete the row and insert it into the other partition.",
        "0A000",
    ),
    "PARTITION_IN_SERVICE": (
        "The partition '<partition>' of the table at <path> cannot be dropped: the <service> <instant> of it is pending.",
        "Run or roll back the <service>, then drop the partition.",
        "40001",
    ),
    "PARTITION_NOT_FOUND": (
        "The table at <path> has no partition '<partition>' with rows; it has <partitions>.",
        "Name partitions by their paths below the table, such as 2026-01-31 or day=2026-01-31; patterns are not allowed. To empty a table without partitions, overwrite it.",
        "42704",
    ),
    "PATH_OUTSIDE_TABLE": (
        "The path <path> was refused for the table at <table>: <reason>.",
        "Nothing was changed there. Find out which file of the table names it, or which symbolic link leads there, and restore that from a copy.",
        "XX001",
    ),
    "RANGE_NOT_RETAINED": (
        "Some rows that the table at <path> had at the end of the range from <begin> to <end> are gone: <reason>.",
        "Read the range without its end, or set hoodie.datasource.read.incr.fallback.fulltablescan.enable=true to read only rows that were not overwritten since.",
        "22023",
    ),
    "RECORD_KEY_CHANGED": (
        "An update changes a record key from <from> to <to>.",
        "Delete the row and insert a new one; a record key names its row for good.",
        "23505",
    ),
    "RECORD_KEY_EXISTS": (
        "An insert brings the record key <key>, which the table at <path> has already, and hoodie.datasource.insert.dup.policy is fail.",
        "Leave such rows out, by that option with drop, or change the rows that are there with an upsert. Nothing was written.",
        "23505",
    ),
    "REPEATED_KEY": (
        "The base file <file> of a merge-on-read table holds the record key <key> more than once. Its file group has log files or a pending compaction, so no log can say which of these rows changes.",
        "Run a compaction of the table, then the write again: the base file of a group without either is rewritten.",
        "0A000",
    ),
    "RESTORE_NOT_POSSIBLE": (
        "The table at <path> cannot be restored to <instant>: <reason>.",
        "Choose a completed write whose state is whole, for instance one with a savepoint.",
        "55000",
    ),
    "RESTORE_PENDING": (
        "The table at <path> is being restored to <instant> by <restore>, which has not ended.",
        "Wait for it; if it was stopped or its program is dead, call restore with this instant again, which ends it.",
        "40001",
    ),
    "ROLLBACK_NOT_POSSIBLE": (
        "The write <instant> to the table at <path> cannot be rolled back: <reason>.",
        "Roll back the newest write, or leave the table as it is.",
        "55000",
    ),
    "SAVEPOINT_NOT_FOUND": (
        "The table at <path> has no savepoint <instant>; there are: <savepoints>.",
        "Name one of these.",
        "42704",
    ),
    "SAVEPOINT_NOT_POSSIBLE": (
        "The table at <path> cannot be saved as of <instant>: <reason>.",
        "Choose one of the completed writes whose files are all there, for instance the newest.",
        "55000",
    ),
    "SCHEMA_HISTORY_MISSING": (
        "The columns of the table at <path> were changed by Apache Hudi's schema-on-read, and .hoodie/.schema does not tell how: no file in it belongs to a committed write.",
        "Restore .hoodie/.schema from a copy of the table; without it old files cannot be read right.",
        "XX001",
    ),
    "SOURCE_ROWS_LOST": (
        "Rows of the source that this write had used already were lost with Spark's shuffle files, and the source may give other rows when it is evaluated again; nothing was committed.",
        "Run the write again. A source that gives the same rows each time, such as files or a table, is evaluated again by itself.",
        "40000",
    ),
    "STATEMENT_NOT_SUPPORTED": (
        "<statement> is not supported for the table at <path>: <reason>.",
        "Nothing was changed.",
        "0A000",
    ),
    "STATE_NOT_RETAINED": (
        "Some rows of the table at <path> as of <instant> are gone: <reason>.",
        "Read a later state.",
        "22023",
    ),
    "TABLE_ALREADY_EXISTS": (
        "There is a Hudi table at <path> already.",
        "Write to it in append mode, or choose another path; CREATE TABLE ... USING hudilite LOCATION '<path>' gives it a name.",
        "42P07",
    ),
    "TABLE_CHANGED": (
        "The table at <path> has changed since this write was planned: <change>.",
        "Nothing was written; plan the write again on the present state of the table.",
        "40001",
    ),
    "TABLE_NOT_FOUND": (
        "There is no Hudi table at <path>: it has no .hoodie/hoodie.properties.",
        "Check the path, or write to it first to create the table.",
        "42P01",
    ),
    "TIMELINE_ENDS": (
        "The timeline <path> holds the instant <instant>, which no later one can follow.",
        "Find out which program wrote that instant, and roll it back with that program.",
        "XX001",
    ),
    "TIME_BEFORE_FIRST_COMMIT": (
        "The table at <path> has no rows as of <instant>: its first commit is <first>.",
        "Read the table as of that instant or later.",
        "22023",
    ),
    "UNKNOWN_NAME": (
        "There is no <what> <name>.{ The nearest one is <nearest>.}{ In its place: <instead>.}",
        "Correct the name; known are <known>.",
        "42883",
    ),
    "UNKNOWN_OPTION": (
        "The option <option> is not known.{ The nearest known option is <nearest>.}",
        "Correct the name or remove the option; docs/options.md lists all of them. Settings of Hadoop go into the session, below spark.hadoop.",
        "42616",
    ),
    "UNREADABLE_FILE_NAME": (
        "The file name <path> has letters that this JVM cannot spell: its encoding of file names is <encoding>.",
        "Start driver and executors with a locale of UTF-8, such as LC_ALL=C.UTF-8.",
        "22021",
    ),
    "UNSUPPORTED_COLUMN_TYPE": (
        "The column <column> has type <type>, which cannot be stored: <reason>.",
        "Cast the column to a supported type before writing.",
        "42K09",
    ),
    "UNSUPPORTED_LINK": (
        "The table at <table> has the symbolic link <path>, which is not followed: <reason>.",
        "Replace the link by the folder or file that it leads to, or remove it.",
        "0A000",
    ),
    "UNSUPPORTED_LOG_BLOCK": (
        "The file <path> holds <feature>, which hudilite does not support: <reason>.",
        "Compact the table with Apache Hudi, then read it.",
        "0A000",
    ),
    "UNSUPPORTED_SCHEMA": (
        "The table's schema cannot be read: <column> has type <type>, and <reason>.",
        "Read the table with an engine that has the type, or have its writer give the column another one.",
        "0A000",
    ),
    "UNSUPPORTED_SORT_COLUMN": (
        "Rows cannot be ordered by the column <column>: values of type <type> have no order.",
        "Name a column of an atomic type, or a field of one inside the struct.",
        "42K09",
    ),
    "UNSUPPORTED_SPARK": (
        "hudilite <version> has no jar for Spark <spark>; it has one for <supported>.",
        "Install one of these, or a hudilite that knows this one.",
        "0A000",
    ),
    "UNSUPPORTED_TABLE_FEATURE": (
        "The table at <path> uses <feature>, which hudilite does not support: <reason>.",
        "docs/format.md says what is supported.{ <way>.}",
        "0A000",
    ),
    "UNSUPPORTED_TABLE_VERSION": (
        "The table at <path> has table version <version>; hudilite supports 6, 8 and 9.",
        "Upgrade the table with Apache Hudi, or use a newer hudilite.",
        "0A000",
    ),
    "WRITER_NOT_EXCLUDED": (
        "The table at <path> is being written or served by <process>, as its file .hoodie/.hudilite/<instant> says, and no lock of hudilite reaches that far.",
        "Wait until that process has ended, or for two minutes after it died, and try again. Let one process at a time write to a table that is not on a local file system.",
        "40001",
    ),
    "WRITE_ENDED": (
        "The write <instant> to the table at <path> ended without this task, whose files were deleted.",
        "Do nothing: another attempt of the task did its work, or the write was rolled back.",
        "40001",
    ),
    "WRITE_PENDING": (
        "The write <instant> of another program to the table at <path> is pending: <reason>.",
        "Wait for it or let that program clean up. If that program is dead, set hoodie.clean.failed.writes.policy=EAGER to roll the write back.",
        "40001",
    ),
}
