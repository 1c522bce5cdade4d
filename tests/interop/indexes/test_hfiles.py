"""HFiles of either writer are read by both readers, and are the same bytes."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from engines import SELF_CHECK
from pyspark.sql import SparkSession
from sessions import scala_object

if TYPE_CHECKING:
    from collections.abc import Sequence

pytestmark = pytest.mark.skipif(SELF_CHECK, reason="this is about hudilite's own files")

CREATED_MS = 1_700_000_000_000
SCHEMA = '"bytes"'

# Sorted by their bytes, which is the order of Java's strings, too.
ODD = ["", "a", "a\x00", "a\x00b", "ab", "b" * 125, "b" * 126, "b" * 300, "é", "éa", "日本", "😀"]
MANY = [f"key-{n:05d}" for n in range(0, 300, 2)]

Records = list[tuple[str, bytes]]


def valued(keys: list[str], length: int) -> Records:
    """Values that pack neither to nothing nor not at all."""
    return [(key, (f"{n} of {key} " * length).encode()[:length]) for n, key in enumerate(keys)]


CASES = {
    "none": ([], True, 100),
    "one": (valued(["a"], 10), True, 100),
    "odd": (valued(ODD, 40), True, 200),
    "odd-plain": (valued(ODD, 40), False, 200),
    "long-values": (valued(["a", "b", "c"], 50_000), False, 100),
    "many": (valued(MANY, 60), True, 2000),
    "many-plain": (valued(MANY, 60), False, 2000),
}


def theirs(jvm: Any, records: Records, gzip: bool, block_bytes: int, path: Path) -> bytes:
    """The file of Hudi's writer."""
    io = jvm.org.apache.hudi.io
    codec = io.compress.CompressionCodec.GZIP if gzip else io.compress.CompressionCodec.NONE
    form = io.hfile.HFileContext.builder().compressionCodec(codec).blockSize(block_bytes).fileCreationTime(CREATED_MS)
    out = jvm.java.io.FileOutputStream(str(path))
    writer = io.hfile.HFileWriterImpl(form.build(), out)
    writer.appendFileInfo("schema", SCHEMA.encode())
    for key, value in records:
        writer.append(key, value)
    writer.close()
    out.close()
    return path.read_bytes()


def ours(jvm: Any, records: Records, gzip: bool, block_bytes: int, path: Path, for_seeks: bool = False) -> bytes:
    """The file of hudilite's writer."""
    hfile = jvm.io.hudilite.codec.hfile
    out = jvm.java.io.FileOutputStream(str(path))
    no_facts = scala_object(jvm.scala.collection.immutable, "Nil")
    writer = hfile.HFileWriter(out, hfile.HFileForm(SCHEMA, CREATED_MS, gzip, block_bytes, no_facts, for_seeks))
    for key, value in records:
        writer.append(key.encode(), value)
    length = writer.finish(jvm.scala.Option.empty())
    out.close()
    content = path.read_bytes()
    assert length == len(content)
    return content


def hudi_reader(jvm: Any, content: bytes) -> Any:
    io = jvm.org.apache.hudi.io
    reader = io.hfile.HFileReaderImpl(
        io.ByteArraySeekableDataInputStream(io.ByteBufferBackedInputStream(content)), len(content)
    )
    reader.initializeMetadata()
    return reader


def hudi_value(reader: Any) -> bytes:
    pair = reader.getKeyValue().get()
    start = pair.getValueOffset()
    return bytes(pair.getBytes()[start : start + pair.getValueLength()])


def check_hudi_reads(jvm: Any, content: bytes, records: Records) -> None:
    """Hudi's reader finds all records, one after the other and by seeks, and no others."""
    reader = hudi_reader(jvm, content)
    assert reader.getNumKeyValueEntries() == len(records)
    found = []
    more = reader.seekTo()
    while more:
        found.append((reader.getKeyValue().get().getKey().getContentInString(), hudi_value(reader)))
        more = reader.next()
    assert found == records
    key = jvm.org.apache.hudi.io.hfile.UTF8StringKey
    # Its reader seeks forwards, from the beginning on.
    assert reader.seekTo() == bool(records)
    stored = dict(records[:: 1 + len(records) // 20])
    for text in sorted({*stored, *(f"{key}\x01" for key in stored)}, key=str.encode):
        assert (reader.seekTo(key(text)) == 0) == (text in stored)
        if text in stored:
            assert hudi_value(reader) == stored[text]


def hudilite_reads(jvm: Any, records: Any) -> Records:
    found = []
    while records.next():
        found.append((bytes(records.key()).decode(), bytes(records.value())))
    return found


def scala_keys(jvm: Any, keys: Sequence[str]) -> Any:
    listed = jvm.java.util.ArrayList()
    for key in sorted(keys, key=str.encode):
        listed.add(key.encode())
    return jvm.org.apache.spark.api.python.PythonUtils.toSeq(listed)


@pytest.mark.parametrize("case", CASES)
def test_hfiles_of_either_writer_are_the_same_and_read_by_both(spark: SparkSession, tmp_path: Path, case: str) -> None:
    records, gzip, block_bytes = CASES[case]
    jvm = spark._jvm
    written = ours(jvm, records, gzip, block_bytes, tmp_path / "ours.hfile")
    other = theirs(jvm, records, gzip, block_bytes, tmp_path / "theirs.hfile")
    assert written == other
    check_hudi_reads(jvm, written, records)
    # With checksums, as a record index has them.
    for_seeks = ours(jvm, records, gzip, block_bytes, tmp_path / "seeks.hfile", for_seeks=True)
    assert (for_seeks == other) == (not records)
    check_hudi_reads(jvm, for_seeks, records)
    file = jvm.io.hudilite.codec.hfile.HFile.of(other, "theirs.hfile")
    assert hudilite_reads(jvm, file.scan()) == records
    asked = [key for key, _ in records] + [f"{key}\x01" for key, _ in records]
    assert hudilite_reads(jvm, file.lookup(scala_keys(jvm, asked))) == records
    beginnings = {key[:7] for key, _ in records[::3]}
    matching = [(key, value) for key, value in records if key.startswith(tuple(beginnings))]
    assert hudilite_reads(jvm, file.prefixes(scala_keys(jvm, list(beginnings)))) == matching


def test_keys_in_the_order_of_java_strings_are_found_in_files_of_hudi(spark: SparkSession, tmp_path: Path) -> None:
    keys = ["a", "a😀", "a😀b", "a\uf900", "a\uf900b", "b"]
    assert keys != sorted(keys, key=str.encode)
    jvm = spark._jvm
    records = valued(keys, 30)
    content = theirs(jvm, records, True, 60, tmp_path / "theirs.hfile")
    file = jvm.io.hudilite.codec.hfile.HFile.of(content, "theirs.hfile")
    assert hudilite_reads(jvm, file.scan()) == records
    assert hudilite_reads(jvm, file.lookup(scala_keys(jvm, keys))) == records
    for key, value in records:
        assert hudilite_reads(jvm, file.lookup(scala_keys(jvm, [key]))) == [(key, value)]
    assert hudilite_reads(jvm, file.prefixes(scala_keys(jvm, ["a\uf900"]))) == records[3:5]
