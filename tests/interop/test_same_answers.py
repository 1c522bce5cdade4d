"""The golden tables, queried by both engines in ways that the stored answers do not cover."""

from __future__ import annotations

from pathlib import Path

import layout
import pytest
from engines import AS_OF, BEGIN, END, QUERY_TYPE, Engine
from rows import rows_with_keys_of_each

SCENARIOS = ["cow-basic", "cow-nonpartitioned", "insert-overwrite", "clustered", "global-index", "bucket-cow"]
# Versions 8 and 9 have one timeline and one layout of files, so that a scenario comes in one of them.
CASES = [f"{scenario}-v{version}" for at, scenario in enumerate(SCENARIOS) for version in (6, 8 + at % 2)]


@pytest.mark.parametrize("case", CASES)
def test_time_travel_to_every_instant(lite: Engine, real: Engine, golden_root: Path, case: str) -> None:
    table = golden_root / case / "table"
    points = sorted({point for instant in layout.writes(table) for point in (instant.requested, instant.completed)})
    compare(lite, real, table, [{AS_OF: point} for point in points])


@pytest.mark.parametrize("case", CASES)
def test_incremental_windows_between_instants(lite: Engine, real: Engine, golden_root: Path, case: str) -> None:
    table = golden_root / case / "table"
    points = sorted({"0"} | {p for i in layout.writes(table) for p in (i.requested, i.completed)})
    windows = []
    for first, begin in enumerate(points):
        # Where a window begins and where it ends do not depend on each other: the first point with all, the others with
        # the next two, which are of either kind, and with the last.
        ends = points[first + 1 :]
        chosen = sorted({*ends[:2], *ends[-1:]}) if first else ends
        windows += [{QUERY_TYPE: "incremental", BEGIN: begin, END: end} for end in chosen]
    compare(lite, real, table, windows)


def compare(lite: Engine, real: Engine, table: Path, asked: list[dict[str, str]]) -> None:
    """Both engines answer alike with each of these options."""
    found, wanted = (rows_with_keys_of_each([e.read(table, **options) for options in asked]) for e in (lite, real))
    assert [*zip(asked, found, strict=True)] == [*zip(asked, wanted, strict=True)]
