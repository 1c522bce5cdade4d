"""Rows in the one spelling in which the tests compare them."""

from __future__ import annotations

import datetime
import decimal
import json
from collections.abc import Iterable, Mapping, Sequence
from functools import reduce
from pathlib import Path
from typing import Any

from pyspark.sql import DataFrame, Row
from pyspark.sql import functions as F

KEY, PARTITION = "_hoodie_record_key", "_hoodie_partition_path"
META = ("_hoodie_commit_time", "_hoodie_commit_seqno", KEY, PARTITION, "_hoodie_file_name")


def plain(value: Any) -> Any:
    """A value as JSON can hold it: times as ISO 8601, decimals as text, binary as hex."""
    match value:
        case datetime.date():  # also a datetime
            return value.isoformat()
        case decimal.Decimal():
            return str(value)
        case bytes() | bytearray():
            return bytes(value).hex()
        case Row():
            return {name: plain(item) for name, item in value.asDict().items()}
        case dict():
            return {str(name): plain(item) for name, item in sorted(value.items())}
        case list() | tuple():
            return [plain(item) for item in value]
    return value


def line(row: Mapping[str, Any]) -> str:
    """One row as a JSON line with sorted names."""
    return json.dumps(plain(dict(row)), sort_keys=True)


def lines(rows: Iterable[Mapping[str, Any]]) -> list[str]:
    """Rows as sorted JSON lines, duplicates kept."""
    return sorted(line(row) for row in rows)


def rows_of(frame: DataFrame) -> list[str]:
    """The frame's rows without meta columns, as `lines`."""
    return lines(row.asDict() for row in frame.drop(*META).collect())


def found_by_each(frame: DataFrame, conditions: Sequence[str]) -> list[list[str]]:
    """Rows that each of the conditions finds, as `rows_of`: a scan for each, in one query."""
    return _by_number(scans(frame, conditions, "*").drop(*META), len(conditions))


def scans(frame: DataFrame, conditions: Sequence[str], *columns: str) -> DataFrame:
    """Columns of the rows that each of the conditions finds, after its number: a scan for each, in one query."""
    found = [frame.where(given).select(F.lit(n).alias("_n"), *columns) for n, given in enumerate(conditions)]
    return reduce(DataFrame.unionAll, found)


def held_by_each(frame: DataFrame, conditions: Sequence[str]) -> list[list[str]]:
    """The rows for which each of the conditions holds, as `rows_of`: those of a scan of all rows."""
    held = [F.when(F.expr(given), F.lit(n)) for n, given in enumerate(conditions)]
    numbered = frame.select(F.explode(F.array(*held)).alias("_n"), "*").where("_n IS NOT NULL")
    return _by_number(numbered.drop(*META), len(conditions))


def _by_number(frame: DataFrame, count: int) -> list[list[str]]:
    rows = [row.asDict() for row in frame.collect()]
    return [lines({k: v for k, v in row.items() if k != "_n"} for row in rows if row["_n"] == n) for n in range(count)]


def rows_with_keys(frame: DataFrame) -> list[str]:
    """The frame's rows with record key and partition path, the spelling of the golden tables."""
    columns = [name for name in frame.columns if name not in META]
    return lines(row.asDict() for row in frame.select(KEY, PARTITION, *columns).collect())


def rows_with_keys_of_each(frames: Sequence[DataFrame]) -> list[list[str]]:
    """Rows of frames of the same columns, each as `rows_with_keys`: all in one query."""
    columns = [KEY, PARTITION, *(name for name in frames[0].columns if name not in META)]
    assert all(frame.columns == frames[0].columns for frame in frames)
    numbered = [frame.select(F.lit(n).alias("_n"), *columns) for n, frame in enumerate(frames)]
    return _by_number(reduce(DataFrame.unionAll, numbered), len(frames))


def read_lines(path: Path) -> list[str]:
    """The lines of a golden file."""
    return path.read_text().splitlines()
