"""The tables that statements start from: each made once a run, by two writes, and copied for every use.

The first write of a partitioned table is a DataFrame's. So its partition column stands among the others, and its
folders have no column in their names: CREATE TABLE makes such tables no more.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from pyspark.sql import SparkSession


@dataclass(frozen=True)
class Template:
    """A table by what creates it, and what fills it.

    first
        The first rows, as VALUES has them.
    then
        The statement that writes more.
    rows
        The rows that it has then.
    """

    columns: str
    properties: dict[str, str]
    first: str
    then: str
    rows: tuple[tuple[object, ...], ...]
    partition: str | None = None

    def create(self, table: str, place: str = "") -> str:
        """The statement that makes it, empty."""
        by = "" if self.partition is None else f"PARTITIONED BY ({self.partition})"
        facts = ", ".join(f"{key} = '{value}'" for key, value in self.properties.items())
        properties = f"TBLPROPERTIES ({facts})" if facts else ""
        return f"CREATE TABLE {table} ({self.columns}) USING hudilite {by} {properties} {place}"


#: Options of a DataFrame for the properties above.
_OPTIONS = {
    "primaryKey": "hoodie.datasource.write.recordkey.field",
    "preCombineField": "hoodie.datasource.write.precombine.field",
    "type": "hoodie.datasource.write.table.type",
}
_FILLED = (
    "(1, 'a', 1.0D, 'one'), (2, 'a', 0.5D, 'old')",
    "MERGE INTO {} t USING (SELECT * FROM VALUES (2, 'a', 2.0D, 'two'), (3, 'b', 3.0D, NULL) AS s(id, day, v, name)) s "
    "ON t.id = s.id AND t.day = s.day WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *",
)
_ROWS = ((1, "a", 1.0, "one"), (2, "a", 2.0, "two"), (3, "b", 3.0, None))
_COLUMNS = "id INT, day STRING, v DOUBLE, name STRING"

TEMPLATES = {
    "cow": Template(_COLUMNS, {"primaryKey": "id"}, *_FILLED, _ROWS, "day"),
    "mor": Template(_COLUMNS, {"primaryKey": "id", "preCombineField": "v", "type": "mor"}, *_FILLED, _ROWS, "day"),
    "keyless": Template(_COLUMNS, {}, *_FILLED, _ROWS, "day"),
    "keyless_mor": Template(_COLUMNS, {"type": "mor"}, *_FILLED, _ROWS),
    "timed": Template(
        "id INT, at TIMESTAMP, v STRING",
        {"primaryKey": "id"},
        "(1, TIMESTAMP '2026-01-31 10:00:00.000001', 'one'), (2, TIMESTAMP '2026-01-31 10:00:00', 'old')",
        "MERGE INTO {} t USING (SELECT 2 AS id, TIMESTAMP '2026-01-31 10:00:00' AS at) s "
        "ON t.id = s.id AND t.at = s.at WHEN MATCHED THEN UPDATE SET v = 'two'",
        ((1, "2026-01-31 10:00:00.000001", "one"), (2, "2026-01-31 10:00:00", "two")),
        "at",
    ),
    "nested": Template(
        "id INT, st STRUCT<x: INT, y: STRING>, list ARRAY<INT>, map MAP<STRING, INT>, dec DECIMAL(10, 2), at DATE",
        {"primaryKey": "id"},
        "(1, named_struct('x', 1, 'y', 'p'), array(1, 2), map('k', 1), 1.25, DATE '2026-01-31')",
        "INSERT INTO {} VALUES (2, named_struct('x', 2, 'y', NULL), array(), NULL, NULL, NULL)",
        ((1, (1, "p"), [1, 2], {"k": 1}, "1.25", "2026-01-31"), (2, (2, None), [], None, None, None)),
    ),
}

#: Rows of the view `src`, from which statements write.
SOURCE = "VALUES (2, 'a', 20.0D, 'TWO'), (4, 'c', 4.0D, 'four') AS s(id, day, v, name)"


def make(spark: SparkSession, template: Template, folder: Path) -> None:
    """Writes the table of a template to a folder."""
    table = f"hudilite.`{folder}`"
    if template.partition is None:
        spark.sql(template.create(table))
        spark.sql(f"INSERT INTO {table} VALUES {template.first}")
    else:
        names = ", ".join(column.split()[0] for column in template.columns.split(", "))
        types = {"mor": "MERGE_ON_READ"}
        options = {_OPTIONS[key]: types.get(value, value) for key, value in template.properties.items()}
        first = spark.sql(f"SELECT * FROM VALUES {template.first} AS t({names})").write.format("hudilite")
        first = first.option("hoodie.datasource.write.operation", "insert").partitionBy(template.partition)
        first.options(**options).mode("append").save(str(folder))
    spark.sql(template.then.format(table))
