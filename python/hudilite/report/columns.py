"""Columns of a table without Spark, with types in Spark's words."""

from __future__ import annotations

import json
from typing import Any

from hudilite.inspect.folder import Folder
from hudilite.inspect.instants import WRITES, Instant, metadata

_PLAIN = {"long": "bigint", "bytes": "binary"}
_LOGICAL = {
    "date": "date",
    "timestamp-micros": "timestamp",
    "timestamp-millis": "timestamp",
    "local-timestamp-micros": "timestamp_ntz",
    "local-timestamp-millis": "timestamp_ntz",
}


def of_table(folder: Folder, timeline: list[Instant]) -> tuple[tuple[str, str], ...]:
    """Names and types of the columns, as the newest commit or else the table's properties have them."""
    newest = next((i for i in reversed(timeline) if i.state == "completed" and i.action in WRITES), None)
    said = (metadata(folder, newest).get("extraMetadata") or {}).get("schema") if newest else None
    schema = said or folder.properties.get("hoodie.table.create.schema")
    if not schema:
        return ()
    fields = json.loads(schema).get("fields", [])
    return tuple((f["name"], _type(f["type"])) for f in fields if not f["name"].startswith("_hoodie_"))


def _type(avro: Any) -> str:
    if isinstance(avro, list):
        return _type(next((each for each in avro if each != "null"), "null"))
    if isinstance(avro, str):
        return _PLAIN.get(avro, avro)
    logical, kind = avro.get("logicalType"), avro["type"]
    if logical == "decimal":
        return f"decimal({avro['precision']},{avro.get('scale', 0)})"
    if logical in _LOGICAL:
        return _LOGICAL[logical]
    if kind == "array":
        return f"array<{_type(avro['items'])}>"
    if kind == "map":
        return f"map<string,{_type(avro['values'])}>"
    if kind == "record":
        return f"struct<{','.join(f['name'] + ':' + _type(f['type']) for f in avro['fields'])}>"
    return _type(kind) if kind not in ("fixed", "enum") else {"fixed": "binary", "enum": "string"}[kind]
