"""Columns that a later schema requires: null in rows from before, for Hudi, too, from the next write on."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from engines import SELF_CHECK, Engine, Shape, list_anew
from rows import rows_of

pytestmark = pytest.mark.skipif(SELF_CHECK, reason="this is about both engines")

BEFORE = "id string, ts long, dt string, n struct<a:int,z:int>"
AFTER = "id string, ts long, dt string, n struct<a:int,z:int,b:int>, c int, s string"
DEFAULTS = {"b": 7, "c": 5, "s": "dflt"}


def before(key: str, ts: int, dt: str) -> dict[str, Any]:
    return {"id": key, "ts": ts, "dt": dt, "n": {"a": 1, "z": 1}}


def after(key: str, ts: int, dt: str) -> dict[str, Any]:
    return {"id": key, "ts": ts, "dt": dt, "n": {"a": 1, "z": 1, "b": 2}, "c": 3, "s": "given"}


def grown(row: dict[str, Any]) -> dict[str, Any]:
    """A row from before as it is read afterwards."""
    return {"c": None, "s": None, **row, "n": {"b": None, **row["n"]}}


def require(node: Any) -> None:
    """Has the fields of `DEFAULTS` be as a schema of a streamer's states them."""
    if isinstance(node, dict) and node.get("name") in DEFAULTS:
        node["type"], node["default"] = node["type"][1], DEFAULTS[node["name"]]
    for child in node.values() if isinstance(node, dict) else node if isinstance(node, list) else []:
        require(child)


def turn_around(node: Any) -> None:
    """Has null come second in the unions of the fields of `DEFAULTS`, behind the type of their default."""
    if isinstance(node, dict) and node.get("name") in DEFAULTS:
        node["type"], node["default"] = node["type"][::-1], DEFAULTS[node["name"]]
    for child in node.values() if isinstance(node, dict) else node if isinstance(node, list) else []:
        turn_around(child)


def change_in_newest(table: Path, change: Callable[[Any], None] = require) -> None:
    """Changes the schema in the newest commit of a table of version 6, whose commits are JSON."""
    commit = max(table.glob(".hoodie/*commit"), key=lambda file: file.name)
    content = json.loads(commit.read_text())
    schema = json.loads(content["extraMetadata"]["schema"])
    change(schema["fields"])
    content["extraMetadata"]["schema"] = json.dumps(schema)
    commit.write_text(json.dumps(content))
    commit.with_name(f".{commit.name}.crc").unlink(missing_ok=True)
    list_anew(commit)


class Turns:
    """A table of version 6 that both engines write in turns, with the rows that it has."""

    def __init__(self, path: Path, real: Engine, kind: str) -> None:
        self.path, self.real = path, real
        facts = {"hoodie.datasource.write.table.type": kind, "hoodie.compact.inline": "false"}
        self.shape = Shape(6, extra=facts).options()
        self.rows: dict[str, dict[str, Any]] = {}

    def write(self, engine: Engine, batch: list[dict[str, Any]], schema: str, operation: str = "upsert") -> None:
        facts = self.shape if engine is self.real else {}
        engine.write(engine.spark.createDataFrame(batch, schema), self.path, operation, **facts)
        self.rows.update({row["id"]: row for row in batch})

    def check(self, *engines: Engine) -> None:
        expected = sorted(json.dumps(grown(row), sort_keys=True) for row in self.rows.values())
        for engine in engines:
            assert rows_of(engine.read(self.path)) == expected, engine.name


@pytest.mark.parametrize("kind", ["COPY_ON_WRITE", "MERGE_ON_READ"])
def test_rows_from_before_a_required_column_are_null_for_both(
    lite: Engine, real: Engine, path: Path, kind: str
) -> None:
    table = Turns(path, real, kind)
    write, check = table.write, table.check
    write(real, [before(f"k{i}", 1, f"p{i % 2}") for i in range(4)], BEFORE, "insert")
    write(real, [before("k1", 2, "p1")], BEFORE)  # in a log, with the schema of before
    write(real, [after("k2", 2, "p0"), after("k8", 2, "p2")], AFTER)
    change_in_newest(path)
    check(lite)
    write(lite, [after("k9", 3, "p2")], AFTER)  # elsewhere
    check(lite, real)
    if kind == "MERGE_ON_READ":
        lite.spark.sql(f"CALL hudilite.system.run_compaction(table => '{path}')").collect()
        check(lite, real)
    write(real, [after("k3", 4, "p1")], AFTER)
    write(lite, [after("k0", 5, "p0")], AFTER)
    check(lite, real)


@pytest.mark.parametrize("kind", ["COPY_ON_WRITE", "MERGE_ON_READ"])
def test_unions_with_null_behind_and_a_default_are_read_and_written(
    lite: Engine, real: Engine, path: Path, kind: str
) -> None:
    table = Turns(path, real, kind)
    write, check = table.write, table.check
    write(real, [before(f"k{i}", 1, f"p{i % 2}") for i in range(4)], BEFORE, "insert")
    write(real, [after("k2", 2, "p0"), {**after("k8", 2, "p2"), "c": None, "s": None}], AFTER)
    change_in_newest(path, turn_around)
    check(lite)
    assert lite.read(path).where("c IS NULL").count() == 4
    assert lite.read(path).where("c = 5 OR s = 'dflt' OR n.b = 7").count() == 0
    write(real, [{**after("k8", 3, "p2"), "s": None}], AFTER)  # with what Hudi makes of the unions
    check(lite)
    change_in_newest(path, turn_around)
    write(lite, [{**after("k9", 3, "p2"), "c": None}, after("k1", 3, "p1")], AFTER)
    check(lite, real)
    lite.spark.sql(f"UPDATE hudilite.`{path}` SET c = NULL WHERE id = 'k2'")
    table.rows["k2"] = {**table.rows["k2"], "c": None}
    check(lite, real)
    if kind == "MERGE_ON_READ":
        lite.spark.sql(f"CALL hudilite.system.run_compaction(table => '{path}')").collect()
        check(lite, real)
