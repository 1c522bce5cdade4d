"""A Hudi table in plain Python: what every engine must return after a series of writes."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import rows

Record = dict[str, Any]


@dataclass
class Model:
    """Rows by identity: the record key, and the partition too unless the index is global.

    With an ordering field an older row never replaces a newer one (event time order); without, the last write wins.
    """

    key: tuple[str, ...] = ("id",)
    partition: tuple[str, ...] = ("dt",)
    ordering: str | None = "ts"
    is_global: bool = False
    held: dict[tuple[Any, ...], Record] = field(default_factory=dict)

    def identity(self, row: Record) -> tuple[Any, ...]:
        """Values that two rows of one record share."""
        fields = self.key if self.is_global else self.key + self.partition
        return tuple(row[name] for name in fields)

    def upsert(self, batch: Iterable[Record]) -> None:
        """Inserts new records; replaces the ones that are not newer; drops those marked `_hoodie_is_deleted`."""
        for row in batch:
            name = self.identity(row)
            old = self.held.get(name)
            if old is not None and self.ordering and row[self.ordering] < old[self.ordering]:
                continue
            if row.get("_hoodie_is_deleted"):
                self.held.pop(name, None)
            else:
                self.held[name] = row

    def delete(self, batch: Iterable[Record]) -> None:
        """Drops the records of these keys, whatever their ordering value."""
        for row in batch:
            self.held.pop(self.identity(row), None)

    def overwrite_partitions(self, batch: list[Record]) -> None:
        """Replaces every partition that the batch has rows for."""
        touched = {tuple(row[name] for name in self.partition) for row in batch}
        self._drop(touched)
        self.upsert(batch)

    def overwrite_table(self, batch: list[Record]) -> None:
        """Replaces everything."""
        self.held.clear()
        self.upsert(batch)

    def delete_partitions(self, *values: Any) -> None:
        """Drops the partitions of these values (tables of one partition field)."""
        self._drop({(value,) for value in values})

    def _drop(self, partitions: set[tuple[Any, ...]]) -> None:
        self.held = {
            name: row
            for name, row in self.held.items()
            if tuple(row[name] for name in self.partition) not in partitions
        }

    def rows(self) -> list[str]:
        """Sorted JSON lines, to compare with `rows.rows_of`."""
        return rows.lines(self.held.values())
