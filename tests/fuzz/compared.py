"""Answers of a table beside those of plain Spark on the rows that the model says are there."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from fuzz.frames import Frames
from fuzz.queries import META
from fuzz.settings import INTERPRETED, applied
from fuzz.state import State

MODEL = "model"  # a view that nobody else makes
SHOWN = 12  # rows of a difference that are told
Answers = dict[str, Any]


class Difference(AssertionError):
    """An answer that is not the model's, or a change that fails, with the step that found it."""


class Compared:
    """Compares, and counts how many queries were answered alike."""

    def __init__(self, frames: Frames) -> None:
        self.frames, self.spark = frames, frames.spark
        self.count = 0
        self.shown = ""  # what the view has

    def of(self, table: str, state: State, queries: Sequence[str], settings: dict[str, str] | None = None) -> None:
        """All queries at once, of the table and of the model; one by one when they differ or one fails.

        Each is one comparison, however many rows or counts it gives, and none when both sides fail alike.
        """
        self.view(state)
        with applied(self.spark, settings or {}):
            found, wanted = self.found(queries, table), self.wanted(queries)
            if found == wanted and "error" not in found:
                self.count += len(queries)
                return
            differences = []
            for query in queries:
                one, other = self.found([query], table), self.wanted([query])
                if one != other:
                    differences.append(f"{query}\n{described(one, other)}")
                elif "error" not in one:
                    self.count += 1
        if differences:
            raise Difference(f"with {settings or {}}: " + "\n".join(differences))
        if found != wanted:
            raise Difference(f"with {settings or {}}, only together: {queries}\n{described(found, wanted)}")

    def view(self, state: State) -> None:
        """The view of the model's rows in memory, made anew when there are others."""
        rows = [{**r.values, META[0][0]: r.key, META[1][0]: r.path} for r in state.records]
        shown = repr((state.columns, rows))  # which tells 0.0 from -0.0
        if shown != self.shown:
            self.frames.of([*state.columns, *META], rows).createOrReplaceTempView(MODEL)
            self.shown = shown

    def wanted(self, queries: Sequence[str]) -> Answers:
        """The model's answers, of which none is worth compiling."""
        with applied(self.spark, INTERPRETED):
            return self.found(queries, MODEL)

    def found(self, queries: Sequence[str], table: str) -> Answers:
        """Rows as lines of JSON with how often each comes, or the error."""
        shown = "to_json(struct(*), map('ignoreNullFields', 'false'))"
        parts = [
            f"SELECT {i} AS q, {shown} AS j FROM ({query.replace('{t}', table).replace('{m}', MODEL)})"
            for i, query in enumerate(queries)
        ]
        try:
            rows = self.spark.sql(" UNION ALL ".join(parts)).collect()
        except Exception as error:
            return {"error": str(error).split("\n")[0][:600]}
        return dict(Counter(f"{row[0]} {row[1]}" for row in rows))


def described(found: Answers, wanted: Answers) -> str:
    """How two answers differ."""
    if "error" in found or "error" in wanted:
        return f"  table: {found.get('error', 'answers')}\n  model: {wanted.get('error', 'answers')}"
    more, less = Counter(found), Counter(wanted)
    lines = [f"  table only, {n} x: {line}" for line, n in list((more - less).items())[:SHOWN]]
    lines += [f"  model only, {n} x: {line}" for line, n in list((less - more).items())[:SHOWN]]
    return "\n".join(lines)
