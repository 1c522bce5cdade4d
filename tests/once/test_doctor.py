"""The doctor through the Python front door and the command line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from engines import Engine, Shape, frame, record

import hudilite
from hudilite import cli


def test_what_is_wrong_is_told_and_mended(lite: Engine, path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lite.write(frame(lite.spark, [record("k", 0, "2026-01-01")]), path, **Shape(9).options())
    table = hudilite.table(lite.spark, str(path))
    assert table.doctor() == [] and table.doctor(fix=True) == []

    (marker,) = path.rglob(".hoodie_partition_metadata")
    marker.unlink()
    (path / ".hoodie" / ".hoodie.properties.crc").unlink(missing_ok=True)
    properties = path / ".hoodie" / "hoodie.properties"
    (path / ".hoodie" / "hoodie.properties.backup").write_bytes(properties.read_bytes())
    properties.write_bytes(properties.read_bytes()[:100])
    found = table.doctor()
    assert [f.kind for f in found] == ["DAMAGED_PROPERTIES", "UNMARKED_PARTITION"]
    assert all(f.mendable and not f.mended for f in found) and not marker.exists()

    assert cli.main(["doctor", str(path), "--fix", "--json"]) == 0
    mended = json.loads(capsys.readouterr().out)
    assert [(f["subject"], f["mended"]) for f in mended] == [(f.subject, True) for f in found]
    assert table.doctor() == [] and table.rows().count() == 1


def test_keys_with_several_rows_in_a_partition_are_told_when_all_are_read(
    lite: Engine, path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    options = Shape(9).options() | {"hoodie.datasource.write.operation": "insert"}
    for keys in (["a", "b"], ["b", "c"]):
        lite.write(frame(lite.spark, [record(k, 0, "2026-01-01") for k in keys]), path, **options)
    lite.write(frame(lite.spark, [record("a", 0, "2026-01-02")]), path, **options)
    table = hudilite.table(lite.spark, str(path))
    assert table.doctor() == []
    (found,) = table.doctor(deep=True)
    assert (found.kind, found.mendable) == ("REPEATED_KEYS", False)
    assert "1 key has 2 rows: b." in found.what and "2026-01-01" in found.subject
    assert cli.main(["doctor", str(path), "--deep", "--json"]) == 0
    assert [f["kind"] for f in json.loads(capsys.readouterr().out)] == ["REPEATED_KEYS"]


def test_a_table_without_a_metadata_table_has_none_to_differ(lite: Engine, path: Path) -> None:
    lite.write(frame(lite.spark, [record("k", 0, "2026-01-01")]), path, **Shape(9).options())
    assert hudilite.table(lite.spark, str(path)).validate_metadata() == []
