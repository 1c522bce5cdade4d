"""Ways to a table: by path, by a name in the session's catalog, as Apache Hudi registered it, over Spark Connect."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from connect_server import in_this_jvm
from pyspark.sql import SparkSession

from statements.statement import DOORS
from statements.templates import SOURCE, TEMPLATES

DATABASE = "stmts"


@dataclass
class Table:
    """A copy of a template that statements may change.

    spelling
        As statements name it.
    name
        Its entry in the catalog; `None` for a path.
    """

    spelling: str
    folder: Path
    name: str | None
    new: str  # a table beside it that is not there
    metadata: str  # before the dot of a metadata table
    argument: str  # as procedures take it

    def fill(self, text: str, instants: list[str]) -> str:
        """A text of a statement with what stands for this table in it."""
        last = self.spelling.rsplit("/", 1)[-1].rsplit(".", 1)[-1].strip("`")
        for word, value in {
            "$T": self.spelling, "$N": last, "$P": self.new, "$DIR": str(self.folder), "$I1": instants[0],
            "$I2": instants[-1], "$M": self.metadata, "$A": self.argument,
        }.items():  # fmt: skip
            text = text.replace(word, value)
        return text


Maker = Callable[["Door", str, str], Table]


@dataclass
class Door:
    """One way to tables.

    session
        Runs the statements.
    observer
        A session of the driver that sees the same catalog, and that no setting of a statement reaches.
    templates
        Where the templates lie.
    scratch
        Where copies may lie.
    """

    kind: str
    make: Maker
    session: SparkSession
    observer: SparkSession
    templates: Path
    scratch: Path
    made: int = 0
    clean: dict[str, Table] = field(default_factory=dict)
    seen: dict[str, Any] = field(default_factory=dict)  # footprints of clean copies, alike but for their names

    def table(self, on: str) -> Table:
        """A copy of the template as nobody has changed it."""
        if on not in self.clean:
            self.made += 1
            self.clean[on] = self.make(self, on, f"t{self.made}")
        return self.clean[on]

    def spoilt(self, on: str) -> None:
        """Gives a copy up that a statement has changed."""
        table = self.clean.pop(on)
        if table.name is not None:
            self.observer.sql(f"DROP TABLE IF EXISTS spark_catalog.{DATABASE}.{table.name}")
        shutil.rmtree(table.folder, ignore_errors=True)


def _copy(door: Door, on: str, to: Path) -> Path:
    shutil.rmtree(to, ignore_errors=True)
    shutil.copytree(door.templates / on, to)
    return to


def _by_path(door: Door, on: str, name: str) -> Table:
    folder = _copy(door, on, door.scratch / "path" / name)
    return Table(f"hudilite.`{folder}`", folder, None, f"hudilite.`{folder}-new`", f"hudilite.`{folder}`", str(folder))


def _by_name(door: Door, on: str, name: str) -> Table:
    name = f"{door.kind}_{name}"
    door.session.sql(TEMPLATES[on].create(name))
    folder = _copy(door, on, door.scratch / "warehouse" / f"{DATABASE}.db" / name)
    _reorder(door.observer, name, folder)
    return Table(name, folder, name, f"{name}_new", f"hudilite.{DATABASE}.{name}", f"{DATABASE}.{name}")


def _reorder(spark: SparkSession, name: str, folder: Path) -> None:
    """Gives the entry the columns in the order of the files, where CREATE TABLE has put partition columns last."""
    columns: Any = spark.read.format("hudilite").load(str(folder))._jdf.schema()
    catalog: Any = spark._jsparkSession.sessionState().catalog()
    catalog.externalCatalog().alterTableDataSchema(DATABASE, name, columns)


def _as_hudi_registers(spark: SparkSession, name: str) -> None:
    """Takes the mark from an entry by which it is told from those that Apache Hudi makes."""
    catalog: Any = spark._jsparkSession.sessionState().catalog().externalCatalog()
    entry = catalog.getTable(DATABASE, name)
    properties = getattr(entry.properties(), "$minus")("hudilite.alone")
    entries: Any = spark._jvm.io.hudilite.spark.shim.CatalogEntries
    catalog.alterTable(entries.described(entry, properties, entry.comment()))


def _registered(door: Door, on: str, name: str) -> Table:
    name = f"hudi_{name}"
    folder = _copy(door, on, door.scratch / "registered" / name)
    door.session.sql(f"CREATE TABLE {name} USING hudi LOCATION '{folder}'")
    _as_hudi_registers(door.observer, name)
    spelling = f"hudilite.{DATABASE}.{name}"
    return Table(spelling, folder, name, f"{spelling}_new", spelling, spelling)


def doors(spark: SparkSession, templates: Path, scratch: Path) -> dict[str, Door]:
    """All doors, each with a session of its own in one driver, so that all have one observer."""
    makers: dict[str, Maker] = {"path": _by_path, "name": _by_name, "registered": _registered, "connect": _by_name}
    sessions = {kind: in_this_jvm(spark) if kind == "connect" else spark.newSession() for kind in DOORS}
    return {
        kind: Door(kind, makers[kind], prepared(session), spark, templates, scratch)
        for kind, session in sessions.items()
    }


def prepared(session: SparkSession) -> SparkSession:
    """The session with the views that statements read from."""
    session.conf.set("spark.sql.shuffle.partitions", "1")
    session.sql(f"USE {DATABASE}")
    session.sql(f"CREATE TEMP VIEW src AS SELECT * FROM {SOURCE}")
    return session
