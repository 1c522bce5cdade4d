"""The tables that statements start from: each made once a run, by two writes, and copied for every use."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from pyspark.sql import SparkSession


@dataclass(frozen=True)
class Template:
    """A table by what creates it, and the statements that fill it; `rows` are those that it has then."""

    columns: str
    facts: str
    writes: tuple[str, ...]
    rows: tuple[tuple[object, ...], ...]

    def create(self, table: str, place: str = "") -> str:
        """The statement that makes it, empty."""
        return f"CREATE TABLE {table} ({self.columns}) USING hudilite {self.facts} {place}"


_FILLED = (
    "INSERT INTO {} VALUES (1, 'a', 1.0D, 'one'), (2, 'a', 0.5D, 'old')",
    "MERGE INTO {} t USING (SELECT * FROM VALUES (2, 'a', 2.0D, 'two'), (3, 'b', 3.0D, NULL) AS s(id, day, v, name)) s "
    "ON t.id = s.id AND t.day = s.day WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *",
)
_ROWS = ((1, "a", 1.0, "one"), (2, "a", 2.0, "two"), (3, "b", 3.0, None))
_COLUMNS = "id INT, day STRING, v DOUBLE, name STRING"

TEMPLATES = {
    "cow": Template(_COLUMNS, "PARTITIONED BY (day) TBLPROPERTIES (primaryKey = 'id')", _FILLED, _ROWS),
    "mor": Template(
        _COLUMNS,
        "PARTITIONED BY (day) TBLPROPERTIES (primaryKey = 'id', preCombineField = 'v', type = 'mor')",
        _FILLED,
        _ROWS,
    ),
    "keyless": Template(_COLUMNS, "PARTITIONED BY (day)", _FILLED, _ROWS),
    "keyless_mor": Template(_COLUMNS, "TBLPROPERTIES (type = 'mor')", _FILLED, _ROWS),
    "timed": Template(
        "id INT, at TIMESTAMP, v STRING",
        "PARTITIONED BY (at) TBLPROPERTIES (primaryKey = 'id')",
        (
            "INSERT INTO {} "
            "VALUES (1, TIMESTAMP '2026-01-31 10:00:00.000001', 'one'), (2, TIMESTAMP '2026-01-31 10:00:00', 'old')",
            "MERGE INTO {} t USING (SELECT 2 AS id, TIMESTAMP '2026-01-31 10:00:00' AS at) s "
            "ON t.id = s.id AND t.at = s.at WHEN MATCHED THEN UPDATE SET v = 'two'",
        ),
        ((1, "2026-01-31 10:00:00.000001", "one"), (2, "2026-01-31 10:00:00", "two")),
    ),
    "nested": Template(
        "id INT, st STRUCT<x: INT, y: STRING>, list ARRAY<INT>, map MAP<STRING, INT>, dec DECIMAL(10, 2), at DATE",
        "TBLPROPERTIES (primaryKey = 'id')",
        (
            "INSERT INTO {} "
            "VALUES (1, named_struct('x', 1, 'y', 'p'), array(1, 2), map('k', 1), 1.25, DATE '2026-01-31')",
            "INSERT INTO {} VALUES (2, named_struct('x', 2, 'y', NULL), array(), NULL, NULL, NULL)",
        ),
        ((1, (1, "p"), [1, 2], {"k": 1}, "1.25", "2026-01-31"), (2, (2, None), [], None, None, None)),
    ),
}

#: Rows of the view `src`, from which statements write.
SOURCE = "VALUES (2, 'a', 20.0D, 'TWO'), (4, 'c', 4.0D, 'four') AS s(id, day, v, name)"


def make(spark: SparkSession, template: Template, folder: Path) -> None:
    """Writes the table of a template to a folder."""
    table = f"hudilite.`{folder}`"
    spark.sql(template.create(table))
    for write in template.writes:
        spark.sql(write.format(table))
