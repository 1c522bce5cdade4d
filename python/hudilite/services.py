"""How it stands with the services of a table."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from hudilite import driver

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


@dataclass(frozen=True)
class ServiceState:
    """How it stands with one service.

    Attributes
    ----------
    service
        ``compaction``, ``clustering``, ``cleaning`` or ``archiving``; and ``partition expiry``, where options say after
        how many days partitions go.
    by_itself
        It follows writes with the session's options.
    planned, running
        Instants that wait to be run, and those that somebody has begun.
    last
        Its last instant; archiving has none.
    last_error
        What has kept it from running after a write of this process, when it has not run since.
    due
        The next write sets it off.
    next
        What sets it off, and how far that is.
    """

    service: str
    by_itself: bool
    planned: tuple[str, ...]
    running: tuple[str, ...]
    last: str | None
    last_error: str | None
    due: bool
    next: str


def states(spark: SparkSession, path: str, options: Mapping[str, str]) -> list[ServiceState]:
    """See :meth:`hudilite.tables.HudiliteTable.services`."""
    return [
        ServiceState(**{**row, "planned": _instants(row["planned"]), "running": _instants(row["running"])})
        for row in driver.call(spark, "show_services", path, options=options)
    ]


def wait(spark: SparkSession, path: str, timeout: float) -> bool:
    """See :meth:`hudilite.tables.HudiliteTable.wait_for_services`."""
    (row,) = driver.call(spark, "wait_for_services", path, milliseconds=int(timeout * 1000))
    return bool(row["ended"])


def _instants(text: str) -> tuple[str, ...]:
    return tuple(filter(None, text.split(",")))
