"""A statement as users of Apache Hudi type it, and what it must give: rows, or an error in one line."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from pyspark.sql import DataFrame, SparkSession

RIDES = (
    (1, "r-1", "ann", "car-a", 19.10, "oslo"),
    (2, "r-2", "bob", "car-b", 27.70, "oslo"),
    (3, "r-3", "cy", "car-c", 33.90, "rome"),
    (4, "r-4", "dan", "car-d", 34.15, "pune"),
)
RIDES_COLUMNS = "ts BIGINT, ride STRING, who STRING, car STRING, fare DOUBLE, town STRING"
#: Options of Hudi's quick start, without a key and with one.
KEYLESS = {"hoodie.table.name": "rides", "hoodie.datasource.write.partitionpath.field": "town"}
KEYED = {
    **KEYLESS,
    "hoodie.datasource.write.recordkey.field": "ride",
    "hoodie.datasource.write.precombine.field": "ts",
}


@dataclass
class Place:
    """A story's table, `t` by name and `p` by path. Texts name them in braces; `{i}` is the newest instant of `t`."""

    spark: SparkSession
    t: str
    p: str

    def said(self, text: str) -> str:
        """The text with the story's table in it."""
        text = text.replace("{t}", self.t).replace("{p}", self.p)
        return text.replace("{i}", self.instant()) if "{i}" in text else text

    def instant(self) -> str:
        """The time of its newest write."""
        shown = self.spark.sql(f"CALL hudilite.system.show_commits(table => '{self.t}', limit => 1)")
        return str(shown.first()[0])  # type: ignore[index]

    def rides(self, *rows: tuple[Any, ...]) -> DataFrame:
        """A DataFrame of these rides, or of the first ones."""
        return self.spark.createDataFrame(list(rows or RIDES), RIDES_COLUMNS)

    def save(self, rows: DataFrame, options: dict[str, str], mode: str = "append") -> None:
        """A write to the path of the story, in whose options braces may stand."""
        said = {name: self.said(value) for name, value in options.items()}
        rows.write.format("hudilite").options(**said).mode(mode).save(self.p)

    def read(self, **options: str) -> DataFrame:
        """The table by path."""
        said = {name: self.said(value) for name, value in options.items()}
        return self.spark.read.format("hudilite").options(**said).load(self.p)


Do = str | Callable[[Place], Any]


@dataclass(frozen=True)
class Step:
    """A statement, or several, of which the last answers.

    names
        Its name in the list of statements; several where several places say the same.
    then
        The query that shows what it did.
    rows
        The answer: rows in any order, or their number.
    error, says
        The condition of the error, and a part of its line.
    otherwise
        The answer is right in hudilite's own terms, and another one than Apache Hudi's; an error is the answer that the
        statement asks for, where it is set with one.
    """

    names: str
    do: Do | Sequence[Do]
    then: str = ""
    rows: Sequence[object] | int | None = None
    error: str = ""
    says: str = ""
    otherwise: bool = False

    @property
    def is_as_expected(self) -> bool:
        """A user of Apache Hudi gets what its pages lead to."""
        return bool(self.error) == self.otherwise


@dataclass(frozen=True)
class Story:
    """Statements after each other on one table, in a session of their own.

    setup
        Statements before it, which are not judged.
    """

    name: str
    setup: Sequence[Do]
    steps: Sequence[Step]
