"""A handle on one table, for what is shorter to say with a name than with options."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from hudilite import inspect

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession


@dataclass(frozen=True)
class HudiliteTable:
    """A table at a path: its rows through Spark, its timeline and files read directly.

    Attributes
    ----------
    spark
        The session that reads the rows.
    path
        Base path of the table.
    """

    spark: SparkSession
    path: str

    def rows(self, as_of: str | None = None) -> DataFrame:
        """Rows of the newest snapshot, or of the one at an instant.

        Parameters
        ----------
        as_of
            An instant, or a time such as ``2024-01-31 12:00:00``.

        Returns
        -------
        DataFrame
            The table's columns; Hudi's ``_hoodie_*`` columns can be selected by name.
        """
        reader = self.spark.read.format("hudilite")
        return (reader.option("as.of.instant", as_of) if as_of else reader).load(self.path)

    def changes(self, begin: str, end: str | None = None) -> DataFrame:
        """Rows that commits after ``begin`` wrote, up to and with ``end``.

        Parameters
        ----------
        begin
            Completion time (table versions 8 and 9) or instant (version 6); what it names is not part of the answer.
        end
            The last one that is part of the answer; the newest by default.

        Returns
        -------
        DataFrame
            The table's columns, each row in its newest state of the range.
        """
        reader = (
            self.spark.read.format("hudilite")
            .option("hoodie.datasource.query.type", "incremental")
            .option("hoodie.datasource.read.begin.instanttime", begin)
        )
        if end is not None:
            reader = reader.option("hoodie.datasource.read.end.instanttime", end)
        return reader.load(self.path)

    def timeline(self) -> list[inspect.Instant]:
        """All instants of the active timeline, oldest first."""
        return inspect.timeline(self.path)

    def history(self, limit: int | None = None) -> list[inspect.Commit]:
        """Completed writes with what they did, newest first."""
        return inspect.history(self.path)[:limit]

    def files(self) -> list[inspect.DataFile]:
        """Base files of the newest snapshot."""
        return inspect.files(self.path)
