"""Table services on their way in Spark's driver: progress, Ctrl-C, and the end."""

from __future__ import annotations

import threading
import uuid
from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING, Any, TypeVar

from hudilite import driver
from hudilite.bars import Bar

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

#: Called with how much is done so far and how much there is, file groups or files, whenever the first changes.
Progress = Callable[[int, int], None]

T = TypeVar("T")
_POLL_SECONDS = 0.2
_CANCEL_POLLS = 50


class Reported:
    """Tells a callback what it does not know yet.

    Attributes
    ----------
    total
        What there was to do when it was asked last; 0 when nobody asked.
    """

    def __init__(self, progress: Progress | None) -> None:
        self.progress = progress
        self.done, self.total = -1, 0

    def tell(self, done: int, total: int) -> None:
        """Call it, unless it has been told the same."""
        self.total = total
        if self.progress is not None and done != self.done:
            self.done = done
            self.progress(done, total)

    def ended(self, done: int) -> None:
        """Tell it what was done altogether, which may be more than was planned."""
        self.tell(done, max(self.total, done))
        self.close()

    def close(self) -> None:
        """Nothing more is told."""
        if isinstance(self.progress, Bar):
            self.progress.close()


def run(
    spark: SparkSession, procedure: str, path: str, progress: Progress | bool | None, **arguments: Any
) -> tuple[list[dict[str, Any]], Reported]:
    """Run a service by its procedure, which goes on in a thread of its own.

    Ctrl-C and errors of ``progress`` stop the service; ``True`` shows a bar. What it answers with, and what
    ``progress`` was told, which is to be ended.
    """
    name = str(uuid.uuid4())
    reported = _reported(progress, procedure.removeprefix("run_"))
    calling = _Call(spark, lambda: driver.call(spark, procedure, path, run_as=name, **arguments))
    try:
        while not calling.ended(_POLL_SECONDS):
            if reported.progress is not None:
                for row in driver.call(spark, "show_progress", None, run_as=name):
                    reported.tell(row["done"], row["total"])
    except BaseException:  # Ctrl-C, or an error of the callback
        reported.close()
        for _ in range(_CANCEL_POLLS):
            # Again and again: it may not have begun, and it stops the jobs that have begun, not the next one.
            with suppress(Exception):
                driver.call(spark, "cancel_service", None, run_as=name)
            if calling.ended(_POLL_SECONDS):
                break
        raise
    try:
        return calling.answer(), reported
    except BaseException:
        reported.close()
        raise


def step(
    progress: Progress | bool | None,
    what: str,
    body: Callable[[], T],
    count: Callable[[T], int],
    dry_run: bool = False,
) -> T:
    """Do what is one step: ``progress`` is told of it once it is done, with how much that was; of a dry run nothing."""
    if dry_run:
        return body()
    reported = _reported(progress, what)
    try:
        done = body()
    except BaseException:
        reported.close()
        raise
    reported.ended(count(done))
    return done


def _reported(progress: Progress | bool | None, what: str) -> Reported:
    # A callable may be false, as an empty list is that takes down what it is told.
    return Reported((Bar(what) if progress else None) if progress is None or isinstance(progress, bool) else progress)


class _Call:
    """A call in a thread of its own."""

    def __init__(self, spark: SparkSession, body: Callable[[], list[dict[str, Any]]]) -> None:
        self._body = body
        self._rows: list[dict[str, Any]] = []
        self._error: BaseException | None = None
        self._thread = threading.Thread(target=_inheriting(spark, self._run), daemon=True, name="hudilite-call")
        self._thread.start()

    def _run(self) -> None:
        try:
            self._rows = self._body()
        except BaseException as e:
            self._error = e

    def ended(self, seconds: float) -> bool:
        """Wait at most so long; true when it has ended, well or not."""
        self._thread.join(seconds)
        return not self._thread.is_alive()

    def answer(self) -> list[dict[str, Any]]:
        """What it answered; raises what it raised."""
        if self._error is not None:
            raise self._error
        return self._rows


def _inheriting(spark: SparkSession, target: Callable[[], None]) -> Callable[[], None]:
    """``target`` with the caller's job group and scheduler pool; Spark Connect keeps none of them by thread."""
    import pyspark
    from pyspark.sql.utils import is_remote

    if driver.is_connect(spark) or is_remote():
        return target
    from pyspark.util import inheritable_thread_target

    inherit: Any = inheritable_thread_target
    wrapped: Callable[[], None] = inherit(target) if pyspark.__version__.startswith("3.") else inherit(spark)(target)
    return wrapped
