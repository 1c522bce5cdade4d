"""Runs a statement at a door, and holds what it gave and what it changed against what it promises."""

from __future__ import annotations

import shutil
from importlib import import_module
from pathlib import Path
from typing import Any

from pyspark.sql import SparkSession

import hudilite
from statements.doors import DATABASE, Door, Table
from statements.footprint import Footprint, footprint, ordered, plain
from statements.statement import Statement


def check(statement: Statement, door: Door, instants: list[str]) -> None:
    """Raises `AssertionError` when the statement gives something else than it must, or touches something else."""
    table = door.table(statement.on)
    before = footprint(door, table, door.seen.get(statement.on))
    door.seen[statement.on] = before
    said = _Fill(table, instants)
    after: Footprint | None = None
    try:
        unseen = None if statement.then is None else _attempt(door.session, said(statement.then))
        for key, value in statement.options:
            door.session.conf.set(key, said(value))
        try:
            answer = run(door.session, said(statement.text), statement.python)
            error = None
        except Exception as raised:
            answer, error = None, raised
        finally:
            for key, _ in statement.options:
                door.session.conf.unset(key)
        _check_error(statement, said, door, error)
        if error is None:
            _check_answer(statement, said, door.session, answer)
        after = _check_effect(statement, said, door, before, table, unseen)
    finally:
        for text in statement.undo:
            door.session.sql(said(text))
        if after is None or statement.undo:
            after = footprint(door, table, before)
        if after.differs(before):
            _tidy(door, before, after)
            door.spoilt(statement.on)


class _Fill:
    def __init__(self, table: Table, instants: list[str]) -> None:
        self.table, self.instants = table, instants

    def __call__(self, text: str) -> str:
        return self.table.fill(text, self.instants)

    def row(self, row: object) -> object:
        items = row if isinstance(row, tuple) else (row,)
        return tuple(self(item) if isinstance(item, str) else item for item in items)


def run(session: SparkSession, text: str, python: bool) -> list[tuple[Any, ...]]:
    """The rows of a statement, or the value of a Python expression as the only one."""
    if not python:
        return [plain(row) for row in session.sql(text).collect()]
    value = eval(text, {"spark": session, "expr": functions_of(session).expr})
    if hasattr(value, "collect"):
        value = value.collect()
    if isinstance(value, list):
        return [plain(item) if isinstance(item, tuple) else (plain(item),) for item in value]
    return [] if value is None else [(plain(value),)]


def functions_of(session: SparkSession) -> Any:
    """The functions of columns that a session takes: those of Spark Connect are others."""
    kind = "connect." if type(session).__module__.startswith("pyspark.sql.connect.") else ""
    return import_module(f"pyspark.sql.{kind}functions")


def _attempt(session: SparkSession, text: str) -> list[tuple[Any, ...]] | None:
    try:
        return run(session, text, text.startswith("spark."))
    except Exception:
        return None


def first_line(error: Exception) -> str:
    """First line for a user; of an error without a class in Python it follows the words of the gateway."""
    lines = str(error).strip().splitlines()
    return lines[1] if lines[0].startswith("An error occurred while calling") and len(lines) > 1 else lines[0]


def _check_error(statement: Statement, said: _Fill, door: Door, error: Exception | None) -> None:
    if statement.condition is None:
        if error is not None:
            raise error
        return
    assert error is not None, f"it said OK, but should be refused with {statement.condition}"
    line = first_line(error)
    names = [name for name in statement.condition.split("|") if name]
    by_catalog = statement.text.startswith("spark.catalog.")  # which has words of its own
    if door.kind == "path" and "TABLE_NOT_FOUND" in names and "$P" in statement.text and not by_catalog:
        names = ["TABLE_NOT_FOUND"]
    assert not names or any(f"[{name}]" in line or f"[{name}." in line for name in names), line
    assert not any(word in line for word in INTERNAL), line
    assert said(statement.text_of_error).lower() in line.lower(), line
    if names and all(name in OURS for name in names):
        assert hudilite.condition_of(error) in names, str(error)
        assert len(str(error).strip().splitlines()) == 1, str(error)


#: Signs of an error that nobody thought of.
INTERNAL = ("INTERNAL_ERROR", "NullPointerException", "MatchError", "ClassCastException", "NoSuchMethodError")


def _check_answer(statement: Statement, said: _Fill, session: SparkSession, answer: Any) -> None:
    if statement.rows is not None:
        expected = [said.row(row) for row in statement.rows]
        if " ORDER BY " in statement.text:
            assert answer == expected, (answer, expected)
        else:
            assert ordered(answer) == ordered(expected), (answer, expected)
    text = "\n".join(" | ".join(map(str, row)) for row in answer or ())
    for part in statement.says:
        assert said(part) in text, (part, text)
    if statement.plan or statement.lacks:
        plan = run(session, "EXPLAIN " + said(statement.text), False)[0][0]
        for part in statement.plan:
            assert said(part) in plan, (part, plan)
        for part in statement.lacks:
            assert said(part) not in plan, (part, plan)


def _check_effect(
    statement: Statement, said: _Fill, door: Door, before: Footprint, table: Table, unseen: Any
) -> Footprint:
    after = footprint(door, table, before)
    expected = statement.touches - {"described"}
    if "described" in statement.touches and table.name is not None and door.kind != "registered":
        expected |= {"entry"}
    assert after.differs(before) == expected, f"touched {after.differs(before)}, should touch {set(expected)}"
    if "rows" in statement.touches and (statement.adds or statement.removes):
        rows = [row for row in before.rows if row not in statement.removes]
        assert len(rows) == len(before.rows) - len(statement.removes), "removes rows that are not there"
        assert after.rows == ordered([*rows, *statement.adds]), after.rows
    if statement.then is not None:
        seen = run(door.session, said(statement.then), statement.then.startswith("spark."))
        wanted = ordered(said.row(row) for row in statement.sees)
        assert ordered(seen) == wanted, (seen, wanted)
        assert unseen is None or ordered(unseen) != wanted, f"{statement.then} gave the same before"
    return after


def _tidy(door: Door, before: Footprint, after: Footprint) -> None:
    """Drops the tables, views, databases and folders that came to be."""
    for name in after.names.keys() - before.names.keys():
        kind = after.names[name]
        if kind == "FOLDER":
            shutil.rmtree(name, ignore_errors=True)
        elif kind == "DATABASE":
            door.observer.sql(f"DROP DATABASE IF EXISTS {name} CASCADE")
        else:
            door.observer.sql(f"DROP {'VIEW' if kind == 'VIEW' else 'TABLE'} IF EXISTS spark_catalog.{DATABASE}.{name}")


def _ours() -> frozenset[str]:
    errors = Path(__file__).parents[2] / "docs" / "errors.md"
    return frozenset(line[3:].strip() for line in errors.read_text().splitlines() if line.startswith("## "))


#: hudilite's own conditions; each of its errors is one line.
OURS = _ours()
