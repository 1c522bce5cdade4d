"""Table services on their way in the JVM: progress, Ctrl-C, and the end."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from hudilite import driver

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

#: Called with how much is done so far and how much there is, file groups or files, whenever the first changes.
Progress = Callable[[int, int], None]

_POLL_MS = 200
_CANCEL_POLLS = 50


def wait(running: Any, progress: Progress | None) -> int:
    """Wait until a service has ended, well or not; what was reported last, -1 when nothing was."""
    total, reported = int(running.total()), -1
    try:
        while not running.waitFor(_POLL_MS):
            reported = report(progress, int(running.done()), total, reported)
    except BaseException:  # Ctrl-C, or an error of the callback
        for _ in range(_CANCEL_POLLS):
            running.cancel()  # again and again: it stops the jobs that have begun, not the next one
            if running.waitFor(_POLL_MS):
                break
        raise
    return reported


def report(progress: Progress | None, done: int, total: int, reported: int) -> int:
    """Tell ``progress`` how far it is, unless it knows."""
    if progress is not None and done != reported:
        progress(done, total)
    return done


def jvm(spark: SparkSession, name: str, what: str, otherwise: str) -> Any:
    """Return a service of the driver's; a Spark Connect session raises ``NotImplementedError``."""
    found = driver.service(spark, name)
    if found is None:
        raise NotImplementedError(
            f"{what} is started in Spark's driver process, which a Spark Connect session does not reach. Run it in a "
            f"classic session, or call its procedure in SQL (docs/procedures.md){otherwise}."
        )
    return found
