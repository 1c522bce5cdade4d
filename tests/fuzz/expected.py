"""Expected rows of a table after a statement: plain Spark evaluates it on rows in memory, Python applies it."""

from __future__ import annotations

import json
from typing import Any

from fuzz.excluded import allowed
from fuzz.frames import Frames
from fuzz.kinds import STORED, kind, name
from fuzz.settings import FIXED, applied
from fuzz.state import State, Unsettled
from fuzz.tables import Row, Spec

Step = dict[str, Any]


class Ambiguous(Unsettled):
    """Two source rows would change one row of the table."""


def of(frames: Frames, state: State, step: Step) -> State | None:
    """The table after the statement; `None` for one of which the answer is not settled or that is excluded. Raises
    `KeyMovedTwice` for one that fails.
    """
    after = state.copy()
    after.begin()
    if step["do"] == "insert":
        updates, inserts = {}, step["rows"]
    else:
        _views(frames, state)
        try:
            updates, inserts = (_merge if step["do"] == "merge" else _by_condition)(frames, state, step)
        except Ambiguous:
            return None
    there = {after.identity(r) for r in state.records} | state.buried
    if any(after.identity(after.record(row)) in there for row in inserts) and not may_repeat(state.spec):
        return None
    try:
        after.change(updates, inserts)
    except Unsettled:
        return None
    return after


def may_repeat(spec: Spec) -> bool:
    """Return true if rows may be inserted of a key that is there."""
    if spec.payload and not allowed("copies that complete each other"):
        return False
    return not (spec.in_buckets and spec.log) or allowed("copies in logs of buckets")


def _views(frames: Frames, state: State) -> None:
    rows = [
        {**r.values, "_hoodie_record_key": r.key, "_hoodie_partition_path": r.path, "_rid": str(i)}
        for i, r in enumerate(state.records)
    ]
    meta = [("_hoodie_record_key", "string"), ("_hoodie_partition_path", "string"), ("_rid", "int")]
    frames.of([*state.columns, *meta], rows).createOrReplaceTempView("m")


def _changed(state: State, sets: dict[str, str]) -> str:
    """JSON of the new values of columns, as a case holds them."""
    types = dict(state.columns)
    values = [f"{kind(types[c]).encode(f'cast({e} AS {types[c]})')} AS {name(c)}" for c, e in sets.items()]
    return f"to_json(struct({', '.join(values)}), map('ignoreNullFields', 'false'))" if values else "'{}'"


def _by_condition(frames: Frames, state: State, step: Step) -> tuple[dict[int, Row | None], list[Row]]:
    new = _changed(state, step["set"]) if step["do"] == "update" else "NULL"
    with applied(frames.spark, FIXED):
        found = frames.spark.sql(f"SELECT _rid, {new} AS new FROM m WHERE {step['where']}").collect()
    return {row[0]: _updated(state, row[0], row[1]) for row in found}, []


def _updated(state: State, number: int, new: str | None) -> Row | None:
    return None if new is None else {**state.records[number].values, **json.loads(new)}


def _merge(frames: Frames, state: State, step: Step) -> tuple[dict[int, Row | None], list[Row]]:
    columns = [(n, STORED.get(d, d)) for n, d in step["columns"]]
    source = [{**row, "_sid": str(i)} for i, row in enumerate(step["rows"])]
    frames.of([*((n, d) for n, d in step["columns"]), ("_sid", "int")], source).createOrReplaceTempView("numbered")
    present = {"matched": "t._rid IS NOT NULL AND s._sid IS NOT NULL", "missing": "t._rid IS NULL"}
    action, new = [], []
    for i, clause in enumerate(step["clauses"]):
        when = f"{present.get(clause['when'], 's._sid IS NULL')} AND ({clause['if'] or 'true'})"
        sets = clause["set"]
        if clause["then"] == "update *":
            sets = {column: f"s.{name(column)}" for column, _ in columns}
        action.append(f"WHEN {when} THEN {i}")
        new.append(f"WHEN {i} THEN {_changed(state, sets) if clause['then'].startswith('update') else 'NULL'}")
    query = (
        f"SELECT t._rid, s._sid, CASE {' '.join(action)} END AS a, "
        f"CASE CASE {' '.join(action)} END {' '.join(new)} END AS new "
        f"FROM m t FULL OUTER JOIN numbered s ON {step['on']}"
    )
    with applied(frames.spark, FIXED):
        found = frames.spark.sql(query).collect()
    return _applied(state, step, found)


def _applied(state: State, step: Step, found: list[Any]) -> tuple[dict[int, Row | None], list[Row]]:
    updates: dict[int, Row | None] = {}
    inserts: list[Row] = []
    matched: set[int] = set()
    for rid, sid, action, new in found:
        if rid is not None and sid is not None:
            if rid in matched:
                raise Ambiguous
            matched.add(rid)
        if action is None:
            continue
        then = step["clauses"][action]["then"]
        if then.startswith("insert"):
            inserts.append(dict(step["rows"][sid]))
        else:
            updates[rid] = None if then == "delete" else _updated(state, rid, new)
    return updates, inserts
