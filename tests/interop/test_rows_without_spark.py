"""Rows by hudi-rs alone: right, or refused."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from rows import META, line, read_lines

from hudilite import condition_of, inspect

pytest.importorskip("hudi", reason="hudi-rs is not installed")


def _spelt(row: dict[str, Any]) -> str:
    """hudi-rs says that times are of UTC, and has maps as pairs."""
    plain = {name: dict(value) if name == "m" and value is not None else value for name, value in row.items()}
    return line(plain).replace("+00:00", "")


def test_each_golden_table_has_the_rows_that_hudi_reads_or_is_refused(golden_root: Path) -> None:
    read = []
    for case in sorted(golden_root.iterdir()):
        answer = case / "expect" / "snapshot.jsonl"
        if not answer.exists():
            continue
        try:
            found = inspect.to_arrow(str(case / "table")).to_pylist()
        except NotImplementedError as e:
            assert condition_of(e) == "STATEMENT_NOT_SUPPORTED", case.name
            continue
        expected = [{n: v for n, v in json.loads(row).items() if n not in META} for row in read_lines(answer)]
        assert sorted(map(_spelt, found)) == sorted(map(line, expected)), case.name
        read.append(case.name)
    assert len(read) > 40 and {"cow-basic-v6", "mor-compacted-v9", "schema-evolved-v9"} & set(read)
