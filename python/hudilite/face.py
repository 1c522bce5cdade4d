"""The view of a table in a notebook."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hudilite import driver, wording
from hudilite.errors import condition_of
from hudilite.inspect import Commit
from hudilite.markup import Markup, element, joined

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_COMMITS = 5
# Colours of the page around it, so that it looks right on a dark one, too.
_FRAME = (
    "display:inline-block;max-width:100%;overflow-x:auto;border:1px solid #8885;border-radius:8px;padding:10px 14px"
)
_QUIET = "opacity:.65"
_TABLE = "border:none;color:inherit;font-size:inherit;border-collapse:collapse"
_CELL = "padding:2px 14px 2px 0;text-align:left;vertical-align:top;white-space:nowrap;background:none"
_NUMBER = "padding:2px 14px 2px 0;text-align:right;white-space:nowrap;background:none;font-variant-numeric:tabular-nums"


def html(spark: SparkSession, path: str) -> str:
    """A table's facts as HTML: what it is, its newest commits, and how much lies in it.

    It runs no Spark job and opens no data file: properties, the newest commits and the names of the files are read, the
    last as each read of the whole table does when it is planned. It never raises: of a table that cannot be read it
    says why.

    Parameters
    ----------
    spark
        The session that reads it.
    path
        Base path of the table.
    """
    try:
        return _face(spark, path)
    except Exception as e:
        return element("div", _title(path, path), element("div", _reason(e)), style=_FRAME)


def _face(spark: SparkSession, path: str) -> Markup:
    # All are made by the driver, without a job.
    properties = {row["key"]: row["value"] for row in driver.metadata(spark, path, "properties")}
    counted = driver.metadata(spark, path, "partitions")
    partitions = [(row["base_files"], row["log_files"], row["bytes"]) for row in counted]
    commits = [Commit(**row) for row in driver.metadata(spark, path, "history", limit=_COMMITS)]
    facts = wording.about(properties)
    kind = f"{facts.pop('type')}, version {facts.pop('version')}"
    facts["holds"] = _amount(partitions, partitioned=facts["partitioned by"] != "nothing")
    return element(
        "div",
        _title(properties.get("hoodie.table.name") or path, path),
        element("div", kind, style=_QUIET),
        element("table", *(_fact(name, value) for name, value in facts.items()), style=f"margin:6px 0;{_TABLE}"),
        _commits(commits),
        style=_FRAME,
    )


def _amount(partitions: list[tuple[int, int, int]], partitioned: bool) -> str:
    bases, logs = sum(p[0] for p in partitions), sum(p[1] for p in partitions)
    files = " and ".join([wording.number(bases, "base file"), *([wording.number(logs, "log file")] if logs else [])])
    where = f", {wording.number(len(partitions), 'partition')}" if partitioned else ""
    return f"{wording.size(sum(p[2] for p in partitions))} in {files}{where}"


def _title(name: str, path: str) -> Markup:
    return joined(
        element("strong", name, style="font-size:1.15em"),
        " ",
        element("code", path, style=_QUIET) if name != path else None,
    )


def _fact(name: str, value: str) -> Markup:
    return element(
        "tr",
        element("td", name, style=f"{_CELL};{_QUIET}"),
        element("td", value, style=_CELL),
        style="background:none",
    )


def _commits(commits: list[Commit]) -> Markup:
    if not commits:
        return element("div", "No commits yet.")
    names = ("commit", "completed", "operation", "inserted", "updated", "deleted", "files", "written")
    head = [element("th", n, style=f"{_CELL if i < 3 else _NUMBER};{_QUIET}") for i, n in enumerate(names)]
    return element("table", element("tr", *head), *map(_commit, commits), style=f"margin:0;{_TABLE}")


def _commit(commit: Commit) -> Markup:
    texts = (commit.time, wording.moment(commit.completion_time or commit.time), commit.operation)
    counts = (commit.inserts, commit.updates, commit.deletes, commit.files)
    return element(
        "tr",
        *(element("td", text, style=_CELL) for text in texts),
        *(element("td", wording.number(count), style=_NUMBER) for count in counts),
        element("td", wording.size(commit.bytes), style=_NUMBER),
        style="background:none",
    )


def _reason(error: Exception) -> str:
    """The line of an error that says what is wrong, without the trace of the JVM behind it."""
    lines = str(error).strip().splitlines() or [type(error).__name__]
    start = f"[{condition_of(error)}]"
    return next((line[line.index(start) :] for line in lines if start in line), lines[0])
