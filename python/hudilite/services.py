"""States of the services of a table."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["ServiceState"]


def __dir__() -> list[str]:
    """Public names."""
    return __all__


@dataclass(frozen=True)
class ServiceState:
    """State of one service.

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
        Error that has kept it from running after a write of this process, when it has not run since.
    due
        The next write sets it off.
    next
        Event that sets it off, and how far that is.
    """

    service: str
    by_itself: bool
    planned: tuple[str, ...]
    running: tuple[str, ...]
    last: str | None
    last_error: str | None
    due: bool
    next: str
