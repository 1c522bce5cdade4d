"""State of a table, to be compared with a statement's promise."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import layout
from pyspark.sql import Row, SparkSession

from statements.doors import DATABASE, Door, Table


@dataclass(frozen=True)
class Footprint:
    """Everything that a statement might change.

    rows, columns
        As they are read; asked again only when a file is another one.
    timeline, files, facts
        Digests of the files below: the timeline, the data files, all else such as `hoodie.properties`.
    entry
        Facts of the table in the catalog.
    names
        Tables and views of the database, all databases, and the folders where tables lie, with what each is.
    """

    rows: tuple[tuple[object, ...], ...]
    columns: str
    timeline: dict[str, str]
    files: dict[str, str]
    facts: dict[str, str]
    entry: str
    names: dict[str, str]

    def differs(self, other: Footprint) -> set[str]:
        """The names of the aspects that are not the same."""
        return {name for name in self.__dataclass_fields__ if getattr(self, name) != getattr(other, name)}


def footprint(door: Door, table: Table, before: Footprint | None) -> Footprint:
    """Of the table as it is now."""
    timeline, files, facts = _files(table.folder)
    same = before is not None and (timeline, files, facts) == (before.timeline, before.files, before.facts)
    rows, columns = (before.rows, before.columns) if same and before else _content(door.observer, table.folder)
    return Footprint(rows, columns, timeline, files, facts, _entry(door, table), _names(door, table))


def _files(folder: Path) -> tuple[dict[str, str], dict[str, str], dict[str, str]]:
    timeline: dict[str, str] = {}
    files: dict[str, str] = {}
    facts: dict[str, str] = {}
    for name, digest in layout.fingerprint(folder).items() if folder.exists() else ():
        parts = Path(name).parts
        place = files if parts[0] != ".hoodie" else timeline if "timeline" in parts else facts
        place[name] = digest
    return timeline, files, facts


def _content(spark: SparkSession, folder: Path) -> tuple[tuple[tuple[object, ...], ...], str]:
    if not (folder / ".hoodie" / "hoodie.properties").exists():
        return (), "no table"
    frame = spark.read.format("hudilite").load(str(folder))
    return ordered(plain(row) for row in frame.collect()), frame.schema.json()


def _entry(door: Door, table: Table) -> str:
    if table.name is None:
        return ""
    jvm: Any = door.observer._jvm
    name = jvm.org.apache.spark.sql.catalyst.TableIdentifier(table.name, jvm.scala.Option.apply(DATABASE))
    catalog = door.observer._jsparkSession.sessionState().catalog()
    return str(catalog.getTableMetadata(name).toLinkedHashMap()) if catalog.tableExists(name) else "no entry"


def _names(door: Door, table: Table) -> dict[str, str]:
    catalog: Any = door.observer._jsparkSession.sessionState().catalog()
    names = dict.fromkeys(str(catalog.listDatabases().mkString("\n")).split("\n"), "DATABASE")
    views = _identifiers(catalog.listViews(DATABASE, "*"))
    for identifier in _identifiers(catalog.listTables(DATABASE)):
        if len(identifier) > 1:  # temporary views are in no database
            names[identifier[-1]] = "VIEW" if identifier in views else "TABLE"
    places = {table.folder.parent, door.scratch / "warehouse" / f"{DATABASE}.db"}
    return names | {str(folder): "FOLDER" for place in places if place.exists() for folder in place.iterdir()}


def _identifiers(found: Any) -> set[tuple[str, ...]]:
    """The parts of each, all by one call: to ask for each of them takes longer than a statement does."""
    lines = str(found.mkString("\n")).splitlines()
    return {tuple(part.replace("``", "`") for part in re.findall(r"`((?:[^`]|``)*)`", line)) for line in lines}


def plain(value: Any) -> Any:
    """A row as a tuple, and what is in it as Python writes it; decimals and dates as texts."""
    if isinstance(value, Row):
        return tuple(plain(item) for item in value)
    if isinstance(value, list):
        return [plain(item) for item in value]
    if type(value).__module__ == "numpy":  # as the client of Connect has numbers on 3.5
        return value.item()
    if value is None or isinstance(value, (bool, int, float, str, dict)):
        return value
    return str(value)


def ordered(rows: Any) -> tuple[tuple[object, ...], ...]:
    """Rows in an order of their own."""
    return tuple(sorted(rows, key=repr))
