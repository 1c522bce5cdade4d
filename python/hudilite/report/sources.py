"""Sources of the facts of a report: pyarrow and fastavro alone, or Spark."""

from __future__ import annotations

from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

from hudilite import answers, driver
from hudilite.inspect import Commit, Instant, base_files
from hudilite.inspect.folder import Folder
from hudilite.inspect.groups import FileGroup, groups
from hudilite.inspect.instants import commits, instants
from hudilite.report import columns
from hudilite.report.facts import Facts, KeyRange

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

#: Footers that are read for a report; each takes a request.
FOOTERS = 2000
_THREADS = 16


def without_spark(path: str) -> Facts:
    """Facts of the table at a path, read by this process.

    Raises
    ------
    NoTable
        When there is no Hudi table.
    """
    folder = Folder(path)
    properties = folder.properties
    timeline = instants(folder)
    found = groups(folder, timeline)
    chosen = _chosen(found)
    with ThreadPoolExecutor(_THREADS) as pool:
        ranges = [r for r in pool.map(lambda g: _range(folder, g), chosen) if r]
    bases = sum(g.base_file is not None for g in found)
    left_out = f"The footers of {len(chosen):,} of {bases:,} base files were read." if len(chosen) < bases else ""
    written = commits(folder, timeline)[::-1]
    return Facts(path, properties, timeline, written, found, ranges, left_out, columns.of_table(folder, timeline))


def _chosen(found: list[FileGroup]) -> list[FileGroup]:
    """Whole partitions while there are footers left to read, those with the most files first."""
    bases = [g for g in found if g.base_file]
    chosen: set[str] = set()
    left = FOOTERS
    for partition, count in Counter(g.partition for g in bases).most_common():
        if count <= left:
            chosen.add(partition)
            left -= count
    return [g for g in bases if g.partition in chosen]


def _range(folder: Folder, group: FileGroup) -> KeyRange | None:
    name = group.base_file or ""
    file = base_files.described(folder, group.partition, group.file_id, group.instant, name, group.base_bytes)
    return _key_range(group.partition, group.file_id, file.rows, file.min_key, file.max_key)


def _key_range(partition: str, file_id: str, rows: int, least: str | None, most: str | None) -> KeyRange | None:
    return KeyRange(partition, file_id, rows, least, most) if least is not None and most is not None else None


def with_spark(spark: SparkSession, path: str) -> Facts:
    """Facts of a table, read through its metadata tables, so that they come through Spark Connect, too."""

    def rows(name: str) -> list[dict[str, Any]]:
        return driver.metadata(spark, path, name)

    properties = {row["key"]: row["value"] for row in rows("properties")}
    timeline = [Instant(**row) for row in rows("timeline")]
    commits = [Commit(**row) for row in rows("history")][::-1]
    found = sorted((FileGroup(**row) for row in rows("file_groups")), key=lambda g: (g.partition, g.file_id))
    schema = spark.read.format("hudilite").load(path).schema
    known = tuple((each.name, each.dataType.simpleString()) for each in schema)
    (fitting,) = driver.call(spark, "advise", path)
    index = answers.advice(fitting)
    bases = sum(g.base_file is not None for g in found)
    if bases > FOOTERS:
        left_out = f"The footers of {bases:,} base files are more than a report reads, which is {FOOTERS:,}."
        return Facts(path, properties, timeline, commits, found, [], left_out, known, index)
    files = [row for row in rows("files") if row["kind"] == "base"] if bases else []
    ranges = [_key_range(*(r[c] for c in ("partition", "file_id", "rows", "min_key", "max_key"))) for r in files]
    return Facts(path, properties, timeline, commits, found, [r for r in ranges if r], "", known, index)
