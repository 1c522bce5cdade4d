"""Rows as an aligned table for people, or as JSON for programs."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from _typeshed import DataclassInstance


def rows_of(values: Sequence[DataclassInstance]) -> list[dict[str, Any]]:
    """Fields of dataclass instances as dictionaries."""
    return [dataclasses.asdict(value) for value in values]


def as_json(value: object) -> str:
    """Indented JSON, non-ASCII text as it is."""
    return json.dumps(value, indent=2, ensure_ascii=False)


def as_text(rows: Sequence[Mapping[str, Any]]) -> str:
    """A table with a heading; numbers to the right, absent values as ``-``."""
    if not rows:
        return "(none)"
    names = list(rows[0])
    cells = [[_text(row[name]) for name in names] for row in rows]
    right = [all(isinstance(row[name], int | float | None) for row in rows) for name in names]
    widths = [max(len(line[i]) for line in [names, *cells]) for i in range(len(names))]
    lines = []
    for line in [names, ["-" * width for width in widths], *cells]:
        fitted = (c.rjust(w) if r else c.ljust(w) for c, w, r in zip(line, widths, right, strict=True))
        lines.append("  ".join(fitted).rstrip())
    return "\n".join(lines)


def _text(value: object) -> str:
    if isinstance(value, Mapping):
        value = ", ".join(f"{name}={text}" for name, text in value.items()) or None
    return "-" if value is None else str(value)
