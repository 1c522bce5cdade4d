"""The page about a table: complete in itself, and right."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import pytest
from pyspark.sql import SparkSession
from test_face import Balanced

import hudilite
from hudilite import cli, wording
from hudilite.inspect.folder import Folder
from hudilite.inspect.groups import FileGroup, groups
from hudilite.inspect.instants import Commit, Instant, instants
from hudilite.report import advice, charts, page, sources
from hudilite.report.facts import Facts, KeyRange, depth

MIB = 1024 * 1024


def text_of(html: str) -> str:
    """Text of the page; its elements are closed in order, and its drawings are XML."""
    body = re.sub(r"<!DOCTYPE html>|<meta[^>]*>|<style>.*?</style>", "", html, flags=re.DOTALL)
    for drawing in re.findall(r"<svg.*?</svg>", html, re.DOTALL):
        ElementTree.fromstring(drawing)
    return " ".join(" ".join(Balanced(re.sub(r"<svg.*?</svg>", "", body, flags=re.DOTALL)).said).split())


def facts(partitions: int = 1, **changes: object) -> Facts:
    """Facts of a table of which nothing is to be said."""
    time = "20260101120000000"
    paths = [f"p{n:03d}" for n in range(partitions)] if partitions > 1 else [""]
    properties = {"hoodie.table.name": "t", "hoodie.table.type": "MERGE_ON_READ", "hoodie.table.recordkey.fields": "id"}
    if partitions > 1:
        properties["hoodie.table.partition.fields"] = "p"
    plain = Facts(
        path="/t",
        properties=properties,
        timeline=[Instant(time, "deltacommit", "completed", time, f"{time}_{time}.deltacommit")],
        commits=[Commit(time, time, "deltacommit", "UPSERT", partitions, partitions, 1, 1, 0, 0, 9, 0)],
        groups=[FileGroup(path, f"ab{n}-0", time, "f", 120 * MIB, 0, 0) for n, path in enumerate(paths)],
        key_ranges=[KeyRange(path, f"ab{n}-0", 10, "a", "z") for n, path in enumerate(paths)],
        ranges_left_out="",
    )
    return replace(plain, **changes)  # type: ignore[arg-type]


def test_file_groups_are_those_that_the_jvm_finds(spark: SparkSession, golden_root: Path) -> None:
    scenarios = ["mor-logs-v6", "mor-logs-v9", "mor-compacted-v6", "mor-compacted-v9", "bucket-mor-v8",
                 "insert-overwrite-v6", "savepoint-rollback-v9", "unbegun-v8", "archived-v9", "cdc-v8"]  # fmt: skip
    for scenario in scenarios:
        path = str(golden_root / scenario / "table")
        folder = Folder(path)
        found = groups(folder, instants(folder))
        told = [FileGroup(**row.asDict()) for row in spark.table(f"hudilite.`{path}`.file_groups").collect()]
        assert found == sorted(told, key=lambda g: (g.partition, g.file_id)), scenario
        assert found, scenario


@pytest.mark.parametrize("version", ["6", "9"])
def test_logs_after_a_planned_compaction_are_on_the_slice_that_it_takes(
    spark: SparkSession, tmp_path: Path, version: str
) -> None:
    path = f"{tmp_path}/t"
    rows = spark.createDataFrame([(1, "a"), (2, "b")], "id int, v string").coalesce(1)
    keys = {"hoodie.table.name": "t", "hoodie.datasource.write.recordkey.field": "id",
            "hoodie.datasource.write.table.type": "MERGE_ON_READ", "hoodie.write.table.version": version}  # fmt: skip
    rows.write.format("hudilite").options(**keys).save(path)
    rows.where("id = 1").write.format("hudilite").mode("append").save(path)
    table = hudilite.table(spark, path)
    assert table.schedule_compaction()
    rows.where("id = 2").write.format("hudilite").mode("append").save(path)
    alone, by_spark = sources.without_spark(path), sources.with_spark(spark, path)
    assert alone == replace(by_spark, key_ranges=alone.key_ranges)
    assert [(g.log_files, g.base_file is None) for g in alone.groups] == [(2, False)]
    assert sorted(alone.key_ranges, key=str) == sorted(by_spark.key_ranges, key=str)
    said = text_of(table.report())
    assert "Run the planned compaction" in said and "1 of them not completed (hollow)" in said
    table.compact()
    assert not advice.planned_compactions(sources.without_spark(path))


def test_the_page_needs_nothing_from_elsewhere(golden_root: Path, tmp_path: Path) -> None:
    path = str(golden_root / "mor-logs-v9" / "table")
    file = str(tmp_path / "page.html")
    assert cli.main(["report", path, "--output", file]) == 0
    html = Path(file).read_text(encoding="utf-8")
    assert "<script" not in html and "@import" not in html
    assert not re.findall(r"""(?:src|href)=["'](?!#)|url\((?!#)""", html)
    said = text_of(html)
    for part in ("mor_logs", "What to do", "Timeline", "Commits", "Files", "By partition", "Logs", "Key ranges"):
        assert part in said
    assert html.count("<svg") == 6
    ids = re.findall(r' id="([^"]+)"', html)
    assert len(ids) == len(set(ids))
    assert not re.findall(r"#01010\d", html), "all colours are the page's"
    assert len(html) < 200_000


def test_a_page_is_made_of_any_table(golden_root: Path) -> None:
    for scenario in ("cow-nonpartitioned-v6", "bucket-mor-v9", "unbegun-v9", "archived-v8"):
        said = text_of(page.html(sources.without_spark(str(golden_root / scenario / "table"))))
        assert "Nothing: sizes, logs and timeline are as they should be." in said, scenario


def test_a_table_without_commits_has_a_page() -> None:
    said = text_of(page.html(facts(timeline=[], commits=[], groups=[], key_ranges=[])))
    for text in ("Nothing was written yet.", "no action in the active timeline", "no files in the newest snapshot"):
        assert text in said


def test_a_page_of_many_partitions_stays_short() -> None:
    many = facts(500)
    html = page.html(many)
    assert "and 460 more with 53.9 GiB" in text_of(html)
    assert len(html) < 500_000


def test_names_are_text() -> None:
    name = "<b>&\"'$x$\u0007"
    path = '<i>=&"$y$'
    odd = facts(2)
    odd = replace(
        odd,
        properties={**odd.properties, "hoodie.table.name": name, "hoodie.table.recordkey.fields": "<u>"},
        groups=[replace(g, partition=path, log_files=1, log_bytes=5) for g in odd.groups],
        key_ranges=[KeyRange(path, "f", 3, "<k1>", "&k2"), KeyRange(path, "g", 3, "\x00", "$$")],
    )
    html = page.html(odd)
    assert "<b>&" not in html and "<i>=" not in html and "<u>" not in html and "<k1>" not in html
    assert all(text in _plain(html) for text in ("$y$", "<i>=", "<u>", "<k1>", name[:9]))


def _plain(html: str) -> str:
    return " ".join(Balanced(re.sub(r"<!DOCTYPE html>|<meta[^>]*>", "", html)).said)


def test_each_fact_advises_what_it_should() -> None:
    def whats(of: Facts) -> list[str]:
        return [a.how for a in advice.of(of)]

    plain = facts()
    group, time = plain.groups[0], plain.commits[0].time
    later = [f"202601{day:02d}120000000" for day in range(2, 32)] + [
        f"202602{day:02d}120000000" for day in range(1, 29)
    ]
    many = [replace(plain.commits[0], time=at) for at in [time, *later, *(f"202603{d:02d}120000000" for d in (1, 2))]]
    done = [Instant(c.time, "deltacommit", "completed", c.time, "x.deltacommit") for c in many]
    clean = Instant("20260302130000000", "clean", "completed", None, "20260302130000000.clean")
    begun = Instant("20251231120000000", "deltacommit", "inflight", None, "20251231120000000.deltacommit.inflight")
    plan = Instant("20260102120000000", "commit", "requested", None, "20260102120000000.compaction.requested")
    small = [replace(group, file_id=f"ab{n}-0", base_bytes=MIB) for n in range(4)]
    ranges = [replace(plain.key_ranges[0], file_id=str(n)) for n in range(4)]
    assert whats(plain) == []
    assert whats(replace(plain, timeline=[*plain.timeline, plan])) == ["table.compact()"]
    assert whats(replace(plain, timeline=[begun, *plain.timeline])) == ["table.doctor()"]
    assert whats(replace(plain, groups=[replace(group, log_files=1, log_bytes=60 * MIB)])) == ["table.compact()"]
    assert whats(replace(plain, groups=[replace(group, log_files=6, log_bytes=MIB)])) == ["table.compact()"]
    assert whats(replace(plain, groups=[replace(group, log_files=5, log_bytes=MIB)])) == []
    assert whats(replace(plain, groups=small)) == ["table.cluster()"]
    assert whats(replace(plain, groups=small[:3])) == []
    assert whats(replace(plain, groups=[replace(g, file_id=f"0000000{n}-x") for n, g in enumerate(small)])) == []
    assert whats(replace(plain, key_ranges=ranges)) == ["table.cluster(sort_by=['id'])"]
    assert whats(replace(plain, commits=many, timeline=done)) == ["table.clean()", "table.archive()"]
    assert whats(replace(plain, commits=many, timeline=[*done, clean])) == ["table.archive()"]
    saved = Instant(time, "savepoint", "completed", None, f"{time}.savepoint")
    held = [f"table.delete_savepoint('{time}')"]
    assert whats(replace(plain, commits=many, timeline=[*done, clean, saved])) == held
    assert [
        a.what for a in advice.of(replace(facts(100), groups=[replace(g, base_bytes=MIB) for g in facts(100).groups]))
    ]


def test_columns_and_savepoints_are_shown(golden_root: Path) -> None:
    path = golden_root / "cow-basic-v9" / "table"
    said = text_of(page.html(sources.without_spark(str(path))))
    assert "Columns" in said and "record key" in said and "Savepoints" not in said
    plain = facts()
    saved = Instant("20260101120000000", "savepoint", "completed", None, "20260101120000000.savepoint")
    assert "Savepoints" in text_of(page.html(replace(plain, timeline=[*plain.timeline, saved])))


def test_bars_of_one_minute_are_told_apart() -> None:
    moments = [f"2026-01-02 03:04:0{n}" for n in (5, 6)]
    assert charts._apart(moments) == ["03:04:05", "03:04:06"]
    assert charts._apart([*moments, "2026-01-03 03:04:05"])[0] == "01-02 03:04:05"
    assert charts._apart([moments[0], "2026-01-02 03:05:00"]) == ["01-02 03:04", "01-02 03:05"]


def test_depth_is_the_number_of_files_that_may_hold_a_key() -> None:
    def ranges(*ends: str) -> list[KeyRange]:
        return [KeyRange("", str(n), 10, e[0], e[1]) for n, e in enumerate(ends)]

    assert depth(ranges("ab", "cd", "ef")) == 1.0
    assert depth(ranges("az", "az", "az")) == 3.0
    assert depth(ranges("ac", "bd")) == 1.5
    assert depth([]) == 0.0


def test_more_footers_than_a_report_reads_are_said(golden_root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = str(golden_root / "mor-logs-v9" / "table")
    monkeypatch.setattr(sources, "FOOTERS", 4)
    few = sources.without_spark(path)
    assert 0 < len(few.key_ranges) <= 4
    assert few.ranges_left_out in text_of(page.html(few)) and few.ranges_left_out


def test_a_report_without_matplotlib_says_how_to_get_it(
    golden_root: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    assert cli.main(["report", str(golden_root / "mor-logs-v9" / "table")]) == 1
    said = capsys.readouterr().err
    assert said.startswith("error: [PACKAGE_NOT_INSTALLED] A report needs the Python package matplotlib")
    assert said.count("\n") == 1 and "'hudilite[report]'" in said


def test_sizes_and_times_are_said_as_people_say_them() -> None:
    said = [wording.size(n) for n in (0, 1, 1023, 1024, 1536, 120 * MIB, 2**50, 2**70)]
    assert said == ["0 bytes", "1 bytes", "1,023 bytes", "1 KiB", "1.5 KiB", "120 MiB", "1 PiB", "1,048,576 PiB"]
    assert wording.moment("20260131235959001") == "2026-01-31 23:59:59"
    assert wording.moment("00000000000001") == "0000-00-00 00:00:01"
    assert [wording.number(n, "file") for n in (0, 1, 1204)] == ["0 files", "1 file", "1,204 files"]


def test_the_sources_agree(spark: SparkSession, golden_copy: Callable[[str], Path]) -> None:
    path = str(golden_copy("mor-compacted-v8"))
    alone, by_spark = sources.without_spark(path), sources.with_spark(spark, path)
    assert by_spark == replace(alone, key_ranges=by_spark.key_ranges)
    assert sorted(alone.key_ranges, key=str) == sorted(by_spark.key_ranges, key=str)
