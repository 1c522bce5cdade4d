"""The second independent reader: hudi-rs, which shares no code with Apache Hudi."""

from __future__ import annotations

from pathlib import Path

import pytest
import rows


def rows_of(table: Path) -> list[str]:
    """A snapshot read by hudi-rs without meta columns; skips the test when the package is not installed."""
    library = pytest.importorskip("hudi", reason="hudi-rs is not installed")
    arrow = pytest.importorskip("pyarrow")
    batches = library.HudiTableBuilder.from_base_uri(str(table)).build().read()
    if not batches:
        return []
    found = arrow.Table.from_batches(batches)
    return rows.lines(found.drop_columns([name for name in rows.META if name in found.column_names]).to_pylist())
