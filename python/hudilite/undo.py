"""Savepoints, rollbacks and archiving: what they did, and the calls into the JVM."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from hudilite import driver, running

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
    done = json.loads(_jvm(spark).archive(driver.session(spark), path, dict(options), dry_run))
    return Archived(tuple(done["instants"]), tuple(done["files"]))


def rollback(
    spark: SparkSession, path: str, options: Mapping[str, str], instant: str | None, dry_run: bool
) -> RolledBack:
    """See :meth:`hudilite.tables.HudiliteTable.rollback`."""
    return RolledBack(
        **json.loads(_jvm(spark).rollback(driver.session(spark), path, dict(options), instant or "", dry_run))
    )


def restore(spark: SparkSession, path: str, options: Mapping[str, str], instant: str, dry_run: bool) -> Restored:
    """See :meth:`hudilite.tables.HudiliteTable.restore`."""
    done = json.loads(_jvm(spark).restore(driver.session(spark), path, dict(options), instant, dry_run))
    return Restored(done["instant"], done["to"], tuple(done["writes"]))


def savepoint(
    spark: SparkSession, path: str, options: Mapping[str, str], instant: str | None, comment: str
) -> Savepoint:
    """See :meth:`hudilite.tables.HudiliteTable.savepoint`."""
    return Savepoint(
        **json.loads(_jvm(spark).savepoint(driver.session(spark), path, dict(options), instant or "", comment))
    )


def savepoints(spark: SparkSession, path: str) -> list[Savepoint]:
    """See :meth:`hudilite.tables.HudiliteTable.savepoints`."""
    return [Savepoint(**s) for s in json.loads(_jvm(spark).savepoints(driver.session(spark), path, {}))]


def delete_savepoint(spark: SparkSession, path: str, options: Mapping[str, str], instant: str) -> None:
    """See :meth:`hudilite.tables.HudiliteTable.delete_savepoint`."""
    _jvm(spark).deleteSavepoint(driver.session(spark), path, dict(options), instant)


def _jvm(spark: SparkSession) -> Any:
    return running.jvm(spark, "PythonServices", "A service", "")
