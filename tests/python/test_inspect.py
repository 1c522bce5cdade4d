"""The readers that need no Spark, on every golden table."""

from __future__ import annotations

import json
import tarfile
from collections import Counter
from pathlib import Path

import pytest
from calls import counted

from hudilite import inspect
from hudilite.inspect import NoTable
from hudilite.inspect.folder import parse_properties

ARCHIVE = Path(__file__).parent.parent / "golden" / "golden.tar.gz"
VERSIONS = ("-v6", "-v8", "-v9")


def scenarios() -> list[str]:
    with tarfile.open(ARCHIVE) as archive:
        names = {member.name.removeprefix("./").split("/")[0] for member in archive}
    return sorted(name for name in names if name.endswith(VERSIONS))


def lines(root: Path, scenario: str, name: str) -> list[dict[str, str]]:
    return [json.loads(line) for line in (root / scenario / "expect" / name).read_text().splitlines()]


@pytest.mark.parametrize("scenario", scenarios())
def test_files_hold_as_many_rows_as_the_read_optimized_answer_in_each_partition(
    golden_root: Path, scenario: str
) -> None:
    answer = "read_optimized.jsonl"
    if not (golden_root / scenario / "expect" / answer).exists():
        answer = "snapshot.jsonl"
    expected = Counter(row["_hoodie_partition_path"] for row in lines(golden_root, scenario, answer))
    found: Counter[str] = Counter()
    for file in inspect.files(str(golden_root / scenario / "table")):
        found[file.partition] += file.rows
    assert +found == expected


@pytest.mark.parametrize("scenario", scenarios())
def test_timeline_names_every_instant_once_in_its_newest_state(golden_root: Path, scenario: str) -> None:
    instants = inspect.timeline(str(golden_root / scenario / "table"))
    facts = json.loads((golden_root / scenario / "expect" / "facts.json").read_text())
    assert instants, "a golden table has at least one commit"
    assert {i.file for i in instants} <= set(facts["timeline"])
    assert len({(i.time, i.action) for i in instants}) == len(instants)
    assert [i.time for i in instants] == sorted(i.time for i in instants)


@pytest.mark.parametrize("version", [6, 8, 9])
def test_history_counts_what_each_write_did(golden_root: Path, version: int) -> None:
    history = inspect.history(str(golden_root / f"cow-basic-v{version}" / "table"))
    assert [c.operation for c in history] == ["DELETE", "UPSERT", "INSERT"]
    assert history[0].deletes == 4
    assert (history[2].rows, history[2].inserts, history[2].partitions) == (40, 40, 3)
    assert all((c.completion_time is None) == (version == 6) for c in history)


@pytest.mark.parametrize("version", [6, 8, 9])
def test_history_lists_the_timeline_once_and_reads_each_commit_once(golden_root: Path, version: int) -> None:
    with counted() as calls:
        commits = len(inspect.history(str(golden_root / f"cow-basic-v{version}" / "table")))
    assert calls == {"list": 1, "get": 1 + commits}  # the properties, too


def test_files_lists_each_folder_once_and_reads_each_footer_at_most_twice(golden_root: Path) -> None:
    with counted() as calls:
        files = inspect.files(str(golden_root / "cow-basic-v9" / "table"))
    assert calls["list"] <= 2 + len({file.partition for file in files})
    assert calls["get"] <= 1 + 2 * len(files) + 3, calls


def test_files_leaves_out_replaced_file_groups(golden_root: Path) -> None:
    path = str(golden_root / "insert-overwrite-v9" / "table")
    assert sum(c.replaced for c in inspect.history(path)) == 1
    assert len(inspect.files(path)) == 3


def test_files_names_the_key_range_of_the_footer(golden_root: Path) -> None:
    first = inspect.files(str(golden_root / "cow-basic-v9" / "table"))[0]
    assert first.partition == "2026-01-01"
    assert first.min_key == "k1-0002"
    assert first.max_key == "k1-0041"


def test_a_path_without_a_table_is_named(tmp_path: Path) -> None:
    with pytest.raises(NoTable, match=r"no \.hoodie/hoodie\.properties"):
        inspect.timeline(str(tmp_path))


def test_properties_are_unescaped_as_java_escapes_them() -> None:
    text = "#comment\n\na=1\nkey\\:x = c\\=d\\u00e9\\\\e\n! other\nempty=\n"
    assert parse_properties(text) == {"a": "1", "key:x": "c=dé\\e", "empty": ""}


def test_properties_may_have_other_separators_and_lines_that_go_on() -> None:
    text = "a:1\r\nb 2\n  c  =  x\\\n   y\nd\\ e==f\ng\n#h\\\ni=\\t\\f"
    assert parse_properties(text) == {"a": "1", "b": "2", "c": "xy", "d e": "=f", "g": "", "i": "\t\f"}
