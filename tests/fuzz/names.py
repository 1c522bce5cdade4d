"""Record keys and partition paths as Hudi spells them, of values as a case holds them."""

from __future__ import annotations

import datetime
from collections.abc import Mapping, Sequence
from typing import Any

DEFAULT = "__HIVE_DEFAULT_PARTITION__"
ESCAPED = {chr(code) for code in (*range(0x01, 0x20), 0x7F)} | set("\"#%'*/:=?\\{[]^")
EPOCH = datetime.datetime(1970, 1, 1)


def text(value: str | None, ddl: str) -> str | None:
    """A value's text: Java's own spelling, which most types have in a case, too, and timestamps in microseconds."""
    if value is None:
        return None
    if ddl == "date":
        return (EPOCH + datetime.timedelta(days=int(value))).date().isoformat()
    return value


def record_key(row: Mapping[str, Any], fields: Sequence[tuple[str, str]], prefixed: bool) -> str:
    """The record key of a row; `fields` are names and types, and the names are part of it where it is `prefixed`."""
    values = [text(row[name], ddl) for name, ddl in fields]
    if not prefixed:
        assert values[0], "a key has a value"
        return values[0]
    spelled = ["__null__" if value is None else value or "__empty__" for value in values]
    return ",".join(f"{name}:{value}" for (name, _), value in zip(fields, spelled, strict=True))


def partition_path(
    row: Mapping[str, Any], fields: Sequence[tuple[str, str]], hive_style: bool, url_encode: bool
) -> str:
    """The partition path of a row."""
    levels = []
    for name, ddl in fields:
        value = text(row[name], ddl) or DEFAULT
        if url_encode:
            value = "".join(f"%{ord(letter):02X}" if letter in ESCAPED else letter for letter in value)
        levels.append(f"{name}={value}" if hive_style else value)
    return "/".join(levels)
