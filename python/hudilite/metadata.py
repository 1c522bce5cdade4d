"""What tables tell of themselves, as tables (docs/procedures.md)."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from hudilite.tables import HudiliteTable


def metadata_table(table: HudiliteTable, name: str) -> DataFrame:
    """A metadata table of a table, such as its ``history``; by plain SQL, so through Spark Connect, too."""
    quoted = table.path.replace("`", "``")
    return table.spark.table(f"hudilite.`{quoted}`.{name}")
