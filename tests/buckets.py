"""The bucket index as it must be on disk: which file group a record key belongs to, reckoned anew."""

from __future__ import annotations

from pathlib import Path

from engines import Engine
from rows import KEY, PARTITION

FILE_ID = "_hudilite_file_id"


def java_hash(text: str | None) -> int:
    """`String.hashCode` of Java, unsigned; 0 for no string."""
    data = (text or "").encode("utf-16-be", "surrogatepass")
    value = 0
    for high, low in zip(data[::2], data[1::2], strict=True):
        value = (31 * value + high * 256 + low) % 2**32
    return value


def bucket_of(values: list[str | None], count: int) -> int:
    """Bucket of a key with these values in its hash fields."""
    value = 1
    for each in values:
        value = (31 * value + java_hash(each)) % 2**32
    return (value & 0x7FFFFFFF) % count


def assert_one_group_a_bucket(engine: Engine, path: Path, count: int = 4) -> None:
    """Every row of a table with plain record keys lies in the one file group of its bucket."""
    groups: dict[tuple[str, int], str] = {}
    for key, partition, file_id in engine.read(path).select(KEY, PARTITION, FILE_ID).collect():
        bucket = bucket_of([key], count)
        assert file_id.startswith(f"{bucket:08d}-"), (key, file_id)
        assert groups.setdefault((partition, bucket), file_id) == file_id, (partition, bucket)
    assert groups
