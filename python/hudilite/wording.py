"""Numbers, times and properties of a table in texts for people."""

from __future__ import annotations

from collections.abc import Mapping

_TYPES = {"COPY_ON_WRITE": "copy-on-write", "MERGE_ON_READ": "merge-on-read"}
_STEP = 1024
_UNITS = ("bytes", "KiB", "MiB", "GiB", "TiB", "PiB")


def size(count: float) -> str:
    """A number of bytes in binary units, to three digits: ``1.46 MiB``."""
    power = 0
    while count >= _STEP and power < len(_UNITS) - 1:
        count, power = count / _STEP, power + 1
    whole = power == 0 or count >= 100
    return f"{count:,.0f} {_UNITS[power]}" if whole else f"{count:.3g} {_UNITS[power]}"


def number(count: int, thing: str = "") -> str:
    """A number with its thousands apart, and its thing in the plural where that is right: ``1,204 files``."""
    return f"{count:,}" + (f" {thing}{'' if count == 1 else 's'}" if thing else "")


def moment(instant: str | None) -> str:
    """An instant, or a completion time, as date and time in the table's zone."""
    if instant is None:
        return ""
    if len(instant) < 14 or not instant.isdigit():
        return instant
    date, clock = instant[:8], instant[8:14]
    return f"{date[:4]}-{date[4:6]}-{date[6:]} {clock[:2]}:{clock[2:4]}:{clock[4:]}"


def about(properties: Mapping[str, str]) -> dict[str, str]:
    """Properties of a table, by the names that people use.

    Parameters
    ----------
    properties
        The table's properties.
    """

    def first(*names: str) -> str:
        return next((properties[name] for name in names if properties.get(name)), "")

    kind = first("hoodie.table.type")
    zone = first("hoodie.table.timeline.timezone").upper()
    return {
        "type": _TYPES.get(kind, kind),
        "version": first("hoodie.table.version"),
        "record key": first("hoodie.table.recordkey.fields") or "none",
        "ordering": first("hoodie.table.ordering.fields", "hoodie.table.precombine.field") or "commit time",
        "partitioned by": first("hoodie.table.partition.fields") or "nothing",
        "index": first("hoodie.index.type") or "named by each write",
        "times in": "UTC" if zone == "UTC" else "the zone of the writers",
    }
