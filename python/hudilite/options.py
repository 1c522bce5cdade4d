# Generated from the option declarations in jvm/core; `make docs` writes it again.
"""Names of the options, one constant each; docs/options.md tells more."""

from __future__ import annotations

from typing import Final

# Facts of a table

TABLE_NAME: Final[str] = "hoodie.table.name"
"""Name of the table. Without it a new table is named after the last part of its path. Value: string."""

DATABASE_NAME: Final[str] = "hoodie.database.name"
"""Database of the table. Value: string."""

WRITE_TABLE_TYPE: Final[str] = "hoodie.datasource.write.table.type"
"""How changes are stored: by rewriting base files, or in log files beside them. Value: COPY_ON_WRITE or
MERGE_ON_READ; default COPY_ON_WRITE.
"""

WRITE_TABLE_VERSION: Final[str] = "hoodie.write.table.version"
"""Table version of a new table: 9 for Hudi 1.1 and later, 8 for 1.0, 6 for 0.14 and 0.15. An existing table
keeps its version. Value: 6 or 8 or 9; default 9.
"""

WRITE_RECORDKEY_FIELD: Final[str] = "hoodie.datasource.write.recordkey.field"
"""Columns that identify a row, dotted when nested. Without it the rows of a new table get generated keys. Value:
comma separated list.
"""

WRITE_PARTITIONPATH_FIELD: Final[str] = "hoodie.datasource.write.partitionpath.field"
"""Columns that make up the partition path; ``column:TYPE`` with the custom key generator. Without it a table has
no partitions. Value: comma separated list.
"""

WRITE_PRECOMBINE_FIELD: Final[str] = "hoodie.datasource.write.precombine.field"
"""Columns, none of them nested, that decide which of two rows with one key is newer; the larger value wins, the
later row on a tie. Value: comma separated list.
"""

RECORD_MERGE_MODE: Final[str] = "hoodie.record.merge.mode"
"""Which row survives: the one with the larger ordering value, or the one written later. Without it: by ordering
value when there is an ordering field. Value: EVENT_TIME_ORDERING or COMMIT_TIME_ORDERING.
"""

WRITE_PAYLOAD_CLASS: Final[str] = "hoodie.datasource.write.payload.class"
"""Class name of Hudi's payload, which stands for a merge mode, partial updates or a delete marker;
docs/format.md has the list. Value: string.
"""

PAYLOAD_DELETE_FIELD: Final[str] = "hoodie.payload.delete.field"
"""Column that makes a row a delete of its key, as ``_hoodie_is_deleted`` does, where it holds the value of
hoodie.payload.delete.marker. Needs table version 9. Value: string.
"""

PAYLOAD_DELETE_MARKER: Final[str] = "hoodie.payload.delete.marker"
"""The value of the column hoodie.payload.delete.field in rows that delete their keys, as text. Value: string."""

WRITE_KEYGENERATOR_CLASS: Final[str] = "hoodie.datasource.write.keygenerator.class"
"""Class name of Hudi's key generator; hudilite has its own for simple, complex, time-based, custom and
non-partitioned keys. Value: string.
"""

WRITE_KEYGENERATOR_TYPE: Final[str] = "hoodie.datasource.write.keygenerator.type"
"""Key generator by name: SIMPLE, COMPLEX, TIMESTAMP, CUSTOM or NON_PARTITION. Without it: from the number of key
and partition columns. Value: string.
"""

WRITE_HIVE_STYLE_PARTITIONING: Final[str] = "hoodie.datasource.write.hive_style_partitioning"
"""Partition directories are named ``column=value``. A partitioned table that a statement creates has this unless
an option says ``false``. Value: boolean; default false.
"""

WRITE_PARTITIONPATH_URLENCODE: Final[str] = "hoodie.datasource.write.partitionpath.urlencode"
"""Characters that may not stand in a directory name are written as ``%XX`` in partition paths. Value: boolean;
default false.
"""

TABLE_TIMELINE_TIMEZONE: Final[str] = "hoodie.table.timeline.timezone"
"""Zone of a new table's instants: that of each process that writes, or UTC. A process of Apache Hudi takes the
instants of all its tables from one clock, so tables that it writes should have the same. Value: LOCAL or UTC;
default LOCAL.
"""

KEYGEN_TIMEBASED_TIMESTAMP_TYPE: Final[str] = "hoodie.keygen.timebased.timestamp.type"
"""What the partition column of a time-based key generator holds. Value: UNIX_TIMESTAMP or EPOCHMILLISECONDS or
EPOCHMICROSECONDS or DATE_STRING or MIXED or SCALAR.
"""

KEYGEN_TIMEBASED_TIMESTAMP_SCALAR_TIME_UNIT: Final[str] = "hoodie.keygen.timebased.timestamp.scalar.time.unit"
"""Unit of a SCALAR partition column: DAYS, HOURS, MINUTES, SECONDS, MILLISECONDS, MICROSECONDS or NANOSECONDS.
Value: string; default SECONDS.
"""

KEYGEN_TIMEBASED_INPUT_DATEFORMAT: Final[str] = "hoodie.keygen.timebased.input.dateformat"
"""Patterns of a DATE_STRING or MIXED partition column, separated by commas; the first that fits is used. Value:
string.
"""

KEYGEN_TIMEBASED_OUTPUT_DATEFORMAT: Final[str] = "hoodie.keygen.timebased.output.dateformat"
"""Pattern of the partition path that a time-based key generator makes. Value: string."""

KEYGEN_TIMEBASED_TIMEZONE: Final[str] = "hoodie.keygen.timebased.timezone"
"""Time zone in which a time-based key generator reads and writes dates; outranks the next two. Without any: the
JVM's zone for numbers; for date strings the zone in the string. Value: string.
"""

KEYGEN_TIMEBASED_INPUT_TIMEZONE: Final[str] = "hoodie.keygen.timebased.input.timezone"
"""Time zone in which date strings are read. Value: string."""

KEYGEN_TIMEBASED_OUTPUT_TIMEZONE: Final[str] = "hoodie.keygen.timebased.output.timezone"
"""Time zone in which partition paths are written. Value: string."""

# Writing

WRITE_OPERATION: Final[str] = "hoodie.datasource.write.operation"
"""What the write does with its rows. ``upsert`` and ``delete`` look their keys up, ``insert`` and
``bulk_insert`` do not. Value: upsert or insert or bulk_insert or delete or insert_overwrite or
insert_overwrite_table or delete_partition; default upsert.
"""

WRITE_PARTITIONS_TO_DELETE: Final[str] = "hoodie.datasource.write.partitions.to.delete"
"""Partition paths that ``delete_partition`` drops; a trailing ``*`` stands for any rest. Without it: the
partitions of the given rows. Value: comma separated list.
"""

REPLACE_WHERE: Final[str] = "replaceWhere"
"""With the save mode overwrite: a condition on partition columns, in SQL. The rows take the place of all
partitions that it selects, also of those that get none of them; a row outside of it is an error. Value:
string.
"""

PARTITION_OVERWRITE_MODE: Final[str] = "partitionOverwriteMode"
"""With the save mode overwrite. static: the rows take the place of the whole table, as
``insert_overwrite_table`` does; dynamic: of the partitions that they are in, as ``insert_overwrite`` does.
Without it: what ``spark.sql.sources.partitionOverwriteMode`` says. Value: static or dynamic.
"""

MERGE_SCHEMA: Final[str] = "mergeSchema"
"""Rows may bring new columns, which follow those of the table, and wider types of numbers. With ``false`` a
write that would change the table's columns is refused. Value: boolean; default true.
"""

WRITE_SET_NULL_FOR_MISSING_COLUMNS: Final[str] = "hoodie.write.set.null.for.missing.columns"
"""A column of the table, or a field of a struct, that the rows lack is null in them; with ``false`` the write is
refused. Record key, partition and ordering columns must be there in any case. Value: boolean; default false.
"""

WRITE_KEYGENERATOR_CONSISTENT_LOGICAL_TIMESTAMP_ENABLED: Final[str] = (
    "hoodie.datasource.write.keygenerator.consistent.logical.timestamp.enabled"
)
"""The record keys and partition paths of a new table spell timestamps as texts, to the millisecond and in the
zone of the process, and not as microseconds since 1970. A table keeps the spelling that it has; texts are
refused where it has numbers. Value: boolean; default false.
"""

INDEX_TYPE: Final[str] = "hoodie.index.type"
"""How keys are looked up: in their partition or in the whole table, with or without the bloom filters of the
files. BUCKET: not at all, since the key says which file group of its partition it belongs to. RECORD_INDEX
and GLOBAL_RECORD_LEVEL_INDEX: in the record index of the metadata table, RECORD_LEVEL_INDEX: in one that has
keys by partition. A table keeps to buckets, and to a record index that has the place of every row, so that
later writes need not say so. Value: SIMPLE or GLOBAL_SIMPLE or BLOOM or GLOBAL_BLOOM or BUCKET or
RECORD_INDEX or GLOBAL_RECORD_LEVEL_INDEX or RECORD_LEVEL_INDEX; default SIMPLE.
"""

BUCKET_INDEX_NUM_BUCKETS: Final[str] = "hoodie.bucket.index.num.buckets"
"""With BUCKET, file groups in each partition. Of a table with files it is the number that the commits of
hudilite state, else the one that its files show, and any other is refused; it must be given only where the
files leave several. Value: int, buckets; default 256.
"""

BUCKET_INDEX_HASH_FIELD: Final[str] = "hoodie.bucket.index.hash.field"
"""With BUCKET, the record key fields that decide: all of them, or those that a write of hudilite has stated.
Value: comma separated list.
"""

INDEX_BUCKET_ENGINE: Final[str] = "hoodie.index.bucket.engine"
"""With BUCKET, how keys are dealt to buckets. SIMPLE: by the remainder of a hash, with a fixed number.
CONSISTENT_HASHING: by a hash ring in each partition of a merge-on-read table, which begins with
hoodie.bucket.index.num.buckets, and whose buckets Apache Hudi can split and merge. A table keeps to its own.
Value: SIMPLE or CONSISTENT_HASHING; default SIMPLE.
"""

BLOOM_INDEX_UPDATE_PARTITION_PATH: Final[str] = "hoodie.bloom.index.update.partition.path"
"""With GLOBAL_BLOOM, a row whose partition has changed moves there; otherwise it is updated where it is, and
keeps the values of its partition columns. Value: boolean; default true.
"""

SIMPLE_INDEX_UPDATE_PARTITION_PATH: Final[str] = "hoodie.simple.index.update.partition.path"
"""With GLOBAL_SIMPLE, a row whose partition has changed moves there; otherwise it is updated where it is, and
keeps the values of its partition columns. Value: boolean; default true.
"""

RECORD_INDEX_UPDATE_PARTITION_PATH: Final[str] = "hoodie.record.index.update.partition.path"
"""With RECORD_INDEX, a row whose partition has changed moves there; otherwise it is updated where it is, and
keeps the values of its partition columns. Value: boolean; default false.
"""

BLOOM_INDEX_PRUNE_BY_RANGES: Final[str] = "hoodie.bloom.index.prune.by.ranges"
"""Files whose range of keys cannot hold a key are not looked into. Value: boolean; default true."""

INDEX_BLOOM_NUM_ENTRIES: Final[str] = "hoodie.index.bloom.num_entries"
"""Keys that the bloom filter of a new file is laid out for; with an eighth of them or fewer it is laid out for
these. Value: int, keys; default 60000.
"""

INDEX_BLOOM_FPP: Final[str] = "hoodie.index.bloom.fpp"
"""Share of absent keys that a bloom filter may take for present ones. Value: double; default 0.000000001."""

BLOOM_INDEX_FILTER_TYPE: Final[str] = "hoodie.bloom.index.filter.type"
"""Bloom filter of a new file: of fixed size, or growing with the keys up to a bound. Value: SIMPLE or
DYNAMIC_V0; default DYNAMIC_V0.
"""

BLOOM_INDEX_FILTER_DYNAMIC_MAX_ENTRIES: Final[str] = "hoodie.bloom.index.filter.dynamic.max.entries"
"""Keys up to which a DYNAMIC_V0 filter grows; more keys raise its share of false answers. Value: int, keys;
default 100000.
"""

COMBINE_BEFORE_UPSERT: Final[str] = "hoodie.combine.before.upsert"
"""Rows of one upsert or delete with the same key are reduced to the newest one, and so are the new rows of one
MERGE that have a key and a partition in common. Value: boolean; default true.
"""

COMBINE_BEFORE_INSERT: Final[str] = "hoodie.combine.before.insert"
"""Rows of one insert with the same key are reduced to the newest one. Value: boolean; default false."""

BULKINSERT_SORT_MODE: Final[str] = "hoodie.bulkinsert.sort.mode"
"""Order in which ``bulk_insert`` deals rows out to files: as they come, sorted within each task, sorted as a
whole, or each partition's rows together, so that it gets few files. Value: NONE or PARTITION_SORT or
GLOBAL_SORT or PARTITION_PATH_REPARTITION or PARTITION_PATH_REPARTITION_AND_SORT; default NONE.
"""

PARQUET_MAX_FILE_SIZE: Final[str] = "hoodie.parquet.max.file.size"
"""Size at which a new base file is begun. Value: long, bytes; default 125829120."""

PARQUET_SMALL_FILE_LIMIT: Final[str] = "hoodie.parquet.small.file.limit"
"""Inserts go to base files smaller than this before new files are begun; 0 = always new files. Value: long,
bytes; default 104857600.
"""

MERGE_SMALL_FILE_GROUP_CANDIDATES_LIMIT: Final[str] = "hoodie.merge.small.file.group.candidates.limit"
"""Of a merge-on-read table: file groups of a partition that take the inserts of one write, each by a rewrite of
its base file; only groups without log files do. Value: int, file groups; default 1.
"""

LOGFILE_DATA_BLOCK_FORMAT: Final[str] = "hoodie.logfile.data.block.format"
"""How rows are stored in the log files of a merge-on-read table. Value: avro or parquet; default avro."""

LOGFILE_DATA_BLOCK_MAX_SIZE: Final[str] = "hoodie.logfile.data.block.max.size"
"""Size at which a block of a log file is finished; a task holds as much in memory. Value: long, bytes; default
67108864.
"""

LOGFILE_MAX_SIZE: Final[str] = "hoodie.logfile.max.size"
"""Size at which a task goes on in another log file. Value: long, bytes; default 1073741824."""

WRITE_RECORD_POSITIONS: Final[str] = "hoodie.write.record.positions"
"""Blocks of log files say which rows of the base file they replace; readers then need not compare keys. Where no
lookup has told, as with BUCKET, the write reads the record keys of base files in their place. Tables of
version 6 have no place for it. Value: boolean; default true.
"""

COPYONWRITE_RECORD_SIZE_ESTIMATE: Final[str] = "hoodie.copyonwrite.record.size.estimate"
"""Size of a row when no earlier commit tells. Value: int, bytes; default 1024."""

RECORD_SIZE_ESTIMATION_THRESHOLD: Final[str] = "hoodie.record.size.estimation.threshold"
"""The size of a row is taken from the newest commit that wrote more than this share of the small-file limit.
Value: double; default 1.
"""

UPSERT_SHUFFLE_PARALLELISM: Final[str] = "hoodie.upsert.shuffle.parallelism"
"""Tasks of the shuffle of ``upsert``; 0 = Spark decides by the data's size. Value: int, tasks; default 0."""

INSERT_SHUFFLE_PARALLELISM: Final[str] = "hoodie.insert.shuffle.parallelism"
"""Tasks of the shuffle of ``insert``; 0 = Spark decides by the data's size. Value: int, tasks; default 0."""

BULKINSERT_SHUFFLE_PARALLELISM: Final[str] = "hoodie.bulkinsert.shuffle.parallelism"
"""Tasks of the shuffle of ``bulk_insert``; 0 = Spark decides by the data's size. Value: int, tasks; default 0."""

DELETE_SHUFFLE_PARALLELISM: Final[str] = "hoodie.delete.shuffle.parallelism"
"""Tasks of the shuffle of ``delete``; 0 = Spark decides by the data's size. Value: int, tasks; default 0."""

PARQUET_COMPRESSION_CODEC: Final[str] = "hoodie.parquet.compression.codec"
"""Compression of new base files. Hadoop's parquet.compression.codec.zstd.level is 1 unless set otherwise. Value:
zstd or snappy or gzip or lz4_raw or uncompressed; default zstd.
"""

PARQUET_BLOCK_SIZE: Final[str] = "hoodie.parquet.block.size"
"""Size of a row group; its pages count as they are compressed. Value: long, bytes; default 16777216."""

PARQUET_PAGE_SIZE: Final[str] = "hoodie.parquet.page.size"
"""Size of a page. Value: int, bytes; default 1048576."""

METADATA_STRICT: Final[str] = "hoodie.metadata.strict"
"""Which metadata tables keep a table from being written, of those that hudilite does not keep up. indexes: those
with a record, secondary or expression index; another one is dropped first, and Apache Hudi builds it again
with its next write. true: all. false: none, each is dropped. Value: indexes or true or false; default
indexes.
"""

WRITE_LOCK_WAIT_TIME_MS: Final[str] = "hoodie.write.lock.wait_time_ms"
"""Time that a commit waits for the table lock. Value: long, milliseconds; default 60000."""

CLEAN_FAILED_WRITES_POLICY: Final[str] = "hoodie.clean.failed.writes.policy"
"""What happens to a pending write of another program before this one begins. LAZY: it is rolled back when its
heartbeat has expired, or when it was announced that long ago and never began; otherwise this write is
refused. EAGER: it is rolled back, dead or not. NEVER: it is left as it is; Apache Hudi may then refuse its
own next write. Value: EAGER or LAZY or NEVER; default LAZY.
"""

TXN_APP_ID: Final[str] = "txnAppId"
"""With ``txnVersion``, the application that writes, by a name that stays. A write whose version the table has
seen of it is skipped, so that ``foreachBatch`` may repeat a batch. In a session's settings the two hold for
statements. Value: string.
"""

TXN_VERSION: Final[str] = "txnVersion"
"""Number of this write of the application, greater than those before, such as the id of a batch. Every commit of
hudilite carries the greatest of each application on. Value: long.
"""

WRITE_COMMITMETA_KEY_PREFIX: Final[str] = "hoodie.datasource.write.commitmeta.key.prefix"
"""Options whose names begin so are no options, but entries of the commit's extra metadata, which ``history``
shows. Value: string; default _.
"""

# Compaction

TABLE_SERVICES_ENABLED: Final[str] = "hoodie.table.services.enabled"
"""A write may be followed by a compaction. With ``false`` none is planned or run after it. Value: boolean;
default true.
"""

COMPACT_INLINE: Final[str] = "hoodie.compact.inline"
"""After a write to a merge-on-read table, plan a compaction when one is due and run what is pending. The write
is committed before; a compaction that fails stays pending, and is logged. With ``true`` given, what is
pending is run after each write, due or not. Not by default where ``hoodie.compact.schedule.inline`` leaves
compactions to another process. Value: boolean; default true.
"""

COMPACT_SCHEDULE_INLINE: Final[str] = "hoodie.compact.schedule.inline"
"""After a write to a merge-on-read table, plan a compaction when one is due, to be run by another process.
Value: boolean; default false.
"""

COMPACT_INLINE_TRIGGER_STRATEGY: Final[str] = "hoodie.compact.inline.trigger.strategy"
"""When a compaction is due: after a number of delta commits since the last one completed, or was requested,
after a time, after both or either. Value: NUM_COMMITS or NUM_COMMITS_AFTER_LAST_REQUEST or TIME_ELAPSED or
NUM_AND_TIME or NUM_OR_TIME; default NUM_COMMITS.
"""

COMPACT_INLINE_MAX_DELTA_COMMITS: Final[str] = "hoodie.compact.inline.max.delta.commits"
"""Delta commits after which a compaction is due. Value: int, commits; default 5."""

COMPACT_INLINE_MAX_DELTA_SECONDS: Final[str] = "hoodie.compact.inline.max.delta.seconds"
"""Time after which a compaction is due. Value: long, seconds; default 3600."""

COMPACTION_STRATEGY: Final[str] = "hoodie.compaction.strategy"
"""Which file slices a compaction takes: LogFileSizeBased, LogFileNumBased, BoundedIO, UnBounded, DayBased,
BoundedPartitionAware, UnBoundedPartitionAware, by this name or Hudi's class name, or a class of your own.
Value: string; default LogFileSizeBased.
"""

COMPACTION_LOGFILE_SIZE_THRESHOLD: Final[str] = "hoodie.compaction.logfile.size.threshold"
"""LogFileSizeBased takes slices with at least this much in log files. Value: long, bytes; default 0."""

COMPACTION_LOGFILE_NUM_THRESHOLD: Final[str] = "hoodie.compaction.logfile.num.threshold"
"""LogFileNumBased takes slices with at least this many log files. Value: long, files; default 0."""

COMPACTION_TARGET_IO: Final[str] = "hoodie.compaction.target.io"
"""What one compaction reads and writes before a strategy with bounded IO takes no more slices. Value: long, MiB;
default 512000.
"""

COMPACTION_DAYBASED_TARGET_PARTITIONS: Final[str] = "hoodie.compaction.daybased.target.partitions"
"""Newest day partitions that DayBased takes; BoundedPartitionAware takes those of this many days back,
UnBoundedPartitionAware the older ones. Value: int, partitions; default 10.
"""

LOG_COMPACTION_INLINE: Final[str] = "hoodie.log.compaction.inline"
"""After a write to a merge-on-read table, fold the log files of file groups with many small blocks into fewer,
when as many delta commits as the threshold have completed since the last compaction of either kind. Value:
boolean; default false.
"""

LOG_COMPACTION_ENABLE: Final[str] = "hoodie.log.compaction.enable"
"""With ``false`` a log compaction that is asked for, inline or not, is refused. Apache Hudi, where it is off by
default, asks by it for log compactions of its metadata table, which hudilite does not write. Value: boolean;
default true.
"""

LOG_COMPACTION_BLOCKS_THRESHOLD: Final[str] = "hoodie.log.compaction.blocks.threshold"
"""Log blocks that a file slice must have for a log compaction, and delta commits after which one is due inline.
Value: int, blocks; default 5.
"""

# Services

HUDILITE_SERVICES: Final[str] = "hudilite.services"
"""A table looks after itself: after a write, services that are due run. With ``false`` they run only when they
are called. Value: boolean; default true.
"""

HUDILITE_SERVICES_ASYNC: Final[str] = "hudilite.services.async"
"""The services that are due after a write run beside the next ones, in threads of the application: for programs
that go on writing. What fails is logged and shown by ``services()``; what the end of the program cuts off,
the next writer takes up. Value: boolean; default false.
"""

# Cleaning

CLEAN_AUTOMATIC: Final[str] = "hoodie.clean.automatic"
"""After a write, delete the files that only past states of the table need, as far as the policy lets them go.
The write is committed before; a cleaning that fails is logged, and taken up by the next one. Value: boolean;
default true.
"""

CLEAN_POLICY: Final[str] = "hoodie.clean.policy"
"""What stays: the states at the latest commits, those of some hours, or the latest versions of each file group.
When it is not set, the policy whose number is given, else KEEP_LATEST_COMMITS. Value: KEEP_LATEST_COMMITS or
KEEP_LATEST_BY_HOURS or KEEP_LATEST_FILE_VERSIONS.
"""

CLEAN_COMMITS_RETAINED: Final[str] = "hoodie.clean.commits.retained"
"""Commits whose states KEEP_LATEST_COMMITS leaves whole. Value: int, commits; default 10."""

CLEAN_HOURS_RETAINED: Final[str] = "hoodie.clean.hours.retained"
"""Hours whose states KEEP_LATEST_BY_HOURS leaves whole. Value: int, hours; default 24."""

CLEAN_FILEVERSIONS_RETAINED: Final[str] = "hoodie.clean.fileversions.retained"
"""File slices of each file group that KEEP_LATEST_FILE_VERSIONS leaves. Value: int, versions; default 3."""

CLEAN_TRIGGER_MAX_COMMITS: Final[str] = "hoodie.clean.trigger.max.commits"
"""Commits since the last cleaning after which a write is followed by the next one. Value: int, commits; default
1.
"""

CLEAN_INCREMENTAL_ENABLED: Final[str] = "hoodie.clean.incremental.enabled"
"""Look only at partitions in which file slices were replaced since the last cleaning, as the commits say; with
``false`` at all partitions. Value: boolean; default true.
"""

# Archiving

ARCHIVE_AUTOMATIC: Final[str] = "hoodie.archive.automatic"
"""After a write, move the oldest instants from the active timeline to the archived one, once there are more than
hoodie.keep.max.commits. The write is committed before; an archiving that fails is logged, and taken up by the
next one. Value: boolean; default true.
"""

KEEP_MIN_COMMITS: Final[str] = "hoodie.keep.min.commits"
"""Commits that archiving leaves in the active timeline. They must be more than cleaning leaves whole. Value:
int, commits; default 20.
"""

KEEP_MAX_COMMITS: Final[str] = "hoodie.keep.max.commits"
"""Commits in the active timeline after which archiving is due. Value: int, commits; default 30."""

ARCHIVE_BEYOND_SAVEPOINT: Final[str] = "hoodie.archive.beyond.savepoint"
"""Archive commits that are newer than the first savepoint, too. Those that are saved stay, and cannot be
restored then. Value: boolean; default false.
"""

TIMELINE_COMPACTION_BATCH_SIZE: Final[str] = "hoodie.timeline.compaction.batch.size"
"""Files of one layer of the archived timeline that are merged into one of the next layer; table versions 8 and
9. Value: int, files; default 10.
"""

# Clustering

CLUSTERING_INLINE: Final[str] = "hoodie.clustering.inline"
"""After a write, run the clusterings that are planned and, when enough commits have completed since the last
one, plan and run another. The write is committed before; a clustering that fails stays planned, and is
logged. Value: boolean; default false.
"""

CLUSTERING_PLAN_STRATEGY_SORT_COLUMNS: Final[str] = "hoodie.clustering.plan.strategy.sort.columns"
"""Columns by which a clustering lays the rows out; without any, small files are put together as they are. Value:
comma separated list.
"""

# Reading

QUERY_TYPE: Final[str] = "hoodie.datasource.query.type"
"""The newest rows, the rows changed between two instants, or the newest rows of base files alone. Value:
snapshot or incremental or read_optimized; default snapshot.
"""

AS_OF_INSTANT: Final[str] = "as.of.instant"
"""Read the table as of this instant: ``yyyyMMddHHmmss[SSS]``, ``yyyy-MM-dd`` or ``yyyy-MM-dd HH:mm:ss[.SSS]``.
Value: string.
"""

VERSION_AS_OF: Final[str] = "versionAsOf"
"""The same, by the name that Delta Lake has for it: an instant, or a time on the table's clock. Value: string."""

TIMESTAMP_AS_OF: Final[str] = "timestampAsOf"
"""Read the table as of this time, which is one of Spark's session time zone where it names none, as in
``TIMESTAMP AS OF``. Of these three a read takes one. Value: string.
"""

READ_BEGIN_INSTANTTIME: Final[str] = "hoodie.datasource.read.begin.instanttime"
"""Where an incremental read begins; the instant itself is not read. ``earliest`` or ``000`` reads from the first
one. Tables of version 8 and later compare completion times. Value: string.
"""

READ_END_INSTANTTIME: Final[str] = "hoodie.datasource.read.end.instanttime"
"""Where an incremental read ends; the instant itself is read. Without it: the newest one. Value: string."""

READ_INCR_FALLBACK_FULLTABLESCAN_ENABLE: Final[str] = "hoodie.datasource.read.incr.fallback.fulltablescan.enable"
"""What an incremental read with an end does when rows as of that end have been overwritten since and cleaned
away: true reads those that are left, false is an error. Without an end none is missing. Value: boolean;
default false.
"""

READ_META_COLUMNS: Final[str] = "hoodie.datasource.read.meta.columns"
"""Show the five ``_hoodie_`` columns in ``SELECT *``. By name they can always be selected. Value: boolean;
default false.
"""


def __dir__() -> list[str]:
    """Names of the constants."""
    return [name for name in globals() if name.isupper()]
