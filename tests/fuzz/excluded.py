"""Cases that are not made, by name, each with the reason: what the connector refuses, cannot do yet, or does as Apache
Hudi does though a model would not. An entry goes when its reason does; nothing else has to change.
"""

from __future__ import annotations

EXCLUDED: dict[str, str] = {
    "late rows of deleted keys": "where a log holds a delete without an ordering value and a row behind it, both "
    "engines compare that row with the one in the base file, as if there had been no delete",
    "copies in logs of buckets": "rows for a bucket that is there go to its log, which both engines merge by key",
    "copies that complete each other": "which of several rows of a key completes the next one is nobody's to know",
    "late rows that complete others in logs": "records of a log meet each other before the row of the base "
    "file, so that a row that comes too late completes others than it would one by one",
    "dots in partitions": "partition values . and .. are refused, whatever the encoding",
}


def allowed(case: str) -> bool:
    """Return true if cases of this kind are made."""
    return case not in EXCLUDED
