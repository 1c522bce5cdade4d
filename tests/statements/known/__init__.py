"""The statements by kind."""

from __future__ import annotations

from statements.known import (
    changes,
    columns,
    conformance,
    entries,
    frames,
    gaps,
    history,
    inserts,
    keyless,
    names,
    partitions,
    reads,
    tables,
)
from statements.statement import Statement

_GROUPS = (
    reads,
    inserts,
    changes,
    tables,
    columns,
    partitions,
    names,
    history,
    frames,
    conformance,
    entries,
    keyless,
    gaps,
)

STATEMENTS: list[Statement] = [
    statement.of(kind) for group in _GROUPS for kind, known in group.KINDS.items() for statement in known
]
