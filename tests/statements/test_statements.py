"""Every statement of `known`: what it gives, and that nothing else happens.

All go through one door. The others see the first of each kind and, on the newest Spark, every fourth of the rest, since
below the name of a table the doors are one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

import pytest
from sessions import SPARK_LINE

from statements.doors import OPENED, Door
from statements.known import STATEMENTS
from statements.runner import check
from statements.statement import DOORS, Statement

MAIN = "name"


def _doors(statement: Statement, of_kind: int) -> list[str]:
    """Where a statement is run: `of_kind` others of its kind came before it."""
    if tuple(statement.doors) != DOORS or of_kind == 0:
        return [door for door in OPENED if door in statement.doors]
    others = [door for door in OPENED if door != MAIN] if SPARK_LINE == "4" else []
    return [MAIN, *(door for at, door in enumerate(others) if of_kind % 4 == at)]


def _cases() -> list[object]:
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


def test_there_are_statements_of_each_kind_at_each_door() -> None:
    assert len({statement.text for statement in STATEMENTS}) >= 250
    for statement in STATEMENTS:
        promises = (statement.says, statement.plan, statement.lacks, statement.then, statement.touches)
        claims = statement.rows is not None or any(promises)
        nothing_to_do = " IF EXISTS " in statement.text or " IF NOT EXISTS " in statement.text
        assert claims or statement.condition is not None or nothing_to_do or statement.kind in ("caches", "columns"), (
            statement.text
        )
