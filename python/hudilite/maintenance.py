"""Services that are run together, as far as they are due."""

from __future__ import annotations

import functools
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from hudilite.cleaning import CleanResult
from hudilite.clustering import ClusteringResult
from hudilite.compaction import CompactionResult
from hudilite.errors import condition_of
from hudilite.partitions import DroppedPartitions
from hudilite.services import ServiceState
from hudilite.undo import Archived

__all__ = ["Maintained", "Maintenance", "Outcome", "ServiceResult"]

#: End of a service: it ran, there was no need, or an error has kept it from running.
Outcome = Literal["ran", "not due", "failed"]
#: Result of a service that ran.
ServiceResult = CompactionResult | ClusteringResult | CleanResult | Archived | DroppedPartitions


def __dir__() -> list[str]:
    """Public names."""
    return __all__


@dataclass(frozen=True)
class Maintained:
    """One service of a maintenance.

    Attributes
    ----------
    service
        Its name, as in :class:`hudilite.services.ServiceState`.
    outcome
        ``ran``, ``not due`` or ``failed``.
    reason
        Event that sets it off and how far that was; of one that failed, its error.
    condition
        Condition of that error, as docs/errors.md lists it; ``None`` for one of others.
    result
        Result as the method of the service returns it; ``None`` unless it ran.
    seconds
        Time that it took.
    """

    service: str
    outcome: Outcome
    reason: str
    condition: str | None
    result: ServiceResult | None
    seconds: float


@dataclass(frozen=True)
class Maintenance:
    """Result of ``maintain``.

    Attributes
    ----------
    services
        The table's services, in the order in which they were looked at.
    """

    services: tuple[Maintained, ...]

    @property
    def ran(self) -> tuple[str, ...]:
        """Names of the services that ran."""
        return tuple(each.service for each in self.services if each.outcome == "ran")

    @property
    def failed(self) -> tuple[Maintained, ...]:
        """Those that failed."""
        return tuple(each for each in self.services if each.outcome == "failed")


def maintained(table: Any, options: Mapping[str, str] | None) -> Maintenance:
    """Run what is due of a table, one after the other; the failure of one keeps none of the others from running."""
    done: list[Maintained] = []
    for name, run in _RUNS.items():
        # One changes when others are due, as archiving waits for a compaction.
        state = next((each for each in table.services(options=options) if each.service == name), None)
        if state is not None:
            done.append(_one(state, functools.partial(run, table, options)))
    return Maintenance(tuple(done))


def _one(state: ServiceState, run: Callable[[], Any]) -> Maintained:
    begun = time.monotonic()
    if not state.due and not state.planned:
        return Maintained(state.service, "not due", state.next, None, None, 0.0)
    try:
        result = run()
    except Exception as e:
        seconds = time.monotonic() - begun
        return Maintained(state.service, "failed", str(e) or repr(e), condition_of(e), None, seconds)
    return Maintained(state.service, "ran", state.next, None, result, time.monotonic() - begun)


_Run = Callable[[Any, Mapping[str, str] | None], Any]
# Those first that take rows away, and that last which follows from the files that the others leave.
_RUNS: dict[str, _Run] = {
    "partition expiry": lambda table, options: table.expire_partitions(options=options),
    "compaction": lambda table, options: table.compact(options=options),
    "clustering": lambda table, options: table.cluster(options=options),
    "cleaning": lambda table, options: table.clean(options=options),
    "archiving": lambda table, options: table.archive(options=options),
}
