"""Checks of the table object's arguments, by their names: one name means one thing in all methods."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Mapping, Sequence
from numbers import Integral
from os import PathLike
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from hudilite.clustering import Layout

_Class = TypeVar("_Class", bound=type)


def invalid(name: str, value: object, reason: str, kind: type[Exception] = ValueError) -> Exception:
    """The error for an argument, in the words of hudilite's other errors."""
    return kind(
        f"[INVALID_OPTION_VALUE] The value '{value}' of {name} is not valid: {reason}. "
        "Correct the value; help() of the method describes it. SQLSTATE: 22023"
    )


def checked(table: _Class) -> _Class:
    """Have the public methods of a class look at their arguments before anything is done."""
    for name, method in list(vars(table).items()):
        if not name.startswith("_") and inspect.isfunction(method):
            setattr(table, name, _checking(method))
    return table


def check(**given: object) -> None:
    """Raise for the first argument whose type does not fit its name.

    Raises
    ------
    TypeError
        With the condition ``INVALID_OPTION_VALUE``. Values of the right type are checked elsewhere.
    """
    for name, value in given.items():
        if name in _KINDS:
            reason, fits = _KINDS[name]
            if not fits(value):
                raise invalid(name, value, f"it must be {reason}", TypeError)


def clustering(
    sort_by: str | Sequence[str] | None,
    layout: Layout | None,
    partitions: str | Sequence[str] | None,
    target_bytes: int | None,
    buckets: int | None,
) -> dict[str, Any]:
    """Those of ``run_clustering``; ``None`` leaves it to the options. One that makes no sense raises ``ValueError``."""
    if target_bytes is not None and target_bytes < 1:
        raise invalid("target_bytes", target_bytes, "it must be 1 or more")
    return {
        "order": _several(sort_by),
        "order_strategy": layout,
        "selected_partitions": _several(partitions),
        "target_bytes": target_bytes,
        "buckets": buckets,
    }


def cleaning(options: Mapping[str, str] | None, policy: str | None, retain: int | None) -> dict[str, str]:
    """Options with the policy and its number; an unknown policy raises ``ValueError``."""
    name = None if policy is None else policy.upper()
    if name is not None and name not in _RETAINED:
        raise invalid("policy", policy, f"it must be one of {', '.join(_RETAINED)}")
    found = {**(options or {}), **({"hoodie.clean.policy": name} if name else {})}
    if retain is not None:
        said = next((found[key] for key in ("hoodie.clean.policy", "hoodie.cleaner.policy") if key in found), None)
        meant = (said or "KEEP_LATEST_COMMITS").upper()
        if meant in _RETAINED:
            # Without a policy the number would be read by the session's.
            found |= {_RETAINED[meant]: str(retain), **({} if said else {"hoodie.clean.policy": meant})}
    return found


def _several(given: str | Sequence[str] | None) -> Sequence[str] | None:
    return [given] if isinstance(given, str) else given


def _checking(method: Callable[..., Any]) -> Callable[..., Any]:
    signature = inspect.signature(method)
    required = {name for name, parameter in signature.parameters.items() if parameter.default is parameter.empty}

    @functools.wraps(method)
    def call(*args: Any, **kwargs: Any) -> Any:
        bound = signature.bind(*args, **kwargs).arguments
        check(**{name: value for name, value in bound.items() if value is not None or name in required})
        return method(*args, **kwargs)

    return call


def _is_text(value: object) -> bool:
    return isinstance(value, str)


def _is_number(value: object) -> bool:
    return isinstance(value, Integral) and not isinstance(value, bool)


def _is_texts(value: object) -> bool:
    return _is_text(value) or (isinstance(value, Sequence) and all(map(_is_text, value)))


def _is_mapping(value: object) -> bool:
    return isinstance(value, Mapping) and all(map(_is_text, value)) and None not in value.values()


def _is_of_pyspark(value: object, name: str) -> bool:
    """One of PySpark's own, of a classic session or one of Spark Connect."""
    return any(c.__name__ == name and c.__module__.startswith("pyspark.sql.") for c in type(value).__mro__)


def _is_assignment(value: object) -> bool:
    return isinstance(value, Mapping) and all(
        _is_text(name) and (_is_text(given) or _is_of_pyspark(given, "Column")) for name, given in value.items()
    )


_RETAINED = {
    "KEEP_LATEST_COMMITS": "hoodie.clean.commits.retained",
    "KEEP_LATEST_BY_HOURS": "hoodie.clean.hours.retained",
    "KEEP_LATEST_FILE_VERSIONS": "hoodie.clean.fileversions.retained",
}
_TEXT = ("a text", _is_text)
_TEXTS = ("a text or several of them", _is_texts)
_NUMBER = ("a whole number", _is_number)
_BOOLEAN = ("True or False", lambda value: isinstance(value, bool))
_FRAME = ("a DataFrame", lambda value: _is_of_pyspark(value, "DataFrame"))
_SECONDS = ("a number of seconds", lambda value: _is_number(value) or isinstance(value, float))
_KINDS: dict[str, tuple[str, Callable[[object], bool]]] = {
    **dict.fromkeys(("path", "as_of", "begin", "end", "instant", "comment", "name"), _TEXT),
    **dict.fromkeys(("strategy", "kind", "layout", "policy"), _TEXT),
    **dict.fromkeys(("sort_by", "partition", "partitions"), _TEXTS),
    **dict.fromkeys(("limit", "target_bytes", "buckets", "retain", "days", "retentionHours", "most_files"), _NUMBER),
    **dict.fromkeys(("dry_run", "if_due", "fix", "deep"), _BOOLEAN),
    **dict.fromkeys(("source", "rows"), _FRAME),
    "condition": ("a text in SQL or a column", lambda value: _is_text(value) or _is_of_pyspark(value, "Column")),
    **dict.fromkeys(
        ("set", "values"),
        ("a mapping of names of columns to texts in SQL or columns", lambda value: _is_assignment(value)),
    ),
    "timeout": _SECONDS,
    "options": ("a mapping of names to values", _is_mapping),
    "progress": ("a function of two numbers, or True", lambda value: callable(value) or isinstance(value, bool)),
    "file": ("a path", lambda value: isinstance(value, (str, PathLike))),
}
