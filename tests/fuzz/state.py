"""A table in plain Python: what its rows must be after any operation, duplicates of keys included."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from decimal import Decimal
from typing import Any

from fuzz import kinds
from fuzz.tables import Column, Row, Spec

DELETED = "_hoodie_is_deleted"
_ROWS = itertools.count()


@dataclass(frozen=True)
class Record:
    """A row of the table; `commit` counts the writes up to the one that wrote it last."""

    values: Row
    key: str
    path: str
    commit: int


class Unsettled(Exception):
    """The outcome for the table is not for a model to know."""


class KeyMovedTwice(Exception):
    """A statement would bring two rows to one key; the write says the condition KEY_MOVED_TWICE."""


def order(value: str | None, ddl: str) -> Any:
    """Comparable form of a row's ordering value; without one, 0 for an int, and less than all else."""
    if value is None:
        return (1, Decimal(0)) if ddl in ("int", "date") else (0,)
    if ddl == "string":
        return (1, value.encode())
    return (1, float(value) if ddl in ("float", "double") else Decimal(value))


@dataclass
class State:
    """Rows under the rules of Hudi; a change returns nothing and takes effect at once.

    `graves` are deletes with an ordering value that a log keeps until the compaction: a late row loses to them.
    """

    spec: Spec
    columns: list[Column] = field(default_factory=list)
    records: list[Record] = field(default_factory=list)
    graves: dict[tuple[str, str], str] = field(default_factory=dict)
    buried: set[tuple[str, str]] = field(default_factory=set)  # keys that a base file or a log of a bucket still has
    commits: int = 0
    late: set[int] = field(default_factory=set)  # writes with rows that lost to older ones
    repeated: set[tuple[str, str]] = field(default_factory=set)  # keys of which a base file may have several rows
    moved: int = 0  # rows that statements took to other partitions

    def copy(self) -> State:
        return replace(
            self, columns=list(self.columns), records=list(self.records), graves=dict(self.graves),
            buried=set(self.buried), late=set(self.late), repeated=set(self.repeated),
        )  # fmt: skip

    def begin(self, columns: Iterable[Column] = ()) -> None:
        """A write of rows with these columns: new ones are added, wider types adopted.

        Values are texts, and a wider column has each value that is written alike: the float 0.1 becomes the double 0.1.
        """
        self.commits += 1
        types = dict(self.columns)
        for name, ddl in columns:
            incoming, old = kinds.STORED.get(ddl, ddl), types.get(name)
            if old is None or incoming in kinds.WIDER.get(old, ()):
                types[name] = incoming
        self.columns = list(types.items())

    def record(self, row: Row) -> Record:
        """A row as one of this write; no other one has its generated key, which is not that of the table."""
        key = f"row {next(_ROWS)}" if self.spec.generated else self.spec.record_key(row)
        return Record(row, key, self.spec.partition_path(row), self.commits)

    def identity(self, record: Record) -> tuple[str, str]:
        return record.key, "" if self.spec.is_global else record.path

    def newest(self, rows: Iterable[Row]) -> list[Record]:
        """One row a key: the one with the largest ordering value, of equal ones the later. A delete without one takes
        the place of what comes before it, and gives it to what comes behind it.
        """
        best: dict[tuple[str, str], Record] = {}
        for row in rows:
            record = self.record(row)
            old = best.get(self.identity(record))
            if old is not None and self.completes_batches:
                wins = self.wins(record, self._ordering(old))
                best[self.identity(record)] = self.completed(record, old) if wins else self.completed(old, record)
                continue
            unordered = self.is_unordered(record) or (old is not None and self.is_unordered(old))
            if old is None or unordered or self._place(record) >= self._place(old):
                best[self.identity(record)] = record
        return list(best.values())

    @property
    def completes_batches(self) -> bool:
        """Rows of one write complete each other, in their order; before version 9 only the greatest of them counts."""
        return bool(self.spec.payload) and (self.spec.event_time or self.spec.version >= 9)

    def completed(self, winner: Record, loser: Record) -> Record:
        """The row that wins, with values of the other one where it has none."""
        if not self.spec.payload:
            return winner
        kept = {n: v for n, v in loser.values.items() if n not in self.spec.partition and winner.values.get(n) is None}
        return replace(winner, values={**winner.values, **kept})

    def _place(self, record: Record) -> Any:
        field = self.spec.ordering
        return order(record.values[field], dict(self.spec.columns)[field]) if field else (0,)

    def wins(self, change: Record, old: str | None) -> bool:
        """Return true if a change replaces a row with this ordering value."""
        field = self.spec.ordering
        if not self.spec.event_time or field is None:
            return True
        if self.is_unordered(change):
            return True
        ddl = dict(self.spec.columns)[field]
        return bool(order(change.values[field], ddl) >= order(old, ddl))

    def is_unordered(self, change: Record) -> bool:
        """Return true if a row deletes its key in commit order: without an ordering value, or with the int 0."""
        field = self.spec.ordering
        if field is None or change.values.get(DELETED) != "true":
            return False
        value = change.values[field]
        return value is None or (value == "0" and dict(self.spec.columns)[field] == "int")

    def upsert(self, rows: Iterable[Row]) -> None:
        for change in self.newest(rows):
            self._upsert(change)

    def _upsert(self, change: Record) -> None:
        name, gone = self.identity(change), change.values.get(DELETED) == "true"
        same = [i for i, record in enumerate(self.records) if self.identity(record) == name]
        if same:
            beaten = {i for i in same if self.wins(change, self._ordering(self.records[i]))}
            if len(beaten) < len(same):
                self.late.add(self.commits)
            if gone and beaten:
                self._bury(name, change)
            left = beaten & self._leaving(same, change)
            kept = [(i, record) for i, record in enumerate(self.records) if i not in left]
            if gone:
                self.records = [record for i, record in kept if i not in beaten]
            else:
                met = {
                    i: self.completed(*((change, self.records[i]) if i in beaten else (self.records[i], change)))
                    for i in same
                }
                self.records = [met.get(i, record) for i, record in kept]
        elif name not in self.graves or self.wins(change, self.graves[name]):
            if not gone:
                self.graves.pop(name, None)
                self.records.append(change)
            elif name in self.buried or self.spec.in_buckets:
                self._bury(name, change)

    def _leaving(self, same: list[int], change: Record) -> set[int]:
        """Records of a key in several partitions that do not move: it is there already, or another one goes."""
        there = any(self.records[i].path == change.path for i in same)
        ordered = sorted(same, key=lambda i: self.records[i].path.encode())
        return {i for i in (ordered if there else ordered[1:]) if self.records[i].path != change.path}

    def _ordering(self, record: Record) -> str | None:
        return record.values.get(self.spec.ordering) if self.spec.ordering else None

    def _bury(self, name: tuple[str, str], change: Record) -> None:
        if self.spec.log:
            self.buried.add(name)
            if self.spec.event_time and (value := self._ordering(change)) is not None:
                if not self.is_unordered(change):
                    self.graves[name] = value

    def is_late(self, row: Row, there: dict[tuple[str, str], Record]) -> bool:
        """Return true if the row loses to the one of its key among these."""
        record = self.record(row)
        old = there.get(self.identity(record))
        return old is not None and not self.wins(record, self._ordering(old))

    def replaced(self, spec: Spec, columns: list[Column], rows: list[Row]) -> State:
        """Another table with these rows in the place of this one. Columns of the old one that all stay come first."""
        after = State(spec, commits=self.commits + 1)
        now = {name: kinds.STORED.get(ddl, ddl) for name, ddl in columns}
        grows = all(now.get(name) == ddl for name, ddl in self.columns)
        after.columns = list(({**dict(self.columns), **now} if grows else now).items())
        after.insert(rows)
        return after

    def insert(self, rows: Iterable[Row], combine: bool = False) -> None:
        """No key is looked up; rows may repeat one."""
        self.records += self.newest(rows) if combine and not self.spec.generated else [self.record(r) for r in rows]
        self._note_repeated()

    def _note_repeated(self) -> None:
        """For good, as what a log takes out of a base file is still there, and past rows can come back."""
        places = Counter((r.key, r.path) for r in self.records)
        self.repeated |= {place for place, rows in places.items() if rows > 1}

    def delete(self, rows: Iterable[Row]) -> None:
        """Drops the records of these keys, whatever their ordering values."""
        names = {self.identity(self.record(row)) for row in rows}
        if self.spec.log:
            self.buried |= {self.identity(r) for r in self.records} & names
            self.graves = {name: value for name, value in self.graves.items() if name not in names}
        self.records = [r for r in self.records if self.identity(r) not in names]

    def drop(self, paths: set[str]) -> None:
        """Drops whole partitions, with all that is written of them."""
        self.records = [r for r in self.records if r.path not in paths]
        for kept in (self.graves, self.buried):
            for name in [name for name in kept if name[1] in paths or self.spec.is_global]:
                kept.pop(name) if isinstance(kept, dict) else kept.discard(name)

    def overwrite(self, rows: list[Row], everything: bool, combine: bool = False) -> None:
        """Replaces the partitions of these rows, or all."""
        fresh = self.newest(rows) if combine and not self.spec.generated else [self.record(row) for row in rows]
        self.drop({r.path for r in (self.records if everything else fresh)})
        if everything:
            self.graves.clear()
            self.buried.clear()
        self.records += fresh
        self._note_repeated()

    def change(self, updates: dict[int, Row | None], inserts: Iterable[Row] = ()) -> None:
        """Apply a statement to rows by number; `None` is a delete. Raises `KeyMovedTwice` where that fails."""
        kept: list[Record] = []
        moved: list[Record] = []
        placed = [self.record(row) for row in inserts]
        late: set[tuple[str, str]] = set()
        untouched: list[int] = []
        for number, old in enumerate(self.records):
            new = old if number not in updates else None
            if number not in updates:
                untouched.append(len(kept))
            elif (row := updates[number]) is not None:
                new = self.record(row)
                if self.wins(new, self._ordering(old)):
                    new = self.completed(new, old)
                elif self.spec.payload and self.spec.log:
                    raise Unsettled
                else:
                    self.late.add(self.commits)
                    new = self.completed(old, new)
                    late.add((old.key, old.path))
                (moved if new.path != old.path else placed).append(new)
            if new is not None and new.path == old.path:
                kept.append(new)
            elif self.spec.log:
                self.buried.add(self.identity(old))
        self._check_arrivals(moved, placed, late)
        there = [(i, kept[i]) for i in untouched]
        for change in moved:
            same = [i for i, record in there if (record.key, record.path) == (change.key, change.path)]
            for i in same:
                if self.wins(change, self._ordering(kept[i])):
                    kept[i] = self.completed(change, kept[i])
                else:
                    self.late.add(self.commits)
                    kept[i] = self.completed(kept[i], change)
            if not same:
                kept.append(change)
        self.records = kept + [self.record(row) for row in inserts]
        self._note_repeated()
        self.moved += len(moved)

    def _check_arrivals(self, moved: list[Record], placed: list[Record], late: set[tuple[str, str]]) -> None:
        """A statement brings one row to a key when it comes from another partition. Not settled: a row that arrives
        where one comes too late, or where a log deletes the key, which an index of partitions finds again.
        """
        brought = Counter((r.key, r.path) for r in [*moved, *placed])
        for change in moved:
            place = (change.key, change.path)
            if place in late or (not self.spec.is_global and place in self.buried):
                raise Unsettled
            if brought[place] > 1:
                raise KeyMovedTwice(change.key)

    def compact(self) -> None:
        """Logs become base files: deletes are forgotten."""
        self.graves.clear()
        self.buried.clear()
