"""Results of savepoints, rollbacks, restores and archiving."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Archived", "Restored", "RolledBack", "Savepoint"]


def __dir__() -> list[str]:
    """Public names."""
    return __all__


@dataclass(frozen=True)
class Savepoint:
    """A state that cleaning and archiving leave alone.

    Attributes
    ----------
    instant
        The write whose state it is.
    by, comment
        User who saved it, and the purpose; ``None``, as the next two, when its file is damaged.
    epoch_milliseconds
        When.
    files
        Number of files that it protects.
    damage
        Why its file cannot be read; ``None`` when it can. Nothing is cleaned as long as there is such a savepoint:
        it can be deleted.
    """

    instant: str
    by: str | None
    epoch_milliseconds: int | None
    comment: str | None
    files: int | None
    damage: str | None = None


@dataclass(frozen=True)
class RolledBack:
    """A write that was taken back.

    Attributes
    ----------
    instant
        Of the rollback; ``None`` for a dry run, and for a plan, which is gone without one.
    write, action
        The write that is gone.
    files
        Number of files that it had written.
    dead_writes
        Writes of dead writers that were taken back before: instants, the newest first.
    """

    instant: str | None
    write: str
    action: str
    files: int
    dead_writes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Restored:
    """A table that is as it was.

    Attributes
    ----------
    instant
        Of the restore; ``None`` for a dry run.
    to
        The write whose state the table has again.
    writes
        Those that are gone, newest first.
    dead_writes
        Writes of dead writers that were taken back before: instants, the newest first.
    """

    instant: str | None
    to: str
    writes: tuple[str, ...]
    dead_writes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Archived:
    """Result of an archiving, or of its dry run.

    Attributes
    ----------
    instants
        Those that left the active timeline, oldest first.
    files
        Names of the files that the archived timeline got; none for a dry run.
    """

    instants: tuple[str, ...]
    files: tuple[str, ...]
