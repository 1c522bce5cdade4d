"""How hudilite's errors come out of Spark's driver: one line with its condition, the trace of Java left out."""

from __future__ import annotations

from functools import cache
from importlib import import_module
from typing import Any

from hudilite.errors import Told, read

_PACKAGE = "io.hudilite.error."


def install() -> None:
    """Have PySpark show each error of hudilite's as the one line that it is, wherever Spark found it.

    PySpark turns errors of some Java classes into exceptions of its own and shows all others, such as a job whose task
    met a damaged file, with the traces of the driver and of the executor. From here on an error that hudilite is the
    cause of becomes one of PySpark's exceptions, too: of the class that PySpark has for it, else a
    ``SparkRuntimeException``. Its ``getCondition()`` is the name in docs/errors.md. Errors of others stay as they are.
    It may be called any number of times. It concerns classic sessions; `install_remote` is for those of Spark Connect.
    """
    from pyspark.errors.exceptions import captured

    original = captured.convert_exception
    if getattr(original, "of_hudilite", False):
        return

    def convert(e: Any) -> Any:
        own = _own(e)
        return original(e) if own is None else _converted(original(own), own, captured)

    convert.of_hudilite = True  # type: ignore[attr-defined]
    captured.convert_exception = convert


def _own(error: Any) -> Any:
    """The error of hudilite's that a Java exception is or has as a cause."""
    while error is not None:
        if error.getClass().getName().startswith(_PACKAGE):
            return error
        error = error.getCause()
    return None


def _converted(known: Any, own: Any, captured: Any) -> Any:
    kind: Any = captured.SparkRuntimeException if isinstance(known, captured.UnknownException) else type(known)
    raised = _class(kind, False)
    shown = raised.__new__(raised)
    shown._told = _of_java(own)
    shown.__init__(origin=own)
    return shown


def _of_java(own: Any) -> Told:
    found, pairs = {}, own.parameters().iterator()
    while pairs.hasNext():
        pair = pairs.next()
        found[str(pair._1())] = str(pair._2())
    return Told(str(own.condition()), str(own.getMessage()), found)


@cache
def _class(kind: Any, bare: bool) -> Any:
    """PySpark's class ``kind``, which says what hudilite said; a bare one prints no more."""

    class Raised(kind):  # type: ignore[misc]
        _told: Told

        def getCondition(self) -> str:
            return self._told.condition

        def getErrorClass(self) -> str:
            return self.getCondition()

        def getMessageParameters(self) -> dict[str, str]:
            return dict(self._told.parameters)

        def getSqlState(self) -> str:
            return self.getMessage().rpartition("SQLSTATE: ")[2]

        def getMessage(self) -> str:
            return self._told.text

        def __str__(self) -> str:
            return self.getMessage() if bare else str(super().__str__())

    Raised.__name__, Raised.__qualname__, Raised.__module__ = kind.__name__, kind.__qualname__, kind.__module__
    return Raised


def install_remote() -> None:
    """Have clients of Spark Connect show each error of hudilite's as the one line that it is.

    The server tells the classes, texts and traces of an error and of its causes, all of which PySpark shows. From here
    on an error that tells one of hudilite's is that line, with its condition; ``getStackTrace()`` still has the trace
    where PySpark has such a method. It may be called any number of times.
    """
    from pyspark.errors.exceptions import connect

    core: Any = import_module("pyspark.sql.connect.client.core")
    original = core.convert_exception
    if getattr(original, "of_hudilite", False):
        return

    def convert(*told: Any, **more: Any) -> Any:
        error = original(*told, **more)
        own = read(f"{error}\n{getattr(error, '_stacktrace', None) or ''}")
        return error if own is None else _remote(error, own, connect)

    convert.of_hudilite = True  # type: ignore[attr-defined]
    core.convert_exception = convert


def _remote(error: Any, own: Told, connect: Any) -> Any:
    unknown = (connect.SparkConnectGrpcException, getattr(connect, "UnknownException", None))
    kind: Any = connect.SparkRuntimeException if type(error) in unknown else type(error)
    raised = _class(kind, True)
    shown = raised.__new__(raised, own.text)
    shown.__dict__.update(error.__dict__)
    shown._told = own
    return shown
