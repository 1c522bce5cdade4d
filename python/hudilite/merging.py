"""MERGE in the words of Delta Lake's Python API."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from hudilite import sql
from hudilite.arguments import checked, invalid

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

__all__ = ["MergeBuilder"]

#: Name of the source's rows in conditions and values, where ``alias`` has given it none.
SOURCE = "source"


def __dir__() -> list[str]:
    """Public names."""
    return __all__


@checked
class MergeBuilder:
    """A MERGE that is put together clause by clause, and run by :meth:`execute`.

    Each clause returns a new builder, so that what was put together before can be used again. The first clause of a
    kind whose condition holds is the one that counts for a row. Conditions and values are SQL, or columns of a classic
    session; names of the table's columns go behind its alias (``target`` unless :meth:`HudiliteTable.alias` says
    another), those of the source behind that of its DataFrame (``source`` unless ``DataFrame.alias`` says another).

    Examples
    --------
    >>> changes = spark.createDataFrame([(2, 9.0), (4, 1.0)], "id int, fare double")
    >>> (
    ...     trips.alias("t")
    ...     .merge(changes.alias("c"), "t.id = c.id")
    ...     .whenMatchedUpdate(set={"fare": "c.fare"})
    ...     .whenNotMatchedInsert(values={"id": "c.id", "day": "'mon'", "fare": "c.fare", "ts": "1"})
    ...     .whenNotMatchedBySourceDelete(condition="t.id = 3")
    ...     .execute()
    ... )
    >>> trips.to_df().select("id", "fare").orderBy("id").collect()
    [Row(id=1, fare=10.0), Row(id=2, fare=9.0), Row(id=4, fare=1.0)]
    """

    def __init__(self, table: Any, source: DataFrame, condition: str | Column, clauses: tuple[str, ...] = ()) -> None:
        self._table, self._source, self._clauses = table, source, clauses
        self._condition = self._text(condition, "condition")

    def whenMatchedUpdate(
        self, condition: str | Column | None = None, set: Mapping[str, str | Column] | None = None
    ) -> MergeBuilder:
        """Update rows of the table that a row of the source matches.

        Parameters
        ----------
        condition
            Of those, the rows for which it holds; all by default.
        set
            New values by the names of columns.

        Examples
        --------
        >>> raised = spark.createDataFrame([(1, 12.0)], "id int, fare double")
        >>> merge = trips.merge(raised, "target.id = source.id")
        >>> merge.whenMatchedUpdate("source.fare > target.fare", {"fare": "source.fare"}).execute()
        >>> trips.to_df().where("id = 1").select("fare").first()
        Row(fare=12.0)
        """
        return self._with(f"WHEN MATCHED{self._if(condition)} THEN UPDATE SET {self._assigned(set)}")

    def whenMatchedUpdateAll(self, condition: str | Column | None = None) -> MergeBuilder:
        """Update all columns of rows of the table that a row of the source matches, from its columns of their names.

        Parameters
        ----------
        condition
            Of those, the rows for which it holds; all by default.

        Examples
        --------
        >>> changed = trips.to_df().where("id = 1").selectExpr("id", "day", "0.5D AS fare", "9 AS ts")
        >>> trips.merge(changed, "target.id = source.id").whenMatchedUpdateAll().execute()
        >>> trips.to_df().where("id = 1").select("fare", "ts").first()
        Row(fare=0.5, ts=9)
        """
        return self._with(f"WHEN MATCHED{self._if(condition)} THEN UPDATE SET *")

    def whenMatchedDelete(self, condition: str | Column | None = None) -> MergeBuilder:
        """Delete rows of the table that a row of the source matches.

        Parameters
        ----------
        condition
            Of those, the rows for which it holds; all by default.

        Examples
        --------
        >>> gone = spark.createDataFrame([(1,), (2,)], "id int")
        >>> trips.merge(gone, "target.id = source.id").whenMatchedDelete("target.day = 'mon'").execute()
        >>> trips.to_df().select("id").orderBy("id").collect()
        [Row(id=3)]
        """
        return self._with(f"WHEN MATCHED{self._if(condition)} THEN DELETE")

    def whenNotMatchedInsert(
        self, condition: str | Column | None = None, values: Mapping[str, str | Column] | None = None
    ) -> MergeBuilder:
        """Insert rows of the source that match no row of the table.

        Parameters
        ----------
        condition
            Of those, the rows for which it holds; all by default.
        values
            Values by the names of columns; other columns are null.

        Examples
        --------
        >>> new = spark.createDataFrame([(7, "sun")], "id int, day string")
        >>> merge = trips.merge(new, "target.id = source.id")
        >>> merge.whenNotMatchedInsert(values={"id": "source.id", "day": "source.day", "ts": "1"}).execute()
        >>> trips.to_df().where("id = 7").select("day", "fare").first()
        Row(day='sun', fare=None)
        """
        known = self._table.to_df().columns
        given = [
            (sql.column_named(name, known, "values"), self._text(value, "values"))
            for name, value in _some(values, "values").items()
        ]
        columns, texts = ", ".join(name for name, _ in given), ", ".join(text for _, text in given)
        return self._with(f"WHEN NOT MATCHED{self._if(condition)} THEN INSERT ({columns}) VALUES ({texts})")

    def whenNotMatchedInsertAll(self, condition: str | Column | None = None) -> MergeBuilder:
        """Insert rows of the source that match no row of the table, with their columns of the table's names.

        Parameters
        ----------
        condition
            Of those, the rows for which it holds; all by default.

        Examples
        --------
        >>> new = trips.to_df().selectExpr("id + 10 AS id", "day", "fare", "ts")
        >>> trips.merge(new, "target.id = source.id").whenNotMatchedInsertAll("source.day = 'mon'").execute()
        >>> trips.to_df().select("id").orderBy("id").collect()
        [Row(id=1), Row(id=2), Row(id=3), Row(id=11), Row(id=12)]
        """
        return self._with(f"WHEN NOT MATCHED{self._if(condition)} THEN INSERT *")

    def whenNotMatchedBySourceUpdate(
        self, condition: str | Column | None = None, set: Mapping[str, str | Column] | None = None
    ) -> MergeBuilder:
        """Update rows of the table that no row of the source matches.

        Parameters
        ----------
        condition
            Of those, the rows for which it holds; all by default.
        set
            New values by the names of columns.

        Examples
        --------
        >>> seen = spark.createDataFrame([(1,)], "id int")
        >>> merge = trips.merge(seen, "target.id = source.id")
        >>> merge.whenNotMatchedBySourceUpdate("target.day = 'mon'", {"fare": "0"}).execute()
        >>> trips.to_df().select("id", "fare").orderBy("id").collect()
        [Row(id=1, fare=10.0), Row(id=2, fare=0.0), Row(id=3, fare=3.5)]
        """
        return self._with(f"WHEN NOT MATCHED BY SOURCE{self._if(condition)} THEN UPDATE SET {self._assigned(set)}")

    def whenNotMatchedBySourceDelete(self, condition: str | Column | None = None) -> MergeBuilder:
        """Delete rows of the table that no row of the source matches.

        Parameters
        ----------
        condition
            Of those, the rows for which it holds; all by default.

        Examples
        --------
        >>> seen = spark.createDataFrame([(1,)], "id int")
        >>> trips.merge(seen, "target.id = source.id").whenNotMatchedBySourceDelete().execute()
        >>> trips.to_df().count()
        1
        """
        return self._with(f"WHEN NOT MATCHED BY SOURCE{self._if(condition)} THEN DELETE")

    def execute(self) -> None:
        """Run it, as one MERGE statement, which evaluates the source once.

        Raises
        ------
        INVALID_OPTION_VALUE
            Without a clause.

        Examples
        --------
        >>> changes = trips.to_df().selectExpr("id", "day", "fare * 2 AS fare", "ts + 1 AS ts")
        >>> merge = trips.merge(changes, "target.id = source.id")
        >>> merge.whenMatchedUpdateAll().whenNotMatchedInsertAll().execute()
        >>> trips.to_df().agg({"fare": "sum"}).first()[0]
        42.0
        """
        if not self._clauses:
            raise invalid("merge", "", "it has no clause; add whenMatchedUpdateAll() or another before execute()")
        view = f"hudilite_merge_{uuid.uuid4().hex}"
        session = self._source.sparkSession
        self._source.createTempView(view)
        try:
            session.sql(
                f"MERGE INTO {self._table._named} USING {view} AS {sql.quoted(self._source_name)} ON {self._condition} "
                + " ".join(self._clauses)
            )
        finally:
            session.catalog.dropTempView(view)

    def _with(self, clause: str) -> MergeBuilder:
        return MergeBuilder(self._table, self._source, self._condition, (*self._clauses, clause))

    def _assigned(self, given: Mapping[str, str | Column] | None) -> str:
        return assigned(_some(given, "set"), self._table, self._names)

    def _if(self, condition: str | Column | None) -> str:
        return "" if condition is None else f" AND {self._text(condition, 'condition')}"

    def _text(self, value: str | Column, argument: str) -> str:
        return sql.expression(value, argument, self._names)

    def _names(self) -> DataFrame:
        both: DataFrame = self._table._aliased().crossJoin(self._source.alias(self._source_name))
        return both

    @property
    def _source_name(self) -> str:
        return sql.alias_of(self._source) or SOURCE


def assigned(given: Mapping[str, str | Column], table: Any, names: Callable[[], DataFrame]) -> str:
    """Columns and their new values, as UPDATE SET has them."""
    known = table.to_df().columns
    return ", ".join(
        f"{sql.column_named(name, known, 'set')} = {sql.expression(value, 'set', names)}"
        for name, value in given.items()
    )


def _some(given: Mapping[str, str | Column] | None, argument: str) -> Mapping[str, str | Column]:
    if not given:
        raise invalid(argument, given, "it must name a column and its value")
    return given
