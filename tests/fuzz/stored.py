"""Base files as another writer would have made them: decimals in other physical types of Parquet.

Parquet stores a decimal as int32, int64, bytes of one length or bytes of any, and each writer of Hudi's tables has its
own choice: Spark's takes numbers up to 18 digits, Avro's takes bytes.
"""

from __future__ import annotations

import os
import random
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

from pyspark.sql import SparkSession

DECIMAL = re.compile(
    r"(?:int32|int64|binary|fixed_len_byte_array\(\d+\)) (?P<name>\S+) \(DECIMAL\((?P<digits>\d+),(?P<scale>\d+)\)\)"
)


def physical_types(digits: int) -> list[str]:
    """The physical types that Parquet allows for a decimal of so many digits."""
    least = (len(bin(10**digits)) - 2) // 8 + 1
    numbers = ["int32"] * (digits <= 9) + ["int64"] * (digits <= 18)
    return [*numbers, "binary", f"fixed_len_byte_array({least})", f"fixed_len_byte_array({least + 3})"]


def shared_types(digits: int) -> list[str]:
    """Those that the writers of both engines have, and that Apache Hudi's readers take."""
    number, *_, shortest, _ = physical_types(digits)
    return [number, shortest]


class Stored:
    """Writes base files again with the same rows, the same metadata and other types."""

    def __init__(self, spark: SparkSession, rng: random.Random, kinds: Callable[[int], list[str]] = physical_types):
        """`kinds` are the types to choose from for a decimal of so many digits."""
        self.jvm: Any = spark._jvm
        self.conf: Any = spark._jsc.hadoopConfiguration()
        self.rng, self.kinds = rng, kinds
        self.rows: Any = self.jvm.java.lang.Class.forName("org.apache.parquet.example.data.simple.SimpleGroup")
        self.values = self.rows.getDeclaredField("data")
        self.values.setAccessible(True)

    def again(self, file: Path) -> int:
        """Replaces a file; how many of its columns are decimals, of which each gets a physical type by chance."""
        parquet, path = self.jvm.org.apache.parquet, self.jvm.org.apache.hadoop.fs.Path(str(file))
        opened = parquet.hadoop.ParquetFileReader.open(parquet.hadoop.util.HadoopInputFile.fromPath(path, self.conf))
        try:
            footer = opened.getFooter().getFileMetaData()
        finally:
            opened.close()
        text, found = DECIMAL.subn(self.other_type, footer.getSchema().toString())
        if not found:
            return 0
        schema = parquet.schema.MessageTypeParser.parseMessageType(text)
        kept = {key: text for key, text in footer.getKeyValueMetaData().items() if key != "writer.model.name"}
        made = file.parent / f".{file.name}.again"
        writer = (
            parquet.hadoop.example.ExampleParquetWriter.builder(self.jvm.org.apache.hadoop.fs.Path(str(made)))
            .withType(schema)
            .withExtraMetaData(kept)
            .build()
        )
        reader = parquet.hadoop.ParquetReader.builder(parquet.hadoop.example.GroupReadSupport(), path).build()
        try:
            while (row := reader.read()) is not None:
                writer.write(self.copied(row, schema))
        finally:
            reader.close()
            writer.close()
        for name in (file.name, made.name):
            (file.parent / f".{name}.crc").unlink(missing_ok=True)
        os.replace(made, file)
        return found

    def other_type(self, decimal: re.Match[str]) -> str:
        kind = self.rng.choice(self.kinds(int(decimal["digits"])))
        return f"{kind} {decimal['name']} (DECIMAL({decimal['digits']},{decimal['scale']}))"

    def copied(self, row: Any, schema: Any) -> Any:
        """A group of values as one of this type."""
        made = self.jvm.org.apache.parquet.example.data.simple.SimpleGroup(schema)
        old, new = self.values.get(row), self.values.get(made)
        for at in range(schema.getFieldCount()):
            kind = schema.getType(at)
            if not DECIMAL.search(kind.toString()):
                new[at].addAll(old[at])
                continue
            before = row.getType().getType(at)
            for number in range(row.getFieldRepetitionCount(at)):
                if kind.isPrimitive():
                    unscaled = self.unscaled(row, at, number, type_of(before))
                    new[at].add(self.value(unscaled, type_of(kind), kind.asPrimitiveType().getTypeLength()))
                else:
                    new[at].add(self.copied(row.getGroup(at, number), kind))
        return made

    def unscaled(self, row: Any, at: int, number: int, kind: str) -> int:
        match kind:
            case "INT32":
                return int(row.getInteger(at, number))
            case "INT64":
                return int(row.getLong(at, number))
        return int.from_bytes(row.getBinary(at, number).getBytes(), "big", signed=True)

    def value(self, unscaled: int, kind: str, length: int) -> Any:
        simple = self.jvm.org.apache.parquet.example.data.simple
        match kind:
            case "INT32":
                return simple.IntegerValue(unscaled)
            case "INT64":
                return simple.LongValue(unscaled)
            case "BINARY":  # of no one length
                length = (unscaled.bit_length() + 8) // 8 + self.rng.choice((0, 0, 2))
        content = unscaled.to_bytes(length, "big", signed=True)
        return simple.BinaryValue(self.jvm.org.apache.parquet.io.api.Binary.fromConstantByteArray(content))


def type_of(field: Any) -> str:
    return str(field.asPrimitiveType().getPrimitiveTypeName().name())
