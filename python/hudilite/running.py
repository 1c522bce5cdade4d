"""Table services on their way in Spark's driver: progress, Ctrl-C, and the end."""

from __future__ import annotations

import threading
import uuid
from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from hudilite import driver
from hudilite.bars import Bar

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

#: Called with how much is done so far and how much there is, file groups or files, whenever the first changes.
Progress = Callable[[int, int], None]

_POLL_SECONDS = 0.2
_CANCEL_POLLS = 50


def run(
    spark: SparkSession,
    procedure: str,
    path: str,
    progress: Progress | bool | None,
    counted: str | None = None,
    *,
    step: str | None = None,
    in_full: bool = False,
    **arguments: Any,
) -> list[dict[str, Any]]:
    """Run a service by its procedure, and return the rows that it answers with.

    It goes on in a thread of its own, so that Ctrl-C and errors of ``progress`` stop it. A dry run tells ``progress``
    nothing.

    Parameters
    ----------
    spark, procedure, path, **arguments
        As :func:`hudilite.driver.call` takes them.
    progress
        Told how much is done; ``True`` shows a bar.
    counted
        The column that says how much was done, by numbers or by arrays of things; without one each row is a thing.
    step
        Name of a service that is one step: it is run in this thread, and ``progress`` is told once it is done.
    in_full
        All that was planned is done when it ends, though ``counted`` may say less.
    """
    if arguments.get("dry_run"):
        return driver.call(spark, procedure, path, **arguments)
    reported = _Reported(progress, step or procedure.removeprefix("run_"))
    try:
        if step:
            rows = driver.call(spark, procedure, path, **arguments)
        else:
            rows = _followed(spark, procedure, path, reported, **arguments)
        reported.ended(_amount(rows, counted), in_full)
    finally:
        reported.close()
    return rows


def _amount(rows: list[dict[str, Any]], counted: str | None) -> int:
    values = [row[counted] for row in rows] if counted else [1] * len(rows)
    return sum(value if isinstance(value, int) else len(value or ()) for value in values)


def _followed(
    spark: SparkSession, procedure: str, path: str, reported: _Reported, **arguments: Any
) -> list[dict[str, Any]]:
    name = str(uuid.uuid4())
    calling = _Call(spark, lambda: driver.call(spark, procedure, path, run_as=name, **arguments))
    try:
        while not calling.ended(_POLL_SECONDS):
            if reported.progress is not None:
                for row in driver.call(spark, "show_progress", None, run_as=name):
                    reported.tell(row["done"], row["total"])
    except BaseException:  # Ctrl-C, or an error of the callback
        for _ in range(_CANCEL_POLLS):
            # Again and again: it may not have begun, and it stops the jobs that have begun, not the next one.
            with suppress(Exception):
                driver.call(spark, "cancel_service", None, run_as=name)
            if calling.ended(_POLL_SECONDS):
                break
        raise
    return calling.answer()


class _Reported:
    """Tells a callback what it does not know yet."""

    def __init__(self, progress: Progress | bool | None, what: str) -> None:
        # A callable may be false, as an empty list is that takes down what it is told.
        self.progress = (Bar(what) if progress else None) if isinstance(progress, bool) else progress
        self._done, self._total = -1, 0

    def tell(self, done: int, total: int) -> None:
        """Call it, unless it has been told the same."""
        self._total = total
        if self.progress is not None and done != self._done:
            self._done = done
            self.progress(done, total)

    def ended(self, done: int, in_full: bool) -> None:
        """Tell it what was done altogether, which may be more than was planned."""
        most = max(self._total, done)
        self.tell(most if in_full else done, most)

    def close(self) -> None:
        """Nothing more is told."""
        if isinstance(self.progress, Bar):
            self.progress.close()


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
        """Return its answer, or raise its error."""
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
