"""Savepoints, rollbacks and archiving: what they did, and the calls that do it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from hudilite import driver

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


@dataclass(frozen=True)
class Savepoint:
    """A state that cleaning and archiving leave alone.

    Attributes
    ----------
    instant
        The write whose state it is.
    by, comment
        Who saved it, and what for.
    epoch_milliseconds
        When.
    files
        Number of files that it protects.
    """

    instant: str
    by: str
    epoch_milliseconds: int
    comment: str
    files: int


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
    """

    instant: str | None
    write: str
    action: str
    files: int


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
    """

    instant: str | None
    to: str
    writes: tuple[str, ...]


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


def archive(spark: SparkSession, path: str, options: Mapping[str, str], dry_run: bool) -> Archived:
    """See :meth:`hudilite.tables.HudiliteTable.archive`."""
    (done,) = driver.call(spark, "archive_commits", path, options=options, dry_run=dry_run)
    return Archived(tuple(done["instants"]), tuple(done["files"]))


def rollback(
    spark: SparkSession, path: str, options: Mapping[str, str], instant: str | None, dry_run: bool
) -> RolledBack:
    """See :meth:`hudilite.tables.HudiliteTable.rollback`."""
    (done,) = driver.call(spark, "rollback_to_instant", path, instant_time=instant, options=options, dry_run=dry_run)
    return RolledBack(done["rollback_time"], done["write"], done["action"], done["files"])


def restore(spark: SparkSession, path: str, options: Mapping[str, str], instant: str, dry_run: bool) -> Restored:
    """See :meth:`hudilite.tables.HudiliteTable.restore`."""
    (done,) = driver.call(spark, "restore_to_instant", path, instant_time=instant, options=options, dry_run=dry_run)
    return Restored(done["restore_time"], done["restored_to"], tuple(done["writes"]))


def savepoint(
    spark: SparkSession, path: str, options: Mapping[str, str], instant: str | None, comment: str
) -> Savepoint:
    """See :meth:`hudilite.tables.HudiliteTable.savepoint`."""
    (row,) = driver.call(spark, "create_savepoint", path, commit_time=instant, comments=comment, options=options)
    return _saved(row)


def savepoints(spark: SparkSession, path: str) -> list[Savepoint]:
    """See :meth:`hudilite.tables.HudiliteTable.savepoints`."""
    return [_saved(row) for row in driver.call(spark, "show_savepoints", path)]


def delete_savepoint(spark: SparkSession, path: str, options: Mapping[str, str], instant: str) -> None:
    """See :meth:`hudilite.tables.HudiliteTable.delete_savepoint`."""
    driver.call(spark, "delete_savepoint", path, instant_time=instant, options=options)


def _saved(row: Mapping[str, Any]) -> Savepoint:
    names = ("savepoint_time", "user", "epoch_milliseconds", "comments", "files")
    return Savepoint(*(row[name] for name in names))
