"""Tables of other formats, taken over into new Hudi tables by one bulk insert."""

from __future__ import annotations

import re
import time
import uuid
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

from hudilite import driver, foreign, raised
from hudilite.arguments import check, invalid
from hudilite.running import Progress, _Call, _Reported
from hudilite.tables import HudiliteTable, located

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

__all__ = ["Converted", "convert"]

_POLL_SECONDS = 0.2
_NARROW = {"tinyint": "int", "smallint": "int"}
#: Files by which a folder tells that its Parquet files are not all rows, with the format that reads it.
_MARKS = (
    ("_delta_log/*.json", "delta"),
    ("metadata/*.metadata.json", "iceberg"),
    (".hoodie/hoodie.properties", "hudilite"),
)


def __dir__() -> list[str]:
    """Public names."""
    return __all__


@dataclass(frozen=True)
class Converted:
    """A table that was taken over.

    Attributes
    ----------
    path
        Base path of the new table.
    source_format
        Format that its rows were read by; ``None`` for a table by its name.
    instant
        The write.
    rows
        Number of rows.
    keys
        Columns of the record key; none in a table that generates keys.
    partitions
        Partition columns.
    widened
        Columns that have a wider type in the new table, as ``name: tinyint -> int``.
    seconds
        Time that it took.
    """

    path: str
    source_format: str | None
    instant: str
    rows: int
    keys: tuple[str, ...]
    partitions: tuple[str, ...]
    widened: tuple[str, ...]
    seconds: float


def convert(
    spark: SparkSession,
    source: str,
    target: str,
    *,
    keys: str | Sequence[str] | None = None,
    partitions: str | Sequence[str] | None = None,
    ordering: str | Sequence[str] | None = None,
    format: str | None = None,
    progress: Progress | bool | None = None,
    options: Mapping[str, str] | None = None,
) -> Converted:
    """Take a Parquet folder, or a table of any format that the session reads, over into a new Hudi table.

    It is one bulk insert, which readers see all of or nothing. Nothing is changed in the source. Columns, comments and
    types are kept, but that ``tinyint`` and ``smallint`` become ``int``.

    Parameters
    ----------
    spark
        A classic session, or one of Spark Connect.
    source
        Path of a folder, or name of a table. Of Iceberg's catalogs only the path-based one has tables by path.
    target
        Path of the new table, or its name. Nothing may be there yet.
    keys
        Columns of the record key, whose values together must be there and differ from row to row, which is looked at
        first; by default the table generates keys.
    partitions
        Partition columns; by default those of the source, but no transforms of columns such as Iceberg's ``days(at)``,
        and an empty sequence for none. Folders are named ``column=value``.
    ordering
        Ordering fields: of two rows of a key the one with the greater values counts in later writes.
    format
        Format of the folder; by default found by its files: Delta, Iceberg, Hudi, else Parquet. Delta and Iceberg need
        their jars in the session.
    progress
        Called with the number of tasks that are done and of those that are known; ``True`` shows a bar. Spark Connect
        tells it only the end.
    options
        Other options of the write, such as ``hoodie.datasource.write.table.type``.

    Raises
    ------
    ValueError
        For a column that is not there, for keys that are null or not unique, and for a source that is no table.

    Examples
    --------
    >>> spark.range(3).selectExpr("id", "id % 2 AS part").write.partitionBy("part").parquet(f"{path}-plain")
    >>> taken = hudilite.convert(spark, f"{path}-plain", f"{path}-taken", keys="id")
    >>> taken.rows, taken.partitions
    (3, ('part',))
    """
    check(path=source, partitions=partitions if partitions is not None else "", options=options or {})
    started = time.monotonic()
    if driver.is_connect(spark):
        raised.install_remote()
    rows, read_by = _read(spark, source, format)
    key, order = _columns(rows, "keys", keys), _columns(rows, "ordering", ordering)
    _check_target(spark, source, target)
    by = _partitions(spark, rows, source, read_by) if partitions is None else _columns(rows, "partitions", partitions)
    _check_keys(rows, key)
    facts = {
        "hoodie.datasource.write.operation": "bulk_insert",
        **({"hoodie.datasource.write.recordkey.field": ",".join(key)} if key else {}),
        **({"hoodie.datasource.write.partitionpath.field": ",".join(by)} if by else {}),
        **({"hoodie.datasource.write.hive_style_partitioning": "true"} if by else {}),
        **({"hoodie.table.ordering.fields": ",".join(order)} if order else {}),
        **(options or {}),
    }

    def save(of: DataFrame) -> None:
        writer = of.write.format("hudilite").options(**facts).mode("errorifexists")
        (writer.save if _is_path(target) else writer.saveAsTable)(target)

    try:
        _followed(spark, lambda: save(rows), progress)
    except Exception as e:
        if not foreign.is_unpinned(e):
            raise
        if driver.is_connect(spark):
            raise invalid("source", source, "it has deletion vectors, which needs a classic session") from e
        _followed(spark, lambda: save(foreign.detached(spark, rows)), progress)
    made = HudiliteTable(spark, located(spark, target))
    (commit,) = made.history(1)
    narrow = [(f.name, f.dataType.simpleString()) for f in rows.schema.fields]
    widened = tuple(f"{name}: {kind} -> {_NARROW[kind]}" for name, kind in narrow if kind in _NARROW)
    seconds = time.monotonic() - started
    return Converted(made.path, read_by, commit.time, commit.inserts, key, by, widened, seconds)


def _is_path(place: str) -> bool:
    return "/" in place


def _read(spark: SparkSession, source: str, format: str | None) -> tuple[DataFrame, str | None]:
    if not _is_path(source) and format is None:
        if not spark.catalog.tableExists(source):
            raise invalid("source", source, "it is no table that the session knows; a path has a '/'")
        return spark.table(source), None
    read_by = format or next((name for mark, name in _MARKS if _has(spark, f"{source}/{mark}")), "parquet")
    try:
        rows = spark.read.format(read_by).load(source)
        rows.schema  # noqa: B018  # of Spark Connect, which finds out now
    except Exception as e:
        if any(word in str(e) for word in ("DATA_SOURCE_NOT_FOUND", "ClassNotFoundException")):
            reason = f"it is a table of {read_by}, whose jar is not in the session"
        elif read_by == "iceberg" and "TABLE_OR_VIEW_NOT_FOUND" in str(e):
            reason = "which of its metadata is the newest only its catalog knows; give the name that it has there"
        elif any(word in str(e) for word in ("PATH_NOT_FOUND", "UNABLE_TO_INFER_SCHEMA")):
            reason = f"there are no files of {read_by}"
        else:
            raise
        raise invalid("source", source, reason) from e
    return rows, read_by


def _has(spark: SparkSession, files: str) -> bool:
    """True when there is such a file; a session of Spark Connect has no other way to ask."""
    try:
        return bool(spark.read.format("text").load(files).schema)
    except Exception as e:
        if "PATH_NOT_FOUND" not in str(e):
            raise
        return False


def _columns(rows: DataFrame, what: str, given: str | Sequence[str] | None) -> tuple[str, ...]:
    """The columns as they are spelled in the source."""
    names = [given] if isinstance(given, str) else list(given or ())
    spelled = {name.lower(): name for name in rows.columns}
    for name in names:
        if not isinstance(name, str) or name.lower() not in spelled:
            raise invalid(what, name, f"it is no column; there are {', '.join(rows.columns)}")
    return tuple(spelled[name.lower()] for name in names)


def _check_target(spark: SparkSession, source: str, target: str) -> None:
    check(path=target)
    if not target:
        raise invalid("target", target, "it is empty")
    one, other = (f"{place.rstrip('/')}/" for place in (source, target))
    if one.startswith(other) or other.startswith(one):
        raise invalid("target", target, "the new table and the source cannot lie within each other")
    if _is_path(target) and not _has(spark, f"{target}/{_MARKS[-1][0]}") and _has(spark, f"{target}/*"):
        raise invalid("target", target, "the folder is not empty; empty it, or choose another one")


def _check_keys(rows: DataFrame, keys: tuple[str, ...]) -> None:
    """One query of the key columns alone, with one shuffle."""
    if not keys:
        return
    counted = (
        rows.groupBy(*[rows[name] for name in keys]).agg({"*": "count"}).toDF(*[f"k{n}" for n in range(len(keys))], "n")
    )
    wrong = " OR ".join(["n > 1", *[f"k{n} IS NULL" for n in range(len(keys))]])
    for row in counted.where(wrong).limit(1).collect():
        values = list(row)[:-1]
        said = ", ".join(f"{name} = {value}" for name, value in zip(keys, values, strict=True))
        reason = f"{row['n']} rows have {said}" if None not in values else f"a row has {said}"
        raise invalid("keys", ",".join(keys), f"{reason}; choose columns that tell all rows apart, or none")


def _partitions(spark: SparkSession, rows: DataFrame, source: str, read_by: str | None) -> tuple[str, ...]:
    """The partition columns of the source: as the catalog says, or by the folders of one of its files."""
    if read_by is None:
        return foreign.of_name(spark, source)
    if read_by == "delta":
        return foreign.of_delta(spark, source, _has(spark, f"{source}/_delta_log/*.checkpoint*.parquet"))
    if read_by == "hudilite":
        return tuple(c.name for c in spark.catalog.listColumns(f"hudilite.`{source}`") if c.isPartition)
    file = "_file" if read_by == "iceberg" else "_metadata.file_path"
    for row in rows.select(file).limit(1).collect():
        levels = [unquote(part.split("=", 1)[0]) for part in _below(str(row[0]), source) if "=" in part]
        below = [name for name in levels if name in rows.columns]
        return tuple(dict.fromkeys(below))
    return ()


def _below(file: str, source: str) -> list[str]:
    """The folders of a file that lie below the source; those above it may look like partitions, too."""
    folders = file.split("/")[:-1]
    above = [part for part in re.sub(r"^\w+:(//[^/]*)?", "", source).split("/") if part not in ("", ".")]
    for end in range(len(above), len(folders) + 1):
        if [unquote(part) for part in folders[end - len(above) : end]] == above:
            return folders[end:]
    return folders


def _followed(spark: SparkSession, write: Callable[[], None], progress: Progress | bool | None) -> None:
    told = _Reported(progress, "convert")
    try:
        if driver.is_connect(spark):
            write()
            told.ended(1, True)
        else:
            told.ended(_in_jobs(spark, write, told), True)
    finally:
        told.close()


def _in_jobs(spark: SparkSession, write: Callable[[], None], told: _Reported) -> int:
    """Run the write in a thread, so that Ctrl-C and errors of ``progress`` stop it; return its number of tasks."""
    group, context = f"hudilite-convert-{uuid.uuid4()}", spark.sparkContext

    def body() -> list[dict[str, Any]]:
        context.setJobGroup(group, "hudilite.convert", interruptOnCancel=True)
        write()
        return []

    calling, total = _Call(spark, body), 0
    try:
        while not calling.ended(_POLL_SECONDS):
            done, total = _tasks(context, group)
            if total:
                told.tell(done, total)
    except BaseException:  # Ctrl-C, or an error of the callback
        context.cancelJobGroup(group)
        calling.ended(_POLL_SECONDS * 50)
        raise
    calling.answer()
    return max(1, _tasks(context, group)[1])


def _tasks(context: Any, group: str) -> tuple[int, int]:
    tracker = context.statusTracker()
    jobs = [tracker.getJobInfo(job) for job in tracker.getJobIdsForGroup(group)]
    stages = [tracker.getStageInfo(stage) for job in jobs if job for stage in job.stageIds]
    known = [stage for stage in stages if stage]
    return sum(stage.numCompletedTasks for stage in known), sum(stage.numTasks for stage in known)
