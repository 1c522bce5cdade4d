"""hudilite reads every golden table exactly as Apache Hudi does."""

from __future__ import annotations

import json
import tarfile
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import layout
import pytest
import rows
from engines import AS_OF, BEGIN, QUERY_TYPE, SELF_CHECK, URL_ENCODE, Engine
from rows import META, read_lines, rows_with_keys

import hudilite

ARCHIVE = Path(__file__).parent.parent / "golden" / "golden.tar.gz"


def facts_of_all() -> dict[str, dict[str, Any]]:
    """Case name to the facts that were stored with it."""
    with tarfile.open(ARCHIVE) as archive:
        members = [m for m in archive.getmembers() if m.name.endswith("/expect/facts.json")]
        return {Path(m.name).parts[-3]: json.load(archive.extractfile(m)) for m in members}  # type: ignore[arg-type]


FACTS = facts_of_all()


def cases_with(answer: str) -> list[str]:
    """The cases for which Apache Hudi has this answer."""
    with tarfile.open(ARCHIVE) as archive:
        return sorted(Path(name).parts[-3] for name in archive.getnames() if name.endswith(f"/expect/{answer}.jsonl"))


def is_merge_on_read(case: str) -> bool:
    """Return true if the table has log files."""
    return FACTS[case]["options"].get("hoodie.datasource.write.table.type") == "MERGE_ON_READ"


CASES = sorted(FACTS)
MERGE_ON_READ = [case for case in CASES if is_merge_on_read(case)]


def test_the_archive_holds_all_scenarios() -> None:
    assert len(FACTS) == 79
    assert 0 < len(MERGE_ON_READ) < len(CASES)


@pytest.mark.parametrize("case", CASES)
def test_a_snapshot_has_the_rows_that_hudi_reads(lite: Engine, golden_root: Path, case: str) -> None:
    found = lite.read(golden_root / case / "table")
    assert rows_with_keys(found) == read_lines(golden_root / case / "expect" / "snapshot.jsonl")


@pytest.mark.parametrize("case", cases_with("restored"))
def test_a_state_that_hudi_saved_is_read_and_restored_as_by_hudi(
    lite: Engine, golden_root: Path, golden_copy: Callable[[str], Path], case: str
) -> None:
    path, expect = golden_copy(case), golden_root / case / "expect"
    table = hudilite.table(lite.spark, str(path))
    (saved,) = table.savepoints()
    assert (saved.by, saved.comment, saved.instant) == (
        "golden",
        "before the changes",
        layout.writes(path)[1].requested,
    )
    for number, write in enumerate(layout.writes(path)):
        as_of = lite.read(path, **{AS_OF: write.requested})
        assert rows_with_keys(as_of) == read_lines(expect / f"as_of_{number}.jsonl"), write
    lite.write(lite.read(path).limit(7).selectExpr("id", "99L ts", "dt", "colour", "price", "n"), path)
    assert lite.read(path).where("ts = 99").count() == 7
    assert len(table.restore(saved.instant).writes) == 2
    assert rows_with_keys(lite.read(path)) == read_lines(expect / "restored.jsonl")


@pytest.mark.parametrize("case", CASES)
def test_the_columns_are_the_ones_of_hudi_without_its_meta_columns(lite: Engine, golden_root: Path, case: str) -> None:
    expected = [
        (field["name"], field["type"]) for field in FACTS[case]["schema"]["fields"] if field["name"] not in META
    ]
    found = lite.read(golden_root / case / "table").schema.jsonValue()["fields"]
    assert [(field["name"], field["type"]) for field in found if field["name"] not in META] == expected


@pytest.mark.parametrize("case", cases_with("incremental"))
def test_an_incremental_read_has_the_rows_that_hudi_reads(lite: Engine, golden_root: Path, case: str) -> None:
    begin = FACTS[case]["incremental_begin"]
    expected = read_lines(golden_root / case / "expect" / "incremental.jsonl")
    if FACTS[case]["options"].get(URL_ENCODE) == "true" and not SELF_CHECK:
        expected = sorted(decoded(line) for line in expected)
    found = lite.read(golden_root / case / "table", **{QUERY_TYPE: "incremental", BEGIN: begin})
    assert rows_with_keys(found) == expected


def decoded(line: str) -> str:
    """The line with the values that the files hold.

    Apache Hudi's incremental query fills partition columns from folder names and leaves them encoded, unlike its
    snapshot query of the same table; hudilite reads the stored values in both.
    """
    row = json.loads(line)
    return rows.line({**row, "city": row["city"] and unquote(row["city"])})


@pytest.mark.parametrize("case", CASES)
def test_the_rows_carry_their_commit_times(lite: Engine, golden_root: Path, case: str) -> None:
    found = lite.read(golden_root / case / "table").select("_hoodie_commit_time").distinct().collect()
    assert sorted(row[0] for row in found) == FACTS[case]["commit_times_in_rows"]


@pytest.mark.parametrize("case", ["cow-basic-v6", "cow-basic-v9", "mor-logs-v6", "mor-logs-v9"])
@pytest.mark.parametrize(
    ("condition", "keep"),
    [
        ("dt = '2026-01-02'", lambda r: r["dt"] == "2026-01-02"),
        ("id = 'k1-0002'", lambda r: r["id"] == "k1-0002"),
        ("id in ('k1-0002', 'k1-0005', 'nobody')", lambda r: r["id"] in ("k1-0002", "k1-0005")),
        ("colour is null", lambda r: r["colour"] is None),
        ("colour = 'blüe' and ts >= 2", lambda r: r["colour"] == "blüe" and r["ts"] >= 2),
        ("price < 20 or dt = '2026-01-01'", lambda r: r["price"] < 20 or r["dt"] == "2026-01-01"),
        ("dt > '2027'", lambda r: False),
        ("_hoodie_record_key = 'k1-0002'", lambda r: r["id"] == "k1-0002"),
        ("_hoodie_partition_path = '2026-01-03'", lambda r: r["dt"] == "2026-01-03"),
    ],
)
def test_a_filter_keeps_the_same_rows_as_python(
    lite: Engine, golden_root: Path, case: str, condition: str, keep: Any
) -> None:
    lines = read_lines(golden_root / case / "expect" / "snapshot.jsonl")
    expected = [line for line in lines if keep(json.loads(line))]
    found = lite.read(golden_root / case / "table").where(condition)
    assert rows_with_keys(found) == expected
    assert lite.read(golden_root / case / "table").where(condition).count() == len(expected)


@pytest.mark.parametrize("case", MERGE_ON_READ)
def test_a_read_optimized_query_has_the_rows_that_hudi_reads(lite: Engine, golden_root: Path, case: str) -> None:
    found = lite.read(golden_root / case / "table", **{QUERY_TYPE: "read_optimized"})
    assert rows_with_keys(found) == read_lines(golden_root / case / "expect" / "read_optimized.jsonl")
