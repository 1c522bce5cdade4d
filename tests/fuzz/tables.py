"""Random tables: columns, keys, partitions, and the options of their writes."""

from __future__ import annotations

import random
from dataclasses import dataclass, field, replace
from typing import Any

import engines

from fuzz import kinds, names
from fuzz.excluded import allowed

Column = tuple[str, str]  # name and type
Row = dict[str, Any]

NAMES = (
    "v", "order", "select", "_x", "Value", "x1", "__d", "count", "KEY_2", "element", "key", "list", "array", "offset",
    "Z", "a_b", "timestamp", "key_value", "bag", "position",
)  # fmt: skip
KEY_POOLS: dict[str, tuple[str, ...]] = {
    "string": (
        *tuple(f"k{i:02d}" for i in range(24)),
        "é",
        "日本",
        "🦆",
        "\uffff",
        "a,b",
        "a:b",
        "a/b",
        " ",
        "%",
        "'",
        "\\",
        "\x7f",
    ),
    "int": (*tuple(str(i * 37 - 300) for i in range(30)), "2147483647", "-2147483648"),
    "bigint": tuple(str(i * 370000000000 - 3000) for i in range(30)),
    "date": tuple(str(i * 400 - 3000) for i in range(20)),
    "decimal(18,3)": tuple(f"{i - 9}.{i % 10}00" for i in range(20)),
    "double": ("0.5", "1.0", "-2.25", "100.0", "1.0E10", "1.0E-5", "3.5", "1.5", "2.5", "1.7976931348623157E308"),
    "timestamp": tuple(str(1700000000000000 + i * 3600000001) for i in range(20)),
}
PARTITION_POOLS: dict[str, tuple[str | None, ...]] = {
    "string": ("p1", "p2", "2026-01-01", "é ü", None),
    "int": ("1", "-2", "30", None),
    "bigint": ("1", "2", "9223372036854775807"),
    "date": ("20454", "20455", "-1", None),
    "boolean": ("true", "false", None),
    "decimal(5,2)": ("1.50", "-2.00"),
}
ENCODED = ("a/b", "x=y", "100%", "a:b", "[d]", "q?", "", ".", "..")
PLAIN = ("x=y", "", "{c}")
PAYLOAD = "hoodie.datasource.write.payload.class"
MODEL = "org.apache.hudi.common.model."
DROP = "hoodie.datasource.write.drop.partition.columns"
#: Types of partition columns whose values their paths tell.
TOLD_BY_PATHS = ("string", "int", "bigint", "date", "boolean")
BUCKETS = ("1", "2", "3", "4", "7", "8")
ORDERING_POOLS: dict[str, tuple[str, ...]] = {
    "bigint": ("1", "2", "3", "4", "5", "6", "9223372036854775807"),
    "int": ("-5", "-1", "0", "1", "2", "3", "2147483647"),
    "date": ("-1000000", "-1", "0", "1", "20000", "20001"),
    "timestamp": ("-62135596800000000", "-1", "0", "1", "1641600000123456", "1641600000123457"),
    "decimal(18,3)": ("-1.500", "0.000", "0.001", "1.000", "10.000"),
    "string": ("a", "aa", "ab", "b", "c"),
    "double": ("-2.25", "0.5", "1.5", "100.0", "Infinity"),
}
BASE_FILES = {
    "hoodie.parquet.max.file.size": ("1", "3000", "20000", None, None),
    "hoodie.parquet.small.file.limit": ("0", "5000", None, None),
    "hoodie.parquet.block.size": ("1000", None, None),
    "hoodie.parquet.page.size": ("64", None, None),
    "hoodie.parquet.compression.codec": ("snappy", "uncompressed", "gzip", None, None, None),
    "hoodie.bulkinsert.sort.mode": ("GLOBAL_SORT", "PARTITION_SORT", None),
    "hoodie.index.bloom.num_entries": ("10", "1000"),
    "hoodie.bloom.index.filter.type": ("SIMPLE", None),
    "hoodie.copyonwrite.record.size.estimate": ("20", None),
}
#: Lookups take ranges and filters of keys from the metadata table.
KEY_FACTS = {
    "hoodie.metadata.index.column.stats.enable": "true",
    "hoodie.metadata.index.bloom.filter.enable": "true",
    "hoodie.bloom.index.use.metadata": "true",
}
LOGS = {
    "hoodie.logfile.data.block.format": ("avro", "avro", "parquet"),
    "hoodie.logfile.data.block.max.size": ("500", None, None),
    "hoodie.logfile.max.size": ("500", None, None),
    "hoodie.write.record.positions": ("false", None),
    "hoodie.merge.small.file.group.candidates.limit": ("0", "3", None),
}


@dataclass(frozen=True)
class Spec:
    """Properties of a table when it is made; `facts` come with the first write, `always` with each one."""

    version: int
    log: bool
    columns: list[Column]
    key: list[str]
    partition: list[str]
    ordering: str | None
    event_time: bool
    hive_style: bool = False
    url_encode: bool = False
    index: str = "SIMPLE"
    deletes: bool = False
    generated: bool = False  # the table has no record key fields; `key` are columns like others
    payload: str = ""  # class of Hudi's by which rows complete each other
    dropped: bool = False  # files have no partition columns
    facts: dict[str, str] = field(default_factory=dict)
    always: dict[str, str] = field(default_factory=dict)

    @staticmethod
    def of(read: dict[str, Any]) -> Spec:
        """The table that a case has as plain data."""
        return Spec(**{**read, "columns": [tuple(column) for column in read["columns"]]})

    @property
    def in_buckets(self) -> bool:
        return self.index == "BUCKET"

    @property
    def keeps_metadata(self) -> bool:
        return KEY_FACTS.items() <= self.always.items()

    @property
    def is_global(self) -> bool:
        return self.index.startswith("GLOBAL_")

    @property
    def fixed(self) -> list[str]:
        """Columns whose type never changes."""
        return [*self.key, *self.partition, *([self.ordering] if self.ordering else []), "_hoodie_is_deleted"]

    @property
    def needs_order(self) -> bool:
        """A row without an ordering value is refused."""
        return self.log and self.event_time

    def typed(self, fields: list[str]) -> list[Column]:
        types = dict(self.columns)
        return [(name, types[name]) for name in fields]

    def record_key(self, row: Row) -> str:
        prefixed = len(self.key) > 1 or len(self.partition) > 1  # then the key generator is the complex one
        return names.record_key(row, self.typed(self.key), prefixed)

    def partition_path(self, row: Row) -> str:
        return names.partition_path(row, self.typed(self.partition), self.hive_style, self.url_encode)

    def options(self) -> dict[str, str]:
        """Facts of the table as options of its first write."""
        key = () if self.generated else tuple(self.key)
        shape = engines.Shape(self.version, key, tuple(self.partition), self.ordering)
        mode = "EVENT_TIME_ORDERING" if self.event_time else "COMMIT_TIME_ORDERING"
        merging = {PAYLOAD: MODEL + self.payload} if self.payload else {"hoodie.record.merge.mode": mode}
        return {
            **shape.options(),
            "hoodie.datasource.write.table.type": "MERGE_ON_READ" if self.log else "COPY_ON_WRITE",
            **merging,
            engines.HIVE_STYLE: str(self.hive_style).lower(),
            engines.URL_ENCODE: str(self.url_encode).lower(),
            **({DROP: "true"} if self.dropped else {}),
            **self.facts,
        }


def chosen(rng: random.Random, choices: dict[str, tuple[str | None, ...]]) -> dict[str, str]:
    """One value of some options."""
    return {option: value for option, pool in choices.items() if (value := rng.choice(pool)) is not None}


@dataclass(frozen=True)
class Wish:
    """Fixed properties of a table that else is random."""

    version: int | None = None
    log: bool | None = None
    index: str | None = None
    partitions: int | None = None
    nested: bool = False
    event_time: bool | None = None
    blocks: str | None = None  # format of data blocks in logs
    decimals: bool = False
    generated: bool = False
    partial: bool = False  # rows complete each other
    dropped: bool = False  # files have no partition columns


ANY = Wish()
DECIMALS = ("decimal(5,2)", "decimal(18,3)", "decimal(38,10)", "array<decimal(5,2)>", "struct<x:decimal(18,3),Y:int>")
NESTED = ("array<struct<x:int,Y:string>>", "map<string,array<date>>", "struct<x:decimal(18,3),Y:timestamp>")


def random_spec(rng: random.Random, wish: Wish = ANY) -> Spec:
    """A table to be."""
    log = rng.random() < 0.5 if wish.log is None else wish.log
    key = [("id", rng.choice(("string", "string", "string", *KEY_POOLS)))]
    if rng.random() < 0.25:
        key.append((rng.choice(("n", "Key2")), rng.choice(("int", "string"))))
    version = wish.version or rng.choice((6, 8, 9, 9))
    # Below version 9 no other engine would agree on the spelling of one key field beside several of the partition.
    count = rng.choice((0, 1, 1, 1, 2, 3) if version == 9 or len(key) > 1 else (0, 1))
    count = count if wish.partitions is None else wish.partitions
    types = TOLD_BY_PATHS if wish.dropped else tuple(PARTITION_POOLS)
    partition = [(f"{'dpt'[i]}t", rng.choice(("string", "string", *types))) for i in range(count)]
    ordered = rng.random() < 0.85 or wish.event_time
    ordering = ("ts", rng.choice(("bigint", "bigint", *ORDERING_POOLS))) if ordered else None
    indexes = ["SIMPLE", "SIMPLE", "BLOOM", "BUCKET", "GLOBAL_SIMPLE", "GLOBAL_BLOOM"]
    index = wish.index or rng.choice(indexes)
    others = rng.sample(NAMES, rng.randint(2, 6))
    free = [(name, kinds.random_ddl(rng)) for name in others]
    free += [(f"nested{i}", ddl) for i, ddl in enumerate(NESTED)] if wish.nested else []
    free += [(f"amount{i}", ddl) for i, ddl in enumerate(DECIMALS)] if wish.decimals else []
    columns = [*key, *([ordering] if ordering else []), *free, *partition]
    deletes = rng.random() < 0.25
    if deletes:
        columns.append(("_hoodie_is_deleted", "boolean"))
    always = chosen(rng, BASE_FILES) | {"hoodie.index.type": index} | (chosen(rng, LOGS) if log else {})
    if log and wish.blocks:
        always["hoodie.logfile.data.block.format"] = wish.blocks
    # Files with decimals are written again in place by other writers, whose sizes a metadata table would not have.
    if index.endswith("BLOOM") and not wish.decimals:
        always |= random.Random(repr(columns)).choice((KEY_FACTS, KEY_FACTS, {}))  # of its own: other choices stay
    if index == "BUCKET":
        always[engines.BUCKETS] = rng.choice(BUCKETS)
    if deletes and log:
        # A rewrite forgets deletes that a log would keep; which groups are small enough is not for a model to know.
        always["hoodie.parquet.small.file.limit"] = "0"
    spec = Spec(
        version=version, log=log, columns=columns, key=[n for n, _ in key],
        partition=[n for n, _ in partition], ordering=ordering and ordering[0],
        event_time=bool(ordering) and (rng.random() < 0.7 if wish.event_time is None else wish.event_time),
        hive_style=rng.random() < 0.3, url_encode=rng.random() < 0.4,
        index=index, deletes=deletes, always=always,
        generated=wish.generated or (wish is ANY and index in ("SIMPLE", "BLOOM") and rng.random() < 0.15),
    )  # fmt: skip
    spec = partial(spec) if wish.partial or (wish is ANY and rng.random() < 0.15) else spec
    return dropping(spec) if wish.dropped or (wish is ANY and rng.random() < 0.2) else spec


def dropping(spec: Spec) -> Spec:
    """The table with files that have no partition columns, if it can be one."""
    types = [ddl for _, ddl in spec.typed(spec.partition)]
    return replace(spec, dropped=bool(types) and all(ddl in TOLD_BY_PATHS for ddl in types))


def partial(spec: Spec) -> Spec:
    """The table with rows that complete each other, if it can be one. A row that moves between logs leaves a delete,
    beyond which it is completed if it comes back.
    """
    if spec.generated or (spec.event_time and spec.version < 9) or (spec.log and spec.is_global):
        return spec
    payload = "PartialUpdateAvroPayload" if spec.event_time else "OverwriteNonDefaultsWithLatestAvroPayload"
    columns = [column for column in spec.columns if column[0] != "_hoodie_is_deleted"]
    return replace(spec, columns=columns, deletes=False, payload=payload)


class Pools:
    """The values that the rows of one table have; few, so that rows meet."""

    def __init__(self, rng: random.Random, spec: Spec) -> None:
        self.rng, self.spec = rng, spec
        types = dict(spec.columns)
        some = rng.randint(8, 40)
        self.keys = {name: self._sample(self._key_pool(types[name], n > 0), some) for n, name in enumerate(spec.key)}
        self.partitions = {name: self._sample(self._partition_pool(types[name]), 4) for name in spec.partition}
        self.fresh = 0

    def _sample(self, pool: tuple[Any, ...], most: int) -> list[Any]:
        return self.rng.sample(pool, min(most, len(pool)))

    def _key_pool(self, ddl: str, second: bool) -> tuple[str | None, ...]:
        if second:
            return ("1", "2") if ddl == "int" else ("x", "y", "", None)
        return KEY_POOLS[ddl]

    def _partition_pool(self, ddl: str) -> tuple[str | None, ...]:
        return tuple(value for value in self._partition_values(ddl) if not self.spec.dropped or self._is_told(value))

    def _is_told(self, value: str | None) -> bool:
        """Return true if the path of the value gives it back."""
        return value is None or (value != "" and (self.spec.url_encode or self.spec.hive_style or "=" not in value))

    def _partition_values(self, ddl: str) -> tuple[str | None, ...]:
        pool = PARTITION_POOLS[ddl]
        if ddl != "string":
            return pool
        if self.spec.url_encode:
            return pool + tuple(value for value in ENCODED if value not in (".", "..") or allowed("dots in partitions"))
        nested = ("a/b",) if len(self.spec.partition) == 1 and not self.spec.hive_style else ()
        return pool + PLAIN + nested

    def row(self, columns: list[Column], fresh_key: bool = False) -> Row:
        """A row with values for all columns."""
        row: Row = {}
        for column, ddl in columns:
            if column in self.keys:
                row[column] = self.rng.choice(self.keys[column])
            elif column in self.partitions:
                row[column] = self.rng.choice(self.partitions[column])
            elif column == self.spec.ordering:
                row[column] = self._ordering(ddl)
            elif column == "_hoodie_is_deleted":
                row[column] = self.rng.choice(("true", "false", "false", None))
            else:
                row[column] = None if self.rng.random() < 0.15 else kinds.kind(ddl).draw(self.rng)
        if fresh_key:
            self._freshen(row)
        return row

    def _ordering(self, ddl: str) -> str | None:
        nothing = self.rng.random() < 0.05 and not self.spec.needs_order
        return None if nothing else self.rng.choice(ORDERING_POOLS[ddl])

    def _freshen(self, row: Row) -> None:
        """Give the row a key that no other row has."""
        self.fresh += 1
        first = self.spec.key[0]
        ddl = dict(self.spec.columns)[first]
        number = 5000 + self.fresh
        spelled = {"string": f"new{number}", "decimal(18,3)": f"{number}.000", "double": f"{number}.0"}
        row[first] = spelled.get(ddl, str(number))
