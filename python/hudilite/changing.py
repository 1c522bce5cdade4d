"""Changes of a table's rows, in the words of Delta Lake's Python API where that has such."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar

from hudilite import sql
from hudilite.arguments import checked, invalid
from hudilite.merging import MergeBuilder, assigned

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame, SparkSession

_Table = TypeVar("_Table", bound="RowChanges")
_OPERATION = "hoodie.datasource.write.operation"


@checked
class RowChanges:
    """Methods of the table object that change rows. Spark plans each as one statement."""

    spark: SparkSession
    path: str
    _alias: str

    def alias(self: _Table, name: str) -> _Table:
        """Return the table under a name that conditions and values of :meth:`merge`, :meth:`update` and :meth:`delete`
        can use.

        Parameters
        ----------
        name
            The name; ``target`` for a table without one.

        Examples
        --------
        >>> trips.alias("t").delete("t.id = 1")
        """
        if not name:
            raise invalid("name", name, "it is empty")
        return dataclasses.replace(self, _alias=name)  # type: ignore[type-var]

    def upsert(self, rows: DataFrame, *, options: Mapping[str, str] | None = None) -> None:
        """Insert rows whose record keys the table does not have, and replace those whose keys it has.

        Of several rows of a key the newest by the table's ordering field counts, and the last one without such a field.
        The columns may be more than the table's, which then grows by them.

        Parameters
        ----------
        rows
            The rows, with all columns of the table.
        options
            Other ``hoodie.*`` options; ``txnAppId`` and ``txnVersion`` for a write that may come again.

        Examples
        --------
        >>> changes = spark.createDataFrame([(2, "mon", 9.0, 2), (4, "tue", 1.0, 2)], trips.to_df().schema)
        >>> trips.upsert(changes)
        >>> trips.to_df().select("id", "fare").orderBy("id").collect()
        [Row(id=1, fare=10.0), Row(id=2, fare=9.0), Row(id=3, fare=3.5), Row(id=4, fare=1.0)]

        A batch of a stream that is tried again is written once:

        >>> batch = {"txnAppId": "fares", "txnVersion": "17"}
        >>> trips.upsert(changes, options=batch)
        >>> trips.upsert(changes, options=batch)
        >>> trips.history(limit=1)[0].metadata
        {'txnAppId': 'fares', 'txnVersion': '17'}
        """
        self._write(rows, "upsert", options)

    def insert(self, rows: DataFrame, *, options: Mapping[str, str] | None = None) -> None:
        """Insert rows without a look for their keys: one that the table has is there twice then.

        Parameters
        ----------
        rows
            The rows, with all columns of the table.
        options
            Other ``hoodie.*`` options.

        Examples
        --------
        >>> trips.insert(trips.to_df().selectExpr("id + 100 AS id", "day", "fare", "ts"))
        >>> trips.to_df().count()
        6
        """
        self._write(rows, "insert", options)

    def update(self, condition: str | Column | None = None, set: Mapping[str, str | Column] | None = None) -> None:
        """Change columns of rows, as the statement UPDATE does.

        Parameters
        ----------
        condition
            The rows, in SQL or as a column of a classic session; all by default.
        set
            New values by the names of columns, in SQL or as columns of a classic session.

        Examples
        --------
        >>> trips.update(condition="day = 'mon'", set={"fare": "fare + 1"})
        >>> trips.to_df().where("id = 1").select("fare").first()
        Row(fare=11.0)
        """
        if not set:
            raise invalid("set", set, "it must name a column and its value")
        changed = assigned(set, self._table, self._aliased)
        self.spark.sql(f"UPDATE {self._named} SET {changed}{self._where(condition)}")

    def delete(self, condition: str | Column | None = None) -> None:
        """Delete rows, as the statement DELETE does.

        Parameters
        ----------
        condition
            The rows, in SQL or as a column of a classic session; all by default.

        Examples
        --------
        >>> trips.delete("fare < 5")
        >>> trips.to_df().count()
        2
        """
        self.spark.sql(f"DELETE FROM {self._named}{self._where(condition)}")

    def merge(self, source: DataFrame, condition: str | Column) -> MergeBuilder:
        """Begin a MERGE, to which clauses are added before :meth:`MergeBuilder.execute` runs it.

        Parameters
        ----------
        source
            Rows to compare with those of the table.
        condition
            Rows that match, in SQL or as a column of a classic session.

        Examples
        --------
        >>> gone = spark.createDataFrame([(1,)], "id int")
        >>> trips.merge(gone, "target.id = source.id").whenMatchedDelete().execute()
        >>> trips.to_df().count()
        2
        """
        return MergeBuilder(self._table, source, condition)

    def _write(self, rows: DataFrame, operation: str, options: Mapping[str, str] | None) -> None:
        given = {**(options or {}), _OPERATION: operation}
        rows.write.format("hudilite").options(**given).mode("append").save(self.path)

    @property
    def _table(self) -> Any:
        # The whole table object, whose module imports this one.
        return self

    @property
    def _named(self) -> str:
        return f"{sql.table_at(self.path)} AS {sql.quoted(self._alias)}"

    def _aliased(self) -> DataFrame:
        rows: DataFrame = self._table.rows()
        return rows.alias(self._alias)

    def _where(self, condition: str | Column | None) -> str:
        return "" if condition is None else f" WHERE {sql.expression(condition, 'condition', self._aliased)}"
