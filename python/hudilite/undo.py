"""Savepoints, rollbacks and archiving: what they did, and the calls that do it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from hudilite import driver, running

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from hudilite.running import Progress

_RESTORE = "restore_to_instant"


@dataclass(frozen=True)
class Savepoint:
    """A state that cleaning and archiving leave alone.

    Attributes
    ----------
    instant
        The write whose state it is.
    by, comment
        Who saved it, and what for; ``None``, as what follows, when its file is damaged.
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
        What dead writers had left, which was taken back before: instants, the newest first.
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
        What dead writers had left, which was taken back before: instants, the newest first.
    """

    instant: str | None
    to: str
    writes: tuple[str, ...]
    dead_writes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Archived:
    """What an archiving did, or would do.

    Attributes
    ----------
    instants
        Those that left the active timeline, oldest first.
    files
        Names of the files that the archived timeline got; none for a dry run.
    """

    instants: tuple[str, ...]
    files: tuple[str, ...]


def archive(
    spark: SparkSession, path: str, options: Mapping[str, str], dry_run: bool, progress: Progress | bool | None
) -> Archived:
    """See :meth:`hudilite.tables.HudiliteTable.archive`."""

    def call() -> Archived:
        (done,) = driver.call(spark, "archive_commits", path, options=options, dry_run=dry_run)
        return Archived(tuple(done["instants"]), tuple(done["files"]))

    return running.step(progress, "archive", call, lambda done: len(done.instants), dry_run)


def rollback(
    spark: SparkSession,
    path: str,
    options: Mapping[str, str],
    instant: str | None,
    dry_run: bool,
    progress: Progress | bool | None,
) -> RolledBack:
    """See :meth:`hudilite.tables.HudiliteTable.rollback`."""

    def call() -> RolledBack:
        (done,) = driver.call(
            spark, "rollback_to_instant", path, instant_time=instant, options=options, dry_run=dry_run
        )
        return RolledBack(
            done["rollback_time"], done["write"], done["action"], done["files"], tuple(done["dead_writes"])
        )

    return running.step(progress, "rollback", call, lambda done: done.files, dry_run)


def restore(
    spark: SparkSession,
    path: str,
    options: Mapping[str, str],
    instant: str,
    dry_run: bool,
    progress: Progress | bool | None,
) -> Restored:
    """See :meth:`hudilite.tables.HudiliteTable.restore`."""
    arguments = {"instant_time": instant, "options": options}
    if dry_run:
        (done,) = driver.call(spark, _RESTORE, path, dry_run=True, **arguments)
        return _restored(done)
    (done,), reported = running.run(spark, _RESTORE, path, progress, **arguments)
    # Plans count on the way, too.
    reported.ended(max(len(done["writes"]), reported.total))
    return _restored(done)


def savepoint(
    spark: SparkSession,
    path: str,
    options: Mapping[str, str],
    instant: str | None,
    comment: str,
    dry_run: bool,
    progress: Progress | bool | None,
) -> Savepoint:
    """See :meth:`hudilite.tables.HudiliteTable.savepoint`."""

    def call() -> Savepoint:
        (row,) = driver.call(
            spark, "create_savepoint", path, commit_time=instant, comments=comment, options=options, dry_run=dry_run
        )
        return _saved(row)

    return running.step(progress, "savepoint", call, lambda saved: saved.files or 0, dry_run)


def savepoints(spark: SparkSession, path: str) -> list[Savepoint]:
    """See :meth:`hudilite.tables.HudiliteTable.savepoints`."""
    return [_saved(row) for row in driver.call(spark, "show_savepoints", path)]


def delete_savepoint(
    spark: SparkSession,
    path: str,
    options: Mapping[str, str],
    instant: str,
    dry_run: bool,
    progress: Progress | bool | None,
) -> Savepoint:
    """See :meth:`hudilite.tables.HudiliteTable.delete_savepoint`."""

    def call() -> Savepoint:
        (row,) = driver.call(spark, "delete_savepoint", path, instant_time=instant, options=options, dry_run=dry_run)
        return _saved(row)

    return running.step(progress, "delete savepoint", call, lambda freed: freed.files or 0, dry_run)


def _restored(row: Mapping[str, Any]) -> Restored:
    return Restored(row["restore_time"], row["restored_to"], tuple(row["writes"]), tuple(row["dead_writes"]))


def _saved(row: Mapping[str, Any]) -> Savepoint:
    return Savepoint(
        row["savepoint_time"],
        row["user"],
        row["epoch_milliseconds"],
        row["comments"],
        row["files"],
        row.get("damage"),
    )
