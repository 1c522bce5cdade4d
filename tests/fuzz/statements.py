"""Random statements: UPDATE, DELETE, MERGE and INSERT, as data. `{t}` is the table, `s` a source of rows."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

from fuzz import kinds
from fuzz.kinds import kind, name
from fuzz.queries import Queries
from fuzz.state import DELETED
from fuzz.tables import Column, Pools, Row, Spec

Statement = dict[str, Any]


class Statements:
    """Makes statements on a table with these columns."""

    def __init__(
        self, rng: random.Random, spec: Spec, pools: Pools, columns: Sequence[Column], queries: Queries
    ) -> None:
        self.rng, self.spec, self.pools, self.queries = rng, spec, pools, queries
        self.columns = list(columns)
        self.free = [(n, kinds.STORED.get(d, d)) for n, d in columns if n not in (*spec.key, *spec.partition, DELETED)]
        self.places = [(n, d) for n, d in columns if n in spec.partition]

    def of(self, kind: str | None = None) -> Statement:
        """A statement of the kind, or any."""
        makers = (self.update, self.update, self.delete, self.merge, self.merge, self.merge, self.insert)
        kinds = {
            "update": self.update, "remove": self.delete, "merge": self.merge, "insert into": self.insert,
            "move": self.move,
        }  # fmt: skip
        return (kinds[kind] if kind else self.rng.choice(makers))()

    def update(self) -> Statement:
        return {"do": "update", "set": self.assignments("", may_move=True), "where": self.queries.predicate()}

    def move(self) -> Statement:
        """An UPDATE that takes rows to another partition."""
        return {
            "do": "update", "set": {**self.assignments(""), **self.moving("")}, "where": self.queries.predicate(0),
        }  # fmt: skip

    def delete(self) -> Statement:
        return {"do": "remove", "where": self.queries.predicate()}

    def insert(self) -> Statement:
        return {"do": "insert", "columns": self.columns, "rows": self.source(self.rng.randint(1, 10), by_path=True)}

    def assignments(self, prefix: str, other: str = "", may_move: bool = False) -> dict[str, str]:
        """New values of some columns that no key is made of; where it may move rows, of partition columns, too."""
        chosen = self.rng.sample(self.free, min(len(self.free), self.rng.randint(1, 2)))
        values = {column: self.new_value(column, ddl, prefix, other) for column, ddl in chosen}
        return {**values, **self.moving(prefix, other)} if may_move and self.rng.random() < 0.3 else values

    def moving(self, prefix: str, other: str = "") -> dict[str, str]:
        """Another value for one of the partition columns, where the index of the table lets rows move."""
        if not self.places:
            return {}
        column, ddl = self.rng.choice(self.places)
        value = self.rng.choice(self.pools.partitions[column])
        literal = "NULL" if value is None else kind(ddl).of(value)
        same = f"{prefix}{name(column)}"
        choices = [literal] * 3 + [f"if({self.plain(prefix)}, {literal}, {same})"]
        return {column: self.rng.choice(choices + [f"{other}{name(column)}"] * 2 if other else choices)}

    def new_value(self, column: str, ddl: str, prefix: str, other: str) -> str:
        of = kind(ddl)
        if column == self.spec.ordering and self.spec.needs_order:
            return self.rng.choice([of.literal(self.rng), f"coalesce({prefix}{name(column)}, {of.literal(self.rng)})"])
        choices = [f"{prefix}{name(column)}", "NULL"]
        if of.leaf:
            choices += [of.literal(self.rng), f"coalesce({prefix}{name(column)}, {of.literal(self.rng)})"]
        if ddl == "string":
            choices += [f"concat({prefix}{name(column)}, '!')", f"upper({prefix}{name(column)})"]
        if ddl in ("int", "bigint"):
            choices += [f"try_add({prefix}{name(column)}, 1)"] * 2
        if other:
            choices += [f"{other}{name(column)}"] * 3
        return self.rng.choice(choices)

    def source(self, count: int, by_path: bool) -> list[Row]:
        """Rows of which no two are about the same row of the table."""
        rows = [self.pools.row(self.columns) for _ in range(count)]
        seen: dict[Any, Row] = {}
        for row in rows:
            path = self.spec.partition_path(row) if by_path and not self.spec.is_global else ""
            seen[self.spec.record_key(row), path] = {**row, DELETED: None} if DELETED in row else row
        return list(seen.values())

    def merge(self) -> Statement:
        """A MERGE by key and partition, by key alone, or by any column."""
        how = self.rng.choice(("whole", "whole", "whole", "key", "column"))
        rows = self.source(self.rng.randint(1, 25), by_path=how == "whole")
        fields = [*self.spec.key, *(self.spec.partition if how == "whole" else [])]
        if how == "column":
            column, _ = self.rng.choice([c for c in self.free if kind(c[1]).leaf] or [(self.spec.key[0], "")])
            fields = [column]
        equals = [f"t.{name(f)} {self.rng.choice(('=', '<=>'))} s.{name(f)}" for f in fields]
        if self.rng.random() < 0.15:
            equals.append(self.queries.predicate(0, "t."))
        return {
            "do": "merge", "columns": self.columns, "rows": rows, "on": " AND ".join(equals),
            "clauses": self.clauses(how),
        }  # fmt: skip

    def clauses(self, how: str) -> list[dict[str, Any]]:
        """Clauses of a MERGE, in the order of the grammar; the last clause of a kind may go without a condition."""
        made: list[dict[str, Any]] = []
        for _ in range(self.rng.choice((0, 1, 1, 2))):
            made.append(self.clause("matched", how, ("update", "update", "delete", "update *")))
        if how != "column":
            made += [self.clause("missing", how, ("insert *",)) for _ in range(self.rng.choice((0, 1, 1)))]
        if self.rng.random() < 0.2:
            made.append(self.clause("unmatched", how, ("update", "delete")))
        last: set[str] = set()
        for clause in reversed(made):  # only the last clause of a kind may be without one
            if clause["when"] in last and clause["if"] is None:
                clause["if"] = "true"
            last.add(clause["when"])
        return made or [self.clause("matched", how, ("delete",))]

    def clause(self, when: str, how: str, actions: Sequence[str]) -> dict[str, Any]:
        all_columns = how == "whole" or (how == "key" and self.places)
        then = self.rng.choice([action for action in actions if action != "update *" or all_columns])
        prefixes = {"matched": ("t.", "s."), "missing": ("s.",), "unmatched": ("t.",)}[when]
        condition = self.plain(self.rng.choice(prefixes)) if self.rng.random() < 0.4 else None
        other = "s." if when == "matched" else ""
        sets = self.assignments("t.", other, may_move=True) if then == "update" else {}
        return {"when": when, "if": condition, "then": then, "set": sets}

    def plain(self, prefix: str) -> str:
        """A condition that a source without Hudi's own columns can answer, too."""
        while "_hoodie_" in (made := self.queries.predicate(1, prefix)):
            pass
        return made


def sql(statement: Statement, target: str) -> str:
    """The statement as it is run; its source is the view `s`."""
    match statement["do"]:
        case "update":
            sets = ", ".join(f"{name(column)} = {value}" for column, value in statement["set"].items())
            return f"UPDATE {target} SET {sets} WHERE {statement['where']}"
        case "remove":
            return f"DELETE FROM {target} WHERE {statement['where']}"
        case "insert":
            listed = ", ".join(name(column) for column, _ in statement["columns"])
            return f"INSERT INTO {target} ({listed}) SELECT {listed} FROM s"
    clauses = " ".join(_clause(clause) for clause in statement["clauses"])
    return f"MERGE INTO {target} t USING s ON {statement['on']} {clauses}"


def _clause(clause: dict[str, Any]) -> str:
    when = {"matched": "MATCHED", "missing": "NOT MATCHED", "unmatched": "NOT MATCHED BY SOURCE"}[clause["when"]]
    condition = "" if clause["if"] is None else f" AND {clause['if']}"
    match clause["then"]:
        case "update":
            action = "UPDATE SET " + ", ".join(f"{name(c)} = {value}" for c, value in clause["set"].items())
        case "update *" | "insert *":
            action = clause["then"].replace("update", "UPDATE SET").upper()
        case other:
            action = other.upper()
    return f"WHEN {when}{condition} THEN {action}"
