"""Random lives of a table, as plain data: a case says what its steps do, so that it can be replayed and cut down."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import engines

from fuzz import kinds, settings
from fuzz.expected import may_repeat
from fuzz.queries import Queries
from fuzz.replaced import replacement
from fuzz.state import DELETED
from fuzz.statements import Statements
from fuzz.tables import ANY, Column, Pools, Row, Spec, Wish, random_spec

Step = dict[str, Any]
FILTERS, COUNTS = 30, 160
CHOSEN_FILTERS, CHOSEN_COUNTS = 18, 40
REVIVAL = 4  # changes that a revival is; of more than ten cleaning forgets the first
COMBINED = {"hoodie.combine.before.insert": "true"}


@dataclass(frozen=True)
class Case:
    """A table and its life; `seed` says where it comes from."""

    seed: str
    spec: Spec
    steps: list[Step]

    def text(self) -> str:
        return json.dumps(asdict(self), ensure_ascii=True, indent=1)

    @staticmethod
    def of(text: str) -> Case:
        read = json.loads(text)
        return Case(read["seed"], Spec.of(read["spec"]), read["steps"])


class Author:
    """Writes a case."""

    def __init__(self, seed: str, services: bool = False, wish: Wish = ANY) -> None:
        """`services`: also clean, archive, cluster and restore, and another process."""
        self.services = services
        self.seed, self.rng = seed, random.Random(seed)
        self.spec = self.begun = random_spec(self.rng, wish)
        self.pools = Pools(self.rng, self.spec)
        self.columns: list[Column] = list(self.spec.columns)
        self.replaced = False
        self.narrow: Row = {}  # types of columns before they became wider
        self.used: set[tuple[str, str]] = set()  # identities that were written, for batches that must not repeat one

    def case(self, changes: int, asks: int) -> Case:
        """A life of so many changes, each with so many bundles of queries behind it, and one of many more."""
        steps: list[Step] = []
        number, revives = 0, self.may_revive
        while number < changes:
            made = [self.first() if number == 0 else self.change()]
            if revives and 0 < number <= changes - REVIVAL and self.rng.random() < 0.4:
                made, revives = self.revived(), False
            steps += made
            steps += [*(self.ask() for _ in range(asks)), self.ask_much()]
            if number > 1 and self.rng.random() < 0.5:
                steps.append(self.rng.choice((self.past, self.past, self.changes))())
            number += len(made)
        return Case(self.seed, self.begun, steps)

    def chosen(self, kinds: Sequence[str]) -> Case:
        """A life of steps of these kinds, with some queries behind each change."""
        steps: list[Step] = []
        for made in kinds:
            if made in ("past", "changes"):
                steps.append(getattr(self, made)())
            elif made == "revive":
                steps += [*self.revived(), self.ask_much(CHOSEN_FILTERS, CHOSEN_COUNTS)]
            else:
                steps += [self.of_kind(made), self.ask_much(CHOSEN_FILTERS, CHOSEN_COUNTS)]
        return Case(self.seed, self.begun, [*steps, self.ask()])

    def of_kind(self, kind: str) -> Step:
        """A change of one kind, as they are told apart in `LIVES`."""
        writes = {
            "upsert": 30, "insert": 20, "bulk_insert": 40, "delete": 6, "insert_overwrite": 8,
            "insert_overwrite_table": 20, "delete_partition": 1,
        }  # fmt: skip
        if kind in writes:
            return self.write(kind, writes[kind])
        if kind in ("update", "remove", "merge", "insert into", "move"):
            return self.statement(kind)
        services: dict[str, Callable[[], Step]] = {
            "evolve": self.evolve, "cluster": self.cluster, "misdeal": self.misdeal, "store": self.store,
            "replace": self.replace,
            "clean": lambda: {"do": "clean", "retain": 1}, "restore": lambda: {"do": "restore", "when": 0.4},
            "held beside writes": lambda: self.held("upsert", "delete"),
            "held beside services": lambda: self.held("plan", "fold", "cluster", "clean", "archive"),
        }  # fmt: skip
        return services.get(kind, lambda: {"do": kind})()

    def held(self, *meanwhile: str) -> Step:
        """A write of another process that is held while this one does steps of these kinds."""
        write = self.write(self.rng.choice(("upsert", "insert", "delete")), 8)
        steps = [made for kind in meanwhile if self.suits(kind) for made in (self.of_kind(kind), self.ask_much(2, 2))]
        return {"do": "held", "write": {**write, "settings": {}}, "meanwhile": steps}

    def suits(self, kind: str) -> bool:
        """Return true if a service has something to do on such a table."""
        return self.spec.log if kind in ("plan", "fold") else not (kind == "cluster" and self.spec.in_buckets)

    # ---- what is asked

    def queries(self) -> Queries:
        return Queries(self.rng, self.spec, self.pools, [(n, kinds.STORED.get(d, d)) for n, d in self.columns])

    def ask(self) -> Step:
        queries = self.queries()
        return {
            "do": "ask", "from": self.rng.choice(("view", "view", "view", "path", "cache")),
            "settings": settings.random_settings(self.rng),
            "queries": [queries.any() for _ in range(self.rng.randint(8, 12))],
        }  # fmt: skip

    def ask_much(self, filters: int = FILTERS, counts: int = COUNTS) -> Step:
        """Many filters, and conditions on all rows, in as few jobs as can be."""
        queries = self.queries()
        return {
            "do": "ask", "from": self.rng.choice(("view", "path")), "settings": settings.CHEAP,
            "queries": [queries.filtered() for _ in range(filters)],
            "counts": [queries.predicate() for _ in range(counts)],
        }  # fmt: skip

    def past(self) -> Step:
        """Queries of an earlier snapshot, by a share of the commits so far."""
        columns = list(self.spec.columns)  # the first commit has no others
        queries = Queries(self.rng, self.spec, self.pools, [(n, kinds.STORED.get(d, d)) for n, d in columns])
        asked = [] if self.replaced else [queries.any() for _ in range(3)]  # the columns of the past may be others
        return {"do": "past", "when": self.rng.random(), "queries": asked}

    def changes(self) -> Step:
        begin, end = sorted((self.rng.random(), self.rng.random()))
        return {"do": "changes", "begin": begin, "end": end}

    # ---- what is done

    def first(self) -> Step:
        return self.write(self.rng.choice(("upsert", "insert", "bulk_insert")), self.rng.randint(10, 60))

    def change(self) -> Step:
        log = self.spec.log
        sorts = (
            (self.upsert, 5), (self.insert, 2), (self.delete, 2), (self.overwrite, 1), (self.drop, 0.6),
            (self.evolve, 1), (self.statement, 4),
            (lambda: {"do": "compact"}, 1.5 * log), (lambda: {"do": "fold"}, log),
            (lambda: {"do": "plan"}, 0.7 * log),
            (lambda: {"do": "clean", "retain": self.rng.choice((1, 2))}, 0.7 * self.services),
            (lambda: {"do": "archive"}, 0.4 * self.services),
            (lambda: {"do": "restore", "when": self.rng.random()}, 0.6 * self.services * (not self.replaced)),
            (self.replace, 0.6),
            (self.cluster, 0 if self.spec.in_buckets else 1 * self.services),
            (lambda: self.held(self.rng.choice(("upsert", "insert", "clean", "fold"))), 0.3 * self.services),
            (self.misdeal, 0.5 * self.spec.in_buckets),
            (self.store, 0.4 * any("decimal" in ddl for _, ddl in self.columns) * (not self.spec.keeps_metadata)),
        )  # fmt: skip
        (made,) = self.rng.choices([sort for sort, _ in sorts], [weight for _, weight in sorts])
        return made()

    def upsert(self) -> Step:
        return self.write("upsert", self.rng.choice((1, 5, 20, 40)))

    def insert(self) -> Step:
        return self.write(self.rng.choice(("insert", "bulk_insert")), self.rng.choice((1, 5, 30)))

    def delete(self) -> Step:
        if self.spec.generated:
            return self.statement("remove")
        step = self.write("delete", self.rng.choice((1, 5, 15)))
        if self.rng.random() < 0.5:
            needed = {*self.spec.key, *self.spec.partition, self.spec.ordering}
            step["columns"] = [column for column in step["columns"] if column[0] in needed]
            step["rows"] = [{n: row[n] for n, _ in step["columns"]} for row in step["rows"]]
        return step

    def overwrite(self) -> Step:
        return self.write(self.rng.choice(("insert_overwrite", "insert_overwrite", "insert_overwrite_table")), 8)

    def replace(self) -> Step:
        """Another table in the place of this one; what follows is about that."""
        self.spec = replacement(self.rng, self.spec, self.columns)
        self.pools = Pools(self.rng, self.spec)
        self.columns, self.narrow, self.replaced = list(self.spec.columns), {}, True
        self.used = set()
        rows: dict[Any, Row] = {}
        for row in (self.pools.row(self.columns) for _ in range(self.rng.choice((1, 10, 40)))):
            row |= {DELETED: None} if DELETED in row else {}
            path = "" if self.spec.is_global else self.spec.partition_path(row)
            rows[len(rows) if self.spec.generated else (self.spec.record_key(row), path)] = row
        self.used |= {(self.spec.record_key(row), self.spec.partition_path(row)) for row in rows.values()}
        return {
            "do": "replace", "spec": asdict(self.spec), "columns": self.columns, "rows": list(rows.values()),
            "options": dict(self.spec.always),
        }  # fmt: skip

    def drop(self) -> Step:
        return self.write("delete_partition", self.rng.choice((1, 2))) if self.spec.partition else self.upsert()

    def evolve(self) -> Step:
        """An upsert of rows with one column more, or with a wider one."""
        wider = [(n, d) for n, d in self.columns if d in kinds.WIDER and n not in self.spec.fixed]
        if wider and self.rng.random() < 0.5:
            column, old = self.rng.choice(wider)
            new = self.rng.choice(kinds.WIDER[old])
            self.columns = [(n, new if n == column else d) for n, d in self.columns]
            step = self.upsert()
            self.narrow[column] = old  # some of the later writes bring it so
            return step
        self.columns = [*self.columns, (f"added{len(self.columns)}", kinds.random_ddl(self.rng))]
        return self.upsert()

    def statement(self, kind: str | None = None) -> Step:
        step = Statements(self.rng, self.spec, self.pools, self.columns, self.queries()).of(kind)
        step["settings"] = {k: v for k, v in settings.random_settings(self.rng, 2).items() if k not in settings.FIXED}
        return step

    def misdeal(self) -> Step:
        """Rows for another number of buckets than the table has."""
        operation = self.rng.choice(("upsert", "insert", "delete"))
        rows = [self.pools.row(self.columns) for _ in range(3)]
        present = int(self.spec.always[engines.BUCKETS])
        wrong = self.rng.choice([n for n in (1, 2, 3, 4, 6, 8, 14, 16, 256) if n != present])
        options = {**self.spec.always, engines.BUCKETS: str(wrong)}
        return {"do": "misdeal", "with": operation, "columns": self.columns, "rows": rows, "options": options}

    def store(self) -> Step:
        """Base files as another writer would have made them, with decimals in other physical types."""
        return {"do": "store", "seed": self.rng.random()}

    def cluster(self) -> Step:
        """Small files together, or all rows by some of the columns that are in files and not nested."""
        missing = self.spec.partition if self.spec.dropped else ()
        sortable = [n for n, d in self.spec.columns if "<" not in d and n not in missing]
        some = self.rng.sample(sortable, min(len(sortable), self.rng.randint(1, 3)))
        layout = self.rng.choice(("linear", "zorder", "hilbert"))
        return {"do": "cluster", "sort": None, "layout": None} if self.rng.random() < 0.4 else {
            "do": "cluster", "sort": some, "layout": layout,
        }  # fmt: skip

    @property
    def may_revive(self) -> bool:
        """Return true if rows may be put back beside deletes in logs."""
        return may_repeat(self.spec) and not self.spec.generated

    def revived(self) -> list[Step]:
        """Rows that are written, deleted, put back, in part by what does not look for them, and upserted again."""
        places: dict[tuple[str, str], Row] = {}
        for row in (self.pools.row(self.columns) for _ in range(self.rng.randint(2, 8))):
            path = "" if self.spec.is_global else self.spec.partition_path(row)
            places[self.spec.record_key(row), path] = row
        kept = {*self.spec.key, *self.spec.partition}
        if self.spec.is_global and self.rng.random() < 0.5:
            kept = {*self.spec.key}

        def again() -> list[Row]:
            made = []
            for row in places.values():
                fresh = self.pools.row(self.columns)
                while self.spec.ordering and fresh[self.spec.ordering] is None:  # nothing says which of two is newer
                    fresh = self.pools.row(self.columns)
                same = {n: row[n] for n in kept}
                made.append({**fresh, **same, **({DELETED: None} if DELETED in fresh else {})})
            return made

        def written(operation: str, rows: list[Row]) -> Step:
            self.used |= {(self.spec.record_key(row), self.spec.partition_path(row)) for row in rows}
            return {
                "do": "write", "operation": operation, "columns": list(self.columns), "rows": rows,
                "options": dict(self.spec.always), "slices": 0, "settings": {},
            }  # fmt: skip

        def stated(**statement: Any) -> Step:
            return {**statement, "columns": list(self.columns), "rows": again(), "settings": {}}

        fields = [*self.spec.key, *([] if self.spec.is_global else self.spec.partition)]
        on = " AND ".join(f"t.{kinds.name(f)} <=> s.{kinds.name(f)}" for f in fields)
        clause = {"when": "missing", "if": None, "then": "insert *", "set": {}}
        back: Step = self.rng.choice(
            (
                lambda: written("insert", again()),
                lambda: stated(do="insert"),
                lambda: stated(do="merge", on=on, clauses=[clause]),
            )
        )()
        deletes = written("delete", [{**row, **({DELETED: None} if DELETED in row else {})} for row in places.values()])
        return [written("upsert", again()), deletes, back, written("upsert", again())]

    def write(self, operation: str, count: int) -> Step:
        """A write of a frame; no column tells which row an upsert would change where keys are generated."""
        operation = "insert" if self.spec.generated and operation in ("upsert", "delete") else operation
        inserts = operation in ("insert", "bulk_insert")
        fresh = inserts and self.used and not may_repeat(self.spec)
        columns = [(n, self.narrow.get(n, d) if self.rng.random() < 0.4 else d) for n, d in self.columns]
        rows = [self.pools.row(columns, fresh_key=bool(fresh)) for _ in range(count)]
        rows = self._legal(rows, operation)
        if self.rng.random() < 0.2 and len(rows) > 1 and operation == "upsert":
            self.rng.shuffle(rows)
        self.used |= {(self.spec.record_key(row), self.spec.partition_path(row)) for row in rows}
        options = dict(self.spec.always)
        if inserts and self.rng.random() < 0.3:
            options |= COMBINED
        if self.rng.random() < 0.2:
            self.rng.shuffle(columns)
        slices = self.rng.choice((0, 0, 1, 3))
        if self._ties(rows) or (self.spec.payload and len({self.spec.record_key(row) for row in rows}) < len(rows)):
            slices = min(slices, 1)  # rows that are shuffled have no order any more
        return {
            "do": "write", "operation": operation, "columns": columns, "rows": rows, "options": options,
            "slices": slices,
            "settings": {k: v for k, v in settings.random_settings(self.rng, 2).items() if k not in settings.FIXED},
        }  # fmt: skip

    def _ties(self, rows: list[Row]) -> bool:
        """Rows of one key have the same ordering value, or one of them deletes and may have none, so that their order
        says which wins.
        """
        names = [
            (self.spec.record_key(r), "" if self.spec.is_global else self.spec.partition_path(r),
             r.get(self.spec.ordering) if self.spec.ordering else None)
            for r in rows
        ]  # fmt: skip
        deleted = {name[:2] for name, row in zip(names, rows, strict=True) if row.get(DELETED) == "true"}
        return len(set(names)) < len(names) or any(
            name[:2] in deleted and row.get(DELETED) != "true" for name, row in zip(names, rows, strict=True)
        )

    def _legal(self, rows: list[Row], operation: str) -> list[Row]:
        """The rows without those of which the answer is not settled."""
        if operation != "upsert":
            rows = [{**row, DELETED: None} if DELETED in row else row for row in rows]
        unique = operation not in ("upsert", "delete", "delete_partition") and not may_repeat(self.spec)
        seen: set[Any] = set()
        kept = []
        for row in rows:
            path = "" if self.spec.is_global else self.spec.partition_path(row)
            place = (self.spec.record_key(row), path)
            if place not in seen or not unique:
                seen.add(place)
                kept.append(row)
        return kept
