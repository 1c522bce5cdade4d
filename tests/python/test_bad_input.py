"""Wrong calls and damaged tables: each fails with its own condition, and the table stays as it was."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import layout
import pytest
from conditions import fails_with
from engines import (
    AS_OF,
    BEGIN,
    END,
    INDEX,
    OPERATION,
    ORDERING,
    PARTITION,
    QUERY_TYPE,
    RECORD_KEY,
    SELF_CHECK,
    TABLE_VERSION,
    Engine,
    Shape,
    frame,
    list_anew,
    record,
)  # fmt: skip
from rows import rows_of
from test_write_and_read import Story, days

pytestmark = pytest.mark.skipif(SELF_CHECK, reason="these are hudilite's own errors")

Copy = Callable[[str], Path]

FULL_SCAN = "hoodie.datasource.read.incr.fallback.fulltablescan.enable"


@pytest.fixture
def story(lite: Engine, path: Path) -> Story:
    """A table of nine rows."""
    story = Story(lite, path, Shape())
    story.upsert(days(range(9), 1))
    return story


class Untouched:
    """Asserts that a failed call changed no byte of the table."""

    def __init__(self, table: Path) -> None:
        self.table = table

    def __enter__(self) -> None:
        self.before = layout.fingerprint(self.table)

    def __exit__(self, kind: object, *_: object) -> None:
        if kind is None:
            after = layout.fingerprint(self.table)
            after.pop(".hoodie/.hudilite.lock", None)
            self.before.pop(".hoodie/.hudilite.lock", None)
            assert after == self.before


def creating(lite: Engine, path: Path, **changes: str | None) -> None:
    """The first write of a table with some options changed, or left out where the value is None."""
    options = {**Shape().options(), **changes}
    lite.write(frame(lite.spark, days(range(3), 1)), path, **{k: v for k, v in options.items() if v is not None})


def no_table_at(path: Path) -> None:
    assert not (path / ".hoodie").exists()


# Calls that create a table


def test_an_upsert_without_record_keys(lite: Engine, path: Path) -> None:
    with fails_with("INVALID_OPTION_VALUE", "upsert needs record keys"):
        creating(lite, path, **{RECORD_KEY: None})
    no_table_at(path)


def test_an_empty_record_key_option(lite: Engine, path: Path) -> None:
    with fails_with("INVALID_OPTION_VALUE", RECORD_KEY, "no column"):
        creating(lite, path, **{RECORD_KEY: ""})
    no_table_at(path)


@pytest.mark.parametrize("option", [RECORD_KEY, PARTITION, ORDERING])
def test_a_named_column_that_the_data_has_not(lite: Engine, path: Path, option: str) -> None:
    with fails_with("MISSING_COLUMN", "no_such_column", "colour"):
        creating(lite, path, **{option: "no_such_column"})
    no_table_at(path)


def test_a_missing_column_on_a_table_that_exists(story: Story) -> None:
    with Untouched(story.path), fails_with("MISSING_COLUMN", "dt"):
        story.engine.write(frame(story.engine.spark, days(range(3), 2)).drop("dt"), story.path)
    story.check()


@pytest.mark.parametrize(
    ("option", "value", "nearest"),
    [
        ("hoodie.datasource.write.recordkey.fields", "id", "hoodie.datasource.write.recordkey.field"),
        ("hoodie.index.typ", "BLOOM", "hoodie.index.type"),
        ("hoodie.no.such.thing", "1", "hoodie."),
    ],
)
def test_an_unknown_option_names_the_nearest(lite: Engine, path: Path, option: str, value: str, nearest: str) -> None:
    with fails_with("UNKNOWN_OPTION", option, nearest):
        creating(lite, path, **{option: value})
    no_table_at(path)


@pytest.mark.parametrize(
    ("option", "value"),
    [
        (OPERATION, "upsrt"),
        (OPERATION, ""),
        (INDEX, "BTREE"),
        (TABLE_VERSION, "7"),
        (TABLE_VERSION, "nine"),
        ("hoodie.parquet.max.file.size", "-1"),
        ("hoodie.parquet.compression.codec", "zip"),
        ("hoodie.index.bloom.fpp", "2"),
        ("hoodie.bulkinsert.sort.mode", "UP"),
        ("hoodie.combine.before.upsert", "perhaps"),
    ],
)
def test_a_value_that_an_option_cannot_have(lite: Engine, path: Path, option: str, value: str) -> None:
    options = {**Shape().options(), OPERATION: "upsert", option: value}
    with fails_with("INVALID_OPTION_VALUE", option, value):
        frame(lite.spark, days(range(3), 1)).write.format(lite.name).options(**options).mode("append").save(str(path))
    no_table_at(path)


@pytest.mark.parametrize("index", ["INMEMORY", "HBASE"])
def test_an_index_that_is_not_there_is_refused(lite: Engine, path: Path, index: str) -> None:
    with fails_with("INVALID_OPTION_VALUE", INDEX, index):
        creating(lite, path, **{INDEX: index})
    no_table_at(path)


def test_a_path_that_holds_other_files(lite: Engine, path: Path) -> None:
    frame(lite.spark, days(range(3), 1)).write.parquet(str(path))
    with fails_with("TABLE_NOT_FOUND", str(path)):
        lite.read(path).collect()


# Reads


def test_a_path_with_nothing(lite: Engine, path: Path) -> None:
    with fails_with("TABLE_NOT_FOUND", str(path)):
        lite.read(path).collect()
    assert not path.exists()


def test_no_path_at_all(lite: Engine) -> None:
    with fails_with("MISSING_OPTION", "path"):
        lite.spark.read.format(lite.name).load().collect()


@pytest.mark.parametrize(
    ("options", "condition"),
    [
        ({AS_OF: "yesterday"}, "INVALID_INSTANT"),
        ({AS_OF: "2026-13-45"}, "INVALID_INSTANT"),
        ({QUERY_TYPE: "snapshoot"}, "INVALID_OPTION_VALUE"),
        ({QUERY_TYPE: "incremental", BEGIN: "last week"}, "INVALID_INSTANT"),
        ({QUERY_TYPE: "incremental"}, "MISSING_OPTION"),
        ({"hoodie.datasource.read.begin.instant": "0"}, "UNKNOWN_OPTION"),
    ],
)
def test_read_options_that_say_nothing(story: Story, options: dict[str, str], condition: str) -> None:
    option, value = list(options.items())[-1]
    mention = {"MISSING_OPTION": BEGIN, "UNKNOWN_OPTION": option}.get(condition, value)
    with fails_with(condition, mention):
        story.engine.read(story.path, **options).collect()


# Rows that cannot be written; some are only found on the executors, after the write began


def unharmed(story: Story) -> None:
    """Same rows, same data files, nothing pending; a rolled-back attempt may have left its rollback instant."""
    assert layout.is_tidy(story.path)
    story.check()
    assert len(layout.writes(story.path)) == 1


@pytest.mark.parametrize("operation", ["upsert", "insert", "bulk_insert", "delete", "insert_overwrite"])
@pytest.mark.parametrize("key", [None, ""])
def test_a_null_or_empty_key(story: Story, operation: str, key: str | None) -> None:
    files = layout.base_files(story.path)
    bad = [*days(range(3), 2), {**record("x", 2), "id": key}]
    with fails_with("NULL_RECORD_KEY", "id"):
        story.write(bad, operation)
    unharmed(story)
    assert layout.base_files(story.path) == files


@pytest.mark.parametrize(
    ("column", "kind"),
    [("price", "string"), ("ts", "string"), ("price", "struct<a:int>"), ("colour", "array<string>"), ("id", "binary")],
)
def test_a_column_of_another_type(story: Story, column: str, kind: str) -> None:
    types = {"id": "string", "ts": "long", "dt": "string", "colour": "string", "price": "double", column: kind}
    schema = ", ".join(f"{name} {of}" for name, of in types.items())
    value: dict[str, Any] = {"string": "1", "struct<a:int>": (1,), "array<string>": ["a"], "binary": b"1"}
    with Untouched(story.path), fails_with("INCOMPATIBLE_TYPE", column):
        story.engine.write(frame(story.engine.spark, [{**record("k001"), column: value[kind]}], schema), story.path)
    story.check()


# Tables that cannot be used


def change_property(table: Path, pattern: str, replacement: str) -> None:
    file = table / ".hoodie" / "hoodie.properties"
    text, count = re.subn(pattern, replacement, file.read_text(), flags=re.MULTILINE)
    assert count == 1
    file.write_text(text)


@pytest.mark.parametrize("version", ["5", "7", "10"])
def test_an_unsupported_table_version(lite: Engine, golden_copy: Copy, version: str) -> None:
    table = golden_copy("cow-basic-v9")
    change_property(table, r"^hoodie\.table\.version=9$", f"hoodie.table.version={version}")
    with Untouched(table):
        with fails_with("UNSUPPORTED_TABLE_VERSION", version):
            lite.read(table).collect()
        with fails_with("UNSUPPORTED_TABLE_VERSION", version):
            lite.write(lite.spark.range(1), table)


@pytest.mark.parametrize(
    ("pattern", "replacement", "mention"),
    [
        (r"^(hoodie\.table\.base\.file\.format)=.*$", r"\1=ORC", "ORC"),
        (
            r"^(hoodie\.datasource\.write\.drop\.partition\.columns)=.*$",
            "\\1=true\nhoodie.datasource.write.slash.separated.date.partitioning=true",
            "slash-separated",
        ),
        (r"\Z", "hoodie.bootstrap.base.path=/elsewhere\nhoodie.bootstrap.index.enable=false\n", "bootstrap"),
        (r"^(hoodie\.table\.format)=.*$", r"\1=other", "other"),
    ],
)
def test_a_table_feature_that_is_not_supported(
    lite: Engine, golden_copy: Copy, pattern: str, replacement: str, mention: str
) -> None:
    table = golden_copy("cow-basic-v9")
    change_property(table, pattern, replacement)
    with Untouched(table):
        with fails_with("UNSUPPORTED_TABLE_FEATURE", mention):
            lite.read(table).collect()
        with fails_with("UNSUPPORTED_TABLE_FEATURE", mention):
            lite.write(lite.spark.range(1), table)


@pytest.mark.parametrize(
    ("case", "mention"),
    [("cdc-v9", "change data capture"), ("cdc-v6", "change data capture")],
)
def test_a_feature_that_only_reads_can_handle(lite: Engine, golden_copy: Copy, case: str, mention: str) -> None:
    table = golden_copy(case)
    rows = lite.read(table)
    before = rows_of(rows)
    with Untouched(table), fails_with("UNSUPPORTED_TABLE_FEATURE", mention):
        lite.write(rows.limit(3), table)
    assert rows_of(lite.read(table)) == before


@pytest.mark.parametrize(
    ("name", "damage"),
    [
        ("empty", lambda data: b""),
        ("cut_in_half", lambda data: data[: len(data) // 2]),
        ("no_text", lambda data: bytes(range(256)) * 4),
        ("wrong_checksum", lambda data: re.sub(rb"(checksum)=\d+", rb"\1=1", data)),
    ],
)
def test_a_damaged_table_configuration(
    lite: Engine, golden_copy: Copy, name: str, damage: Callable[[bytes], bytes]
) -> None:
    table = golden_copy("cow-basic-v9")
    file = table / ".hoodie" / "hoodie.properties"
    file.write_bytes(damage(file.read_bytes()))
    with Untouched(table):
        with fails_with("CORRUPT_TABLE_PROPERTIES", "hoodie.properties"):
            lite.read(table).collect()
        with fails_with("CORRUPT_TABLE_PROPERTIES", "hoodie.properties"):
            lite.write(frame(lite.spark, days(range(2), 9)), table)


def test_a_backup_stands_in_for_a_missing_configuration(lite: Engine, golden_copy: Copy) -> None:
    table = golden_copy("cow-basic-v9")
    expected = rows_of(lite.read(table))
    file = table / ".hoodie" / "hoodie.properties"
    file.rename(file.with_name("hoodie.properties.backup"))
    assert rows_of(lite.read(table)) == expected


@pytest.mark.parametrize("case", ["cow-basic-v6", "cow-basic-v9"])
@pytest.mark.parametrize("damage", ["cut", "garbage"])
def test_a_damaged_commit_file(lite: Engine, golden_copy: Copy, case: str, damage: str) -> None:
    table = golden_copy(case)
    last = max(f for f in layout.timeline_folder(table).iterdir() if f.suffix == ".commit")
    data = last.read_bytes()
    last.write_bytes(data[: len(data) // 2] if damage == "cut" else b"\x00\xff" * 200)
    with Untouched(table):
        with fails_with("CORRUPT_FILE", last.name):
            lite.read(table).collect()
        with fails_with("CORRUPT_FILE", last.name):
            lite.write(frame(lite.spark, days(range(2), 9)), table)


@pytest.mark.parametrize("damage", ["cut", "empty", "garbage_footer"])
def test_a_damaged_base_file(story: Story, damage: str) -> None:
    file = layout.base_files(story.path)[0]
    data = file.read_bytes()
    footer = int.from_bytes(data[-8:-4], "little")
    # One byte longer: footers are cached by path and length, because Hudi never writes to a base file again.
    garbled = data[: -8 - footer] + b"\xee" * (footer + 1) + (footer + 1).to_bytes(4, "little") + b"PAR1"
    broken = {"cut": data[: len(data) // 2], "empty": b"", "garbage_footer": garbled}
    file.write_bytes(broken[damage])
    file.with_name(f".{file.name}.crc").unlink(missing_ok=True)
    list_anew(file)
    with Untouched(story.path), fails_with("CORRUPT_FILE", file.name):
        story.engine.read(story.path).collect()
    with fails_with("CORRUPT_FILE", file.name):
        story.write(days(range(9), 2))
    assert len(layout.writes(story.path)) == 1
    assert layout.is_tidy(story.path)
    file.write_bytes(data)
    list_anew(file)
    story.check()


@pytest.mark.parametrize("bloom", ["", "not base64!", "AAAA", "/////wAAAAQBAAAAMKAQ"])
def test_a_damaged_bloom_filter(story: Story, bloom: str) -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    for file in layout.base_files(story.path):
        table = parquet.ParquetFile(file).read()
        metadata = {**table.schema.metadata, b"org.apache.hudi.bloomfilter": bloom.encode()}
        parquet.write_table(table.replace_schema_metadata(metadata), file)
        file.with_name(f".{file.name}.crc").unlink(missing_ok=True)
        list_anew(file)
    batch = story.path.with_name("batch")
    frame(story.engine.spark, days(range(9), 2)).write.parquet(str(batch))
    with fails_with("CORRUPT_FILE", "bloom filter"):
        story.engine.write(story.engine.spark.read.parquet(str(batch)), story.path, **{INDEX: "BLOOM"})
    unharmed(story)
    story.upsert(days(range(9), 3), **{INDEX: "SIMPLE"})


# Times that the table does not have


def test_a_time_before_the_first_commit_is_no_empty_table(story: Story) -> None:
    (first,) = layout.writes(story.path)
    with Untouched(story.path):
        with fails_with("TIME_BEFORE_FIRST_COMMIT", first.requested):
            story.engine.read(story.path, **{AS_OF: str(int(first.requested) - 1)})
        with fails_with("TIME_BEFORE_FIRST_COMMIT", first.requested):
            story.engine.spark.sql(f"SELECT * FROM hudilite.`{story.path}` TIMESTAMP AS OF '2000-01-01 00:00:00'")


@pytest.mark.parametrize("case", ["cleaned-by-commits-v6", "cleaned-by-versions-v6", "cleaned-by-versions-v9"])
def test_a_state_that_was_cleaned_away_is_not_read_in_part(lite: Engine, golden_copy: Copy, case: str) -> None:
    table = golden_copy(case)
    first, second = layout.writes(table)[:2]
    with Untouched(table):
        with fails_with("STATE_NOT_RETAINED", second.requested):
            lite.read(table, **{AS_OF: second.requested})
        range_of_it = {QUERY_TYPE: "incremental", BEGIN: first.completed, END: second.completed}
        with fails_with("RANGE_NOT_RETAINED"):
            lite.read(table, **range_of_it).count()
        left = lite.read(table, **range_of_it, **{FULL_SCAN: "true"}).select("_hoodie_commit_time").distinct()
        assert {row[0] for row in left.collect()} <= {second.requested}
        assert left.count() == lite.read(table).where(f"_hoodie_commit_time = '{second.requested}'").limit(1).count()


# Unusable combinations


def test_an_index_of_the_metadata_table_is_only_dropped_when_asked_for(lite: Engine, golden_copy: Copy) -> None:
    table = golden_copy("metadata-indexes-v9")
    rows = lite.read(table)
    with Untouched(table), fails_with("METADATA_TABLE_LOST", "files", "secondary_index_"):
        lite.write(rows, table, **{"hoodie.metadata.strict": "true"})
    with Untouched(table), fails_with("METADATA_TABLE_LOST", "secondary_index_", "hoodie.metadata.strict=false"):
        lite.write(rows, table)
    lite.write(rows, table, **{"hoodie.metadata.strict": "false"})
    assert not (table / ".hoodie" / "metadata").exists()


def test_updating_a_record_key_is_refused(story: Story) -> None:
    with fails_with("RECORD_KEY_CHANGED", "same"):
        story.engine.spark.sql(f"UPDATE hudilite.`{story.path}` SET id = 'same' WHERE dt = '2026-01-01'")
    unharmed(story)


def test_duplicate_matches_of_a_merge_are_refused(story: Story) -> None:
    spark = story.engine.spark
    frame(spark, [record("k000", 5), record("k000", 6)]).createOrReplaceTempView("twice")
    with pytest.raises(Exception, match=r"(?i)merge"):
        spark.sql(
            f"MERGE INTO hudilite.`{story.path}` t USING twice s ON t.id = s.id "
            "AND s.ts > 0 WHEN MATCHED THEN UPDATE SET colour = s.colour, ts = s.ts"
        )
    unharmed(story)
