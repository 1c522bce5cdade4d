"""A statement and what it must give: an answer, a change of the table, or an error; never OK without either."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

#: Changes of a write of rows; one that only drops whole file groups leaves the data files where they are.
WRITE = frozenset({"rows", "timeline", "files"})
DROP = frozenset({"rows", "timeline"})
NOTHING: frozenset[str] = frozenset()

DOORS = ("path", "name", "registered", "connect")
NAMED = ("name", "registered", "connect")


@dataclass(frozen=True)
class Statement:
    """One statement. In all its texts `$T` is the table as its door names it, `$N` the last part of a name, `$P` a
    new table at that door, `$I1` and `$I2` the two instants of the table, `$DIR` the folder of the table.

    text
        SQL, or a Python expression over `spark` when `python` is set.
    on
        Which of the tables of `templates.py` it starts from.
    rows, says, plan, lacks
        Its answer: these rows, or texts in them; texts that its `EXPLAIN` has and lacks.
    adds, removes
        Rows that the table has afterwards and had not before, and the reverse.
    touches
        Exactly those aspects of the table that differ afterwards, fields of `footprint.py`; the others are as they
        were, to the byte. `described` is `entry` where hudilite registered the table: what Apache Hudi registered is
        left as Hudi wrote it.
    then, sees
        A query that shows the effect: it must answer with these rows afterwards, and must not have before.
    condition, text_of_error
        The error: its name in brackets (several with `|`; Spark has none for some), and what its first line says.
    undo
        Statements that take an effect on the session back.
    lines
        Versions of Spark that know the statement: 3.5, 4, or both.
    """

    text: str
    kind: str = ""
    on: str = "cow"
    python: bool = False
    doors: Sequence[str] = DOORS
    lines: Sequence[str] = ("3.5", "4")
    rows: Sequence[object] | None = None
    says: Sequence[str] = ()
    plan: Sequence[str] = ()
    lacks: Sequence[str] = ()
    adds: Sequence[tuple[object, ...]] = ()
    removes: Sequence[tuple[object, ...]] = ()
    touches: frozenset[str] = NOTHING
    then: str | None = None
    sees: Sequence[object] = ()
    condition: str | None = None
    text_of_error: str = ""
    undo: Sequence[str] = ()
    options: Sequence[tuple[str, str]] = ()

    def of(self, kind: str) -> Statement:
        """Return the statement under the name of its table."""
        return replace(self, kind=kind)


def gives(text: str, *rows: object, **more: object) -> Statement:
    """A query with its rows, in their order when the text orders them."""
    return Statement(text, rows=rows, **more)  # type: ignore[arg-type]


def says(text: str, *texts: str, **more: object) -> Statement:
    """A statement whose answer has these texts in it."""
    return Statement(text, says=texts, **more)  # type: ignore[arg-type]


def planned(text: str, *texts: str, **more: object) -> Statement:
    """A query whose plan has these texts in it."""
    return Statement(text, plan=texts, **more)  # type: ignore[arg-type]


def changes(
    text: str,
    adds: Sequence[tuple[object, ...]] = (),
    removes: Sequence[tuple[object, ...]] = (),
    touches: frozenset[str] = WRITE,
    **more: object,
) -> Statement:
    """A statement that changes rows."""
    return Statement(text, adds=adds, removes=removes, touches=touches, **more)  # type: ignore[arg-type]


def does(
    text: str, touches: set[str] | frozenset[str] = NOTHING, then: str | None = None, *sees: object, **more: object
) -> Statement:
    """A statement with another effect, and the query that shows it."""
    return Statement(text, touches=frozenset(touches), then=then, sees=sees, **more)  # type: ignore[arg-type]


def refused(text: str, condition: str, text_of_error: str = "", **more: object) -> Statement:
    """A statement that fails, in one line with this condition, and leaves everything as it was."""
    return Statement(text, condition=condition, text_of_error=text_of_error, **more)  # type: ignore[arg-type]


def asks(text: str, *rows: object, **more: object) -> Statement:
    """A Python expression and its value."""
    return Statement(text, python=True, rows=rows, **more)  # type: ignore[arg-type]
