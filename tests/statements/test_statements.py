"""Every statement of `known`: what it gives, and that nothing else happens.

All go by name in a classic session. The other doors see the first of each kind and some more, since below the name of a
table the doors are one: Spark Connect, which has a client and a protocol of its own, every second, on the newest Spark
the others every eighth. `HUDILITE_ALL_DOORS=1` runs all at all doors.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest
from sessions import SPARK_LINE

from statements.doors import Door
from statements.known import STATEMENTS
from statements.runner import check
from statements.statement import DOORS, Statement

MAIN = "name"
#: Statements that a door has at least in the table, on either line, whether or not this run sends them there.
EACH = 250
#: One in so many statements of a kind goes through a door, from which one on.
SAMPLED = {
    "4": {"connect": (2, 0), "path": (8, 0), "registered": (8, 1)},
    "3.5": {"connect": (3, 1)},
}


def _doors(statement: Statement, of_kind: int) -> list[str]:
    """Where a statement is run: `of_kind` others of its kind came before it."""
    if tuple(statement.doors) != DOORS or of_kind == 0 or os.environ.get("HUDILITE_ALL_DOORS"):
        return list(statement.doors)
    return [MAIN, *(door for door, (step, first) in SAMPLED[SPARK_LINE].items() if of_kind % step == first)]


def _cases() -> list[Any]:
    cases = []
    before: Counter[str] = Counter()
    for number, statement in enumerate(STATEMENTS):
        if SPARK_LINE in statement.lines:
            doors = _doors(statement, before[statement.kind])
            before[statement.kind] += 1
            cases += [pytest.param(door, statement, id=f"{door}-{statement.kind}-{number}") for door in doors]
    return cases


@pytest.mark.parametrize(("door", "statement"), _cases())
def test_statement(
    opened: dict[str, Door], instants: Callable[[str], list[str]], door: str, statement: Statement
) -> None:
    check(statement, opened[door], instants(statement.on))


@pytest.mark.parametrize("line", ["3.5", "4"])
@pytest.mark.parametrize("door", DOORS)
def test_each_door_has_its_statements(line: str, door: str) -> None:
    texts = {statement.text for statement in STATEMENTS if line in statement.lines and door in statement.doors}
    assert len(texts) >= EACH, len(texts)


def test_there_are_statements_of_each_kind_at_each_door() -> None:
    for door in DOORS:
        texts = {case.values[1].text for case in _cases() if case.values[0] == door}
        assert len(texts) >= {MAIN: 500, "connect": 250}.get(door, 60), (door, len(texts))
    for statement in STATEMENTS:
        promises = (statement.says, statement.plan, statement.lacks, statement.then, statement.touches)
        claims = statement.rows is not None or any(promises)
        nothing_to_do = " IF EXISTS " in statement.text or " IF NOT EXISTS " in statement.text
        assert claims or statement.condition is not None or nothing_to_do or statement.kind in ("caches", "columns"), (
            statement.text
        )
