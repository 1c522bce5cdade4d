"""How it stands with the services of a table."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from hudilite import driver, running

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


@dataclass(frozen=True)
class ServiceState:
    """How it stands with one service.

    Attributes
    ----------
    service
        ``compaction``, ``clustering``, ``cleaning`` or ``archiving``.
    by_itself
        It follows writes with the session's options.
    planned, running
        Instants that wait to be run, and those that somebody has begun.
    last
        Its last instant; archiving has none.
    last_error
        Its last failure after a write of this process, when it has not succeeded since.
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
        ServiceState(**{**s, "planned": tuple(s["planned"]), "running": tuple(s["running"])})
        for s in json.loads(_jvm(spark).services(driver.session(spark), path, dict(options)))
    ]


def wait(spark: SparkSession, path: str, timeout: float) -> bool:
    """See :meth:`hudilite.tables.HudiliteTable.wait_for_services`."""
    return bool(_jvm(spark).waitFor(driver.session(spark), path, {}, int(timeout * 1000)))


def _jvm(spark: SparkSession) -> Any:
    return running.jvm(spark, "PythonServices", "A service", "")
