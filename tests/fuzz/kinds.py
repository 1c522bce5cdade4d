"""Column types: values as they lie in a replayable case, and the SQL that makes Spark's values of them and back.

In a case every value is JSON: each leaf its text (dates as days and timestamps as microseconds since 1970, binary as
hexadecimal), a list for an array, a list of pairs for a map and an object for a struct. So a case holds what Python
has no type for, such as the year 290000, and is the same after a round trip through a file.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

Value = Any

TEXTS = (
    "", " ", "a", "b", "ab", "abc", "A", "null", "NULL", "é", "e\u0301", "日本", "🦆", "\uffff", "\ue000", "a/b", "a.b",
    "%", "100%", "_x", "it's", '"', "\\", "a\\b", "\u0000", "\t", "0", "1", "-1", "x" * 80, "é" * 40,
)  # fmt: skip
FLOATS = ("0.0", "-0.0", "1.5", "-2.25", "0.1", "NaN", "Infinity", "-Infinity", "1.4E-45", "3.4028235E38", "100.0")
#: Days: 1970, the day before, now, 0001-01-01, the last Julian day, 9999-12-31, and what only an int can hold.
DAYS = ("0", "-1", "19000", "20500", "-719162", "-141428", "2932896", "1000000", "-1000000")
#: Microseconds, in the same order.
MICROS = (
    "0", "-1", "1641600000123456", "1771200000000001", "-62135596800000000", "-12219292800000000", "253402300799999999",
    "9223372036854775807", "-9223372036854775808", "999", "-1500",
)  # fmt: skip
SOME_MICROS = MICROS[:7]  # of years that can be written as literals
POOLS: dict[str, tuple[str, ...]] = {
    "boolean": ("true", "false"),
    "tinyint": ("0", "1", "-1", "127", "-128"),
    "smallint": ("0", "1", "-1", "32767", "-32768"),
    "int": ("0", "1", "-1", "2", "3", "7", "42", "2147483647", "-2147483648"),
    "bigint": ("0", "1", "-1", "2", "3", "7", "42", "2147483648", "9223372036854775807", "-9223372036854775808"),
    "float": FLOATS,
    "double": (*FLOATS, "4.9E-324", "1.7976931348623157E308"),
    "decimal(5,2)": ("0.00", "1.50", "-1.50", "999.99", "-999.99", "0.01"),
    "decimal(18,3)": ("0.000", "1.500", "-0.001", "999999999999999.999", "-999999999999999.999"),
    "decimal(38,10)": ("0E-10", "1.5000000000", "-0.0000000001", "9999999999999999999999999999.9999999999"),
    "string": TEXTS,
    "binary": ("", "00", "61", "6162", "FF", "FF00", "C3A9"),
    "date": DAYS,
    "timestamp": MICROS,
    "timestamp_ntz": MICROS,
}
#: Types in the table for those that Avro lacks.
STORED = {"tinyint": "int", "smallint": "int"}
#: Pools of all types, those included that only a wider column gets.
WIDE_POOLS = {**POOLS, "decimal(9,2)": ("0.00", "1.50", "-1.50", "9999999.99", "-9999999.99", "0.01")}
#: Types that a column may have later, as the rows of a write bring them.
WIDER = {"int": ("bigint", "double"), "float": ("double",), "decimal(5,2)": ("decimal(9,2)",)}
NESTED_LEAVES = ("int", "bigint", "string", "double", "date", "timestamp", "decimal(18,3)", "boolean", "binary")
NUMBERS = ("tinyint", "smallint", "int", "bigint")


def quoted(text: str) -> str:
    """A text as a literal of SQL."""
    plain = text.replace("\\", "\\\\").replace("'", "\\'").replace("\u0000", "\\u0000")
    return f"'{plain}'"


def name(column: str) -> str:
    """A column's name in SQL."""
    return f"`{column.replace('`', '``')}`"


@dataclass(frozen=True)
class Kind:
    """A Spark type: `ddl` names it, `carrier` is the type of the same value with texts for leaves."""

    ddl: str
    carrier: str
    decode: Callable[[str], str]
    encode: Callable[[str], str]
    draw: Callable[[random.Random], Value]
    parts: tuple[tuple[str, Kind], ...] = ()  # fields of a struct, the element of an array, the value of a map

    @property
    def leaf(self) -> bool:
        return not self.parts

    @property
    def opaque(self) -> bool:
        """JSON of it would depend on the time zone, or on the order of a map, which a log does not keep."""
        special = self.ddl in ("date", "timestamp", "timestamp_ntz") or self.ddl.startswith("map<")
        return special or any(part.opaque for _, part in self.parts)

    @property
    def number(self) -> bool:
        return self.ddl in NUMBERS

    def shown(self, expression: str) -> str:
        """The expression as results are compared."""
        return self.encode(expression) if self.opaque else expression

    def literal(self, rng: random.Random) -> str:
        """SQL for a value of a leaf, one that is likely to be in a table."""
        pool = SOME_MICROS if self.ddl.startswith("timestamp") else WIDE_POOLS[self.ddl]
        return self.of(rng.choice(pool))

    def of(self, text: str) -> str:
        """SQL for this value of a leaf."""
        return quoted(text) if self.ddl == "string" else self.decode(quoted(text))


def _decode(ddl: str) -> Callable[[str], str]:
    match ddl:
        case "string":
            return lambda e: e
        case "binary":
            return lambda e: f"unhex({e})"
        case "date":
            return lambda e: f"date_from_unix_date(cast({e} AS int))"
        case "timestamp":
            return lambda e: f"timestamp_micros(cast({e} AS bigint))"
        case "timestamp_ntz":  # in a session whose zone is UTC
            return lambda e: f"cast(timestamp_micros(cast({e} AS bigint)) AS timestamp_ntz)"
    return lambda e: f"cast({e} AS {ddl})"


def _encode(ddl: str) -> Callable[[str], str]:
    match ddl:
        case "binary":
            return lambda e: f"hex({e})"
        case "date":
            return lambda e: f"cast(unix_date({e}) AS string)"
        case "timestamp":
            return lambda e: f"cast(unix_micros({e}) AS string)"
        case "timestamp_ntz":
            return _micros_without_zone
    return lambda e: f"cast({e} AS string)"


def _micros_without_zone(e: str) -> str:
    """Microseconds, for which Spark has no function that lets the session's time zone alone."""
    days = f"cast(unix_date(cast({e} AS date)) AS decimal(12,0))"
    seconds = f"cast(extract(SECOND FROM {e}) * 1000000 AS decimal(12,0))"
    return f"cast({days} * 86400000000L + hour({e}) * 3600000000L + minute({e}) * 60000000L + {seconds} AS string)"


def _leaf(ddl: str) -> Kind:
    pool = WIDE_POOLS.get(ddl, ())
    return Kind(ddl, "string", _decode(ddl), _encode(ddl), lambda rng: rng.choice(pool))


def _some(rng: random.Random, draw: Callable[[random.Random], Value]) -> Value:
    return None if rng.random() < 0.2 else draw(rng)


def _array(element: Kind) -> Kind:
    return Kind(
        f"array<{element.ddl}>",
        f"array<{element.carrier}>",
        lambda e: f"transform({e}, x{depth(element)} -> {element.decode(f'x{depth(element)}')})",
        lambda e: f"transform({e}, x{depth(element)} -> {element.encode(f'x{depth(element)}')})",
        lambda rng: [_some(rng, element.draw) for _ in range(rng.choice((0, 1, 2, 3)))],
        (("element", element),),
    )


def _map(value: Kind) -> Kind:
    x = f"x{depth(value)}"
    entry = f"struct<k:string,v:{value.carrier}>"
    return Kind(
        f"map<string,{value.ddl}>",
        f"array<{entry}>",
        lambda e: f"map_from_entries(transform({e}, {x} -> struct({x}.k AS k, {value.decode(f'{x}.v')} AS v)))",
        # A log holds maps in no order.
        lambda e: (
            f"array_sort(transform(map_entries({e}), {x} -> struct({x}.key AS k, {value.encode(f'{x}.value')} AS v)))"
        ),
        lambda rng: [
            {"k": key, "v": _some(rng, value.draw)} for key in rng.sample(("k", "n", "", "é"), rng.randint(0, 3))
        ],
        (("value", value),),
    )


def _struct(fields: tuple[tuple[str, Kind], ...]) -> Kind:
    def each(change: Callable[[Kind, str], str], e: str) -> str:
        made = ", ".join(f"{quoted(field)}, {change(kind, f'{e}.{name(field)}')}" for field, kind in fields)
        null = "NULL"
        return f"if({e} IS NULL, {null}, named_struct({made}))"

    return Kind(
        f"struct<{','.join(f'{field}:{kind.ddl}' for field, kind in fields)}>",
        f"struct<{','.join(f'{field}:{kind.carrier}' for field, kind in fields)}>",
        lambda e: each(lambda kind, value: kind.decode(value), e),
        lambda e: each(lambda kind, value: kind.encode(value), e),
        lambda rng: {field: _some(rng, kind.draw) for field, kind in fields},
        fields,
    )


def depth(kind: Kind) -> int:
    """How many levels are in a type; makes the names of variables differ."""
    return 1 + max((depth(part) for _, part in kind.parts), default=0)


@cache
def kind(ddl: str) -> Kind:
    """The type of this name."""
    if ddl.startswith("array<"):
        return _array(kind(ddl[6:-1]))
    if ddl.startswith("map<string,"):
        return _map(kind(ddl[11:-1]))
    if ddl.startswith("struct<"):
        return _struct(tuple((field, kind(inner)) for field, inner in _fields(ddl[7:-1])))
    return _leaf(ddl)


def _fields(text: str) -> list[tuple[str, str]]:
    """Names and types of a struct: parts between the commas that no bracket holds."""
    parts, level, start = [], 0, 0
    for place, letter in enumerate(text):
        level += (letter in "<(") - (letter in ">)")
        if letter == "," and level == 0:
            parts.append(text[start:place])
            start = place + 1
    parts.append(text[start:])
    return [(part.split(":", 1)[0], part.split(":", 1)[1]) for part in parts]


def random_ddl(rng: random.Random, levels: int = 2) -> str:
    """A type that a column may have."""
    if levels == 0 or rng.random() < 0.7:
        return rng.choice(NESTED_LEAVES if levels < 2 else tuple(POOLS))
    inner = random_ddl(rng, levels - 1) if levels < 2 else random_ddl(rng, 1)
    match rng.choice(("array", "map", "struct")):
        case "array":
            return f"array<{inner}>"
        case "map":
            return f"map<string,{inner}>"
    return f"struct<x:{inner},Y:{rng.choice(NESTED_LEAVES)}>"
