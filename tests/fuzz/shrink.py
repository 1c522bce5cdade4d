"""Cuts a failing case down: fewer steps, queries, rows and columns that still give a wrong answer."""

from __future__ import annotations

import shutil
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from pyspark.sql import SparkSession

from fuzz.compared import Difference
from fuzz.life import Life
from fuzz.steps import Case
from fuzz.tables import Spec


def report(spark: SparkSession, case: Case, difference: Difference, folder: Path, seconds: float) -> str:
    """Report for a person: the wrong answer, the shortest case that still gives one, and how to run it again."""
    shorter, last = shrunk(spark, case, difference, folder, seconds)
    return (
        f"\n===== seed {case.seed}: {difference}\n\n===== the shortest case that was found: {last}\n{shorter.text()}\n"
        f"===== save it as case.json and run: make fuzz CASE=case.json; the whole one: make fuzz SEED={case.seed}\n"
    )


def shrunk(
    spark: SparkSession, case: Case, difference: Difference, folder: Path, seconds: float
) -> tuple[Case, Difference]:
    """A shorter case and its difference, as far as the time allows."""
    end, number = time.monotonic() + seconds, 0
    found = True
    while found and time.monotonic() < end:
        found = False
        for shorter in candidates(case):
            if time.monotonic() > end:
                break
            number += 1
            place = folder / str(number)
            try:
                Life(spark, shorter, place).live()
            except Difference as other:
                case, difference, found = shorter, other, True
                break
            finally:
                shutil.rmtree(place, ignore_errors=True)
    return case, difference


def candidates(case: Case) -> Iterator[Case]:
    """Cases that are a little shorter, the shortest first."""
    steps = case.steps
    size = len(steps) // 2
    while size:
        for start in range(len(steps) - size, -1, -size):
            # Later steps than a replacement are about the table that it makes.
            if start + size < len(steps) and any(step["do"] == "replace" for step in steps[start : start + size]):
                continue
            yield replace(case, steps=steps[:start] + steps[start + size :])
        size //= 2
    for number, step in enumerate(steps):
        for key, least in (("queries", 1), ("counts", 1), ("rows", 1), ("clauses", 1)):
            parts = step.get(key, [])
            size = len(parts) // 2
            while size >= 1 and len(parts) > least:
                for start in range(0, len(parts), size):
                    if rest := parts[:start] + parts[start + size :]:
                        yield replace(case, steps=[*steps[:number], {**step, key: rest}, *steps[number + 1 :]])
                size //= 2
        for key in ("settings", "options"):
            for name in step.get(key, {}):
                if not name.startswith(("hoodie.index", "hoodie.bucket")):
                    rest = {k: v for k, v in step[key].items() if k != name}
                    yield replace(case, steps=[*steps[:number], {**step, key: rest}, *steps[number + 1 :]])
    yield from narrower(case)


def narrower(case: Case) -> Iterator[Case]:
    """The case without one of its columns; queries that name it go with it."""
    replaced = [Spec.of(step["spec"]) for step in case.steps if step["do"] == "replace"]
    for column, _ in case.spec.columns:
        if any(column in spec.fixed for spec in (case.spec, *replaced)):
            continue
        steps = []
        for step in case.steps:
            for asked in ("queries", "counts"):
                if asked in step:
                    step = {**step, asked: [q for q in step[asked] if f"`{column}`" not in q]}
            if "columns" in step:
                rows = [{k: v for k, v in row.items() if k != column} for row in step["rows"]]
                step = {**step, "rows": rows, "columns": [c for c in step["columns"] if c[0] != column]}
            if "spec" in step:
                left = [c for c in step["spec"]["columns"] if c[0] != column]
                step = {**step, "spec": {**step["spec"], "columns": left}}
            steps.append(step)
        if all(f"`{column}`" not in str(step) for step in steps):
            yield replace(
                case, spec=replace(case.spec, columns=[c for c in case.spec.columns if c[0] != column]), steps=steps
            )
