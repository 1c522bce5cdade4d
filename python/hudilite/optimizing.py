"""OPTIMIZE in the words of Delta Lake's Python API."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hudilite.arguments import checked, invalid

if TYPE_CHECKING:
    from hudilite.clustering import ClusteringResult

__all__ = ["OptimizeBuilder"]


def __dir__() -> list[str]:
    """Public names."""
    return __all__


@checked
class OptimizeBuilder:
    """A clustering, as :meth:`HudiliteTable.cluster` runs it, by Delta Lake's names."""

    def __init__(self, table: Any) -> None:
        self._table = table

    def executeCompaction(self) -> ClusteringResult:
        """Put small files together.

        Examples
        --------
        >>> trips.optimize().executeCompaction().replaced
        0
        """
        done: ClusteringResult = self._table.cluster()
        return done

    def executeZOrderBy(self, *columns: str) -> ClusteringResult:
        """Lay the rows of all files out along a curve through some columns.

        Parameters
        ----------
        *columns
            Their names; one or more.

        Examples
        --------
        >>> trips.optimize().executeZOrderBy("fare", "ts").replaced
        2
        """
        if not columns:
            raise invalid("columns", "", "it must name a column")
        done: ClusteringResult = self._table.cluster(sort_by=columns, layout="zorder")
        return done
