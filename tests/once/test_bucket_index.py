"""Tables with a bucket index: nothing is looked up, and each key has its place."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import layout
import pytest
from buckets import FILE_ID, assert_one_group_a_bucket, bucket_of
from conditions import fails_with
from engines import BUCKETS, HASH_FIELDS, IN_BUCKETS, INDEX, SELF_CHECK, Engine, Shape, frame, record
from model import Model
from pyspark.sql.functions import col, lit
from rows import KEY, rows_of
from test_keys import ODD_KEYS
from test_write_and_read import VERSIONS, Story, days

import hudilite

pytestmark = pytest.mark.skipif(SELF_CHECK, reason="Apache Hudi words its refusals otherwise")

TYPES = pytest.mark.parametrize("kind", ["COPY_ON_WRITE", "MERGE_ON_READ"])
MERGE_ON_READ = "MERGE_ON_READ"


def bucketed(lite: Engine, path: Path, kind: str = MERGE_ON_READ, version: int = 9) -> Story:
    """A table to be, written by an engine that always names the buckets."""
    engine = Engine(lite.name, lite.spark, {**lite.always, **IN_BUCKETS})
    return Story(engine, path, Shape(version, extra={"hoodie.datasource.write.table.type": kind}))


@VERSIONS
@TYPES
def test_new_keys_and_known_ones_find_their_bucket(lite: Engine, path: Path, version: int, kind: str) -> None:
    story = bucketed(lite, path, kind, version)
    story.upsert(days(range(0, 40, 3), 1))
    assert_one_group_a_bucket(lite, path)
    groups = layout.file_groups(path)
    story.upsert(days(range(0, 40, 2), 2))
    story.upsert(days(range(40), 3))
    assert_one_group_a_bucket(lite, path)
    assert groups <= layout.file_groups(path)
    assert len(layout.file_groups(path)) == 12
    assert bool(layout.log_files(path)) == (kind == MERGE_ON_READ)


@TYPES
@pytest.mark.parametrize("operation", ["insert", "bulk_insert"])
def test_inserts_add_rows_of_a_key_and_an_upsert_changes_all_of_them(
    lite: Engine, path: Path, kind: str, operation: str
) -> None:
    story = bucketed(lite, path, kind)
    story.write([*days(range(20), 1), *days(range(9), 2)], operation)
    assert lite.read(path).count() == 29
    story.write(days(range(20), 3), "upsert")
    shown = lite.read(path)
    assert (shown.count(), shown.where("ts = 3").count(), shown.select(KEY).distinct().count()) == (29, 29, 20)
    again = [*days(range(30, 35), 4), *days(range(30, 35), 5)]
    story.write(again, operation, **{"hoodie.combine.before.insert": "true"})
    assert lite.read(path).where("ts > 3").count() == 5
    assert_one_group_a_bucket(lite, path)


def folders(path: Path) -> dict[str, set[str]]:
    """File ids of the base files of each partition."""
    found: dict[str, set[str]] = {}
    for file in layout.base_files(path):
        found.setdefault(str(file.parent.relative_to(path)), set()).add(file.name.split("_")[0])
    return found


@VERSIONS
@TYPES
def test_some_partitions_move_to_other_buckets(lite: Engine, path: Path, version: int, kind: str) -> None:
    story = Story(lite, path, Shape(version, extra={"hoodie.datasource.write.table.type": kind}))
    story.upsert(days(range(40), 1), **IN_BUCKETS)
    story.upsert(days(range(9), 2))
    table, moved = hudilite.table(lite.spark, str(path)), sorted(folders(path))[0]
    before = folders(path)
    (plan,) = table.cluster(buckets=9, partitions=moved, dry_run=True)
    assert [(group.partition, set(group.file_ids)) for group in plan.groups] == [(moved, before[moved])]
    assert folders(path) == before
    done = table.cluster(buckets=9, partitions=moved)
    assert (done.replaced, {file.partition for file in done.files}) == (len(before[moved]), {moved})
    story.check()
    groups = layout.file_groups(path)
    assert all(before[other] <= groups for other in before if other != moved)
    story.upsert(days(range(5, 40), 3))
    assert layout.file_groups(path) - before[moved] == groups - before[moved]
    for buckets, partitions in [(9, moved), (7, "nowhere"), (0, moved)]:
        with fails_with("INVALID_OPTION_VALUE"):
            table.cluster(buckets=buckets, partitions=partitions)
    with fails_with("CLUSTERING_NOT_POSSIBLE", "numbers of buckets of their own"):
        table.cluster(buckets=7)
    story.check()


@TYPES
def test_deletes_and_replaced_partitions(lite: Engine, path: Path, kind: str) -> None:
    story = bucketed(lite, path, kind)
    story.upsert(days(range(20), 1))
    story.upsert(days(range(20, 30), 2))  # of a merge-on-read table: in log files alone
    gone = [*days(range(15, 25), 3), record("nobody", 3)]
    story.write(gone, "delete")
    story.model.delete(gone)
    story.check()
    story.upsert(days(range(18, 22), 4))
    fresh = days(range(100, 110), 5, 2)
    story.write(fresh, "insert_overwrite")
    story.model.overwrite_partitions(fresh)
    story.check()
    story.upsert(days(range(18, 106), 6))
    story.write(days(range(1), 7, 1), "delete_partition")
    story.model.delete_partitions("2026-01-01")
    story.check()
    story.upsert(days(range(6), 8))
    assert_one_group_a_bucket(lite, path)


def test_only_a_whole_table_changes_its_number_of_buckets(lite: Engine, path: Path) -> None:
    story = bucketed(lite, path)
    story.upsert(days(range(20), 1))
    for operation in ("upsert", "insert", "bulk_insert", "insert_overwrite"):
        with fails_with("INVALID_OPTION_VALUE", BUCKETS, "3"):
            story.write(days(range(3), 2, 1), operation, **{BUCKETS: "3"})
    story.check()
    fresh = days(range(5, 25), 3)
    story.write(fresh, "insert_overwrite_table", **{BUCKETS: "3"})
    story.model.overwrite_table(fresh)
    story.check()
    story.upsert(days(range(30), 4), **{BUCKETS: "3"})
    assert_one_group_a_bucket(lite, path, 3)


@TYPES
def test_odd_keys_belong_where_their_text_says(lite: Engine, path: Path, kind: str) -> None:
    story = bucketed(lite, path, kind)
    story.upsert([record(key, 1) for key in ODD_KEYS])
    story.upsert([record(key, 2, colour="blue") for key in ODD_KEYS])
    for key, file_id in lite.read(path).select(KEY, FILE_ID).collect():
        value = "1" if key == "id:1,x:2" else key  # a key that looks like several fields is taken for them
        assert file_id.startswith(f"{bucket_of([value], 4):08d}-"), key


def test_the_hash_fields_alone_decide(lite: Engine, path: Path) -> None:
    options = {**IN_BUCKETS, HASH_FIELDS: "colour"}
    engine = Engine(lite.name, lite.spark, {**lite.always, **options})
    story = Story(engine, path, Shape(key=("id", "colour")))
    colours = ["red", "grün", "", None]
    story.upsert([record(f"k{i}", 1, colour=colours[i % 4]) for i in range(20)])
    story.upsert([record(f"k{i}", 2, colour=colours[i % 4]) for i in range(0, 30, 2)])
    for colour, file_id in lite.read(path).select("colour", FILE_ID).collect():
        assert file_id.startswith(f"{bucket_of([colour], 4):08d}-"), colour


def test_a_table_without_partitions(lite: Engine, path: Path) -> None:
    engine = Engine(lite.name, lite.spark, {**lite.always, **IN_BUCKETS})
    story = Story(engine, path, Shape(partition=()), Model(partition=()))
    story.upsert(days(range(10), 1))
    story.upsert(days(range(5, 30), 2))
    assert_one_group_a_bucket(lite, path)


@TYPES
def test_statements(lite: Engine, path: Path, kind: str) -> None:
    story = bucketed(lite, path, kind)
    story.upsert(days(range(12), 1))
    story.upsert(days(range(12, 18), 2))
    name = f"hudilite.`{path}`"
    batch = days(range(9, 24), 3)
    frame(lite.spark, batch).createOrReplaceTempView("batch")
    lite.spark.sql(f"""MERGE INTO {name} t USING batch s ON t.id = s.id AND t.dt = s.dt
                       WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *""")
    story.model.upsert(batch)
    story.check()
    lite.spark.sql(f"UPDATE {name} SET colour = 'blue' WHERE id < 'k011' OR id > 'k020'")
    for row in story.model.held.values():
        if row["id"] < "k011" or row["id"] > "k020":
            row["colour"] = "blue"
    story.check()
    lite.spark.sql(f"DELETE FROM {name} WHERE id > 'k005' AND id < 'k021'")
    story.model.delete([row for row in list(story.model.held.values()) if "k005" < row["id"] < "k021"])
    story.check()
    lite.spark.sql(f"INSERT INTO {name} VALUES ('k901', 9, '2026-01-02', 'red', 1.0D)")
    story.model.upsert([record("k901", 9, "2026-01-02")])
    story.check()
    lite.spark.sql(f"UPDATE {name} SET dt = '2027-07-07' WHERE id = 'k002'")
    moved = next(row for row in list(story.model.held.values()) if row["id"] == "k002")
    story.model.delete([moved])
    story.model.upsert([{**moved, "dt": "2027-07-07"}])
    assert layout.is_tidy(path)
    story.check()
    assert_one_group_a_bucket(lite, path)


@VERSIONS
def test_a_compaction_keeps_buckets_that_outgrow_a_file(lite: Engine, path: Path, version: int) -> None:
    story = bucketed(lite, path, version=version)
    small = {"hoodie.parquet.max.file.size": "1"}
    story.upsert(days(range(30), 1), **small)
    story.upsert(days(range(60), 2), **small)
    assert layout.log_files(path)
    hudilite.table(lite.spark, str(path)).compact(options=small)
    story.check()
    story.upsert(days(range(50, 70), 3), **small)
    assert len(layout.file_groups(path)) == 12
    assert_one_group_a_bucket(lite, path)


@pytest.mark.parametrize("case", ["bucket-cow", "bucket-mor"])
@VERSIONS
def test_tables_of_hudi(lite: Engine, golden_copy: Callable[[str], Path], case: str, version: int) -> None:
    table = golden_copy(f"{case}-v{version}")
    before = lite.read(table)
    count, groups = before.count(), layout.file_groups(table)
    changed = before.withColumn("ts", lit(99).cast(before.schema["ts"].dataType))
    lite.write(changed, table)  # whose files tell the index and the number of buckets
    after = lite.read(table)
    assert (after.count(), after.where("ts = 99").count()) == (count, count)
    assert layout.file_groups(table) == groups
    assert_one_group_a_bucket(lite, table)


def test_a_table_of_hudi_whose_hash_field_is_one_of_two(lite: Engine, golden_copy: Callable[[str], Path]) -> None:
    table = golden_copy("bucket-two-fields-v9")
    options = {INDEX: "BUCKET", BUCKETS: "8", HASH_FIELDS: "n2"}
    before = lite.read(table)
    count, groups = before.count(), layout.file_groups(table)
    with fails_with("INVALID_OPTION_VALUE", BUCKETS, "the hash fields id, n2"):
        lite.write(before, table, **{INDEX: "BUCKET", BUCKETS: "8"})
    with fails_with("BUCKETS_NOT_NAMED", "the hash fields id, n2", HASH_FIELDS):
        lite.write(before, table)
    lite.write(before.withColumn("ts", lit(99).cast(before.schema["ts"].dataType)), table, **{HASH_FIELDS: "n2"})
    lite.write(lite.read(table), table)  # which states both by now
    assert lite.read(table).where("ts = 99").count() == lite.read(table).count() == count
    assert layout.file_groups(table) == groups
    with fails_with("INVALID_OPTION_VALUE", HASH_FIELDS, "by n2"):
        lite.write(before, table, **{**options, HASH_FIELDS: "id,n2"})


@pytest.mark.parametrize(
    ("options", "condition", "mentions"),
    [
        ({INDEX: "BLOOM"}, "INVALID_OPTION_VALUE", [INDEX, "BLOOM", "has a bucket index", "00000"]),
        ({INDEX: "SIMPLE"}, "INVALID_OPTION_VALUE", [INDEX, "SIMPLE", "has a bucket index", "00000"]),
        ({INDEX: "BUCKET", BUCKETS: "3"}, "INVALID_OPTION_VALUE", [BUCKETS, "3"]),
        ({INDEX: "BUCKET", BUCKETS: "5"}, "INVALID_OPTION_VALUE", [BUCKETS, "5"]),
        ({INDEX: "BUCKET", BUCKETS: "0"}, "INVALID_OPTION_VALUE", [BUCKETS, "at least 1"]),
        ({**IN_BUCKETS, HASH_FIELDS: "colour"}, "INVALID_OPTION_VALUE", [HASH_FIELDS, "colour", "id"]),
        ({**IN_BUCKETS, "hoodie.index.bucket.engine": "CONSISTENT_HASHING"}, "INVALID_OPTION_VALUE", ["hash rings"]),
        ({**IN_BUCKETS, "hoodie.bucket.index.partition.expressions": "a"}, "INVALID_OPTION_VALUE", ["partition"]),
        ({**IN_BUCKETS, "hoodie.bucket.index.partition.expressions": ".,3"}, "INVALID_OPTION_VALUE", [BUCKETS, "3"]),
        ({"hoodie.bucket.index.partition.rule.type": "prefix"}, "INVALID_OPTION_VALUE", ["regex"]),
        ({**IN_BUCKETS, "hoodie.bucket.index.num.bucket": "4"}, "UNKNOWN_OPTION", [BUCKETS]),
    ],
)
def test_other_buckets_than_the_table_has(
    lite: Engine, golden_copy: Callable[[str], Path], options: dict[str, str], condition: str, mentions: list[str]
) -> None:
    table = golden_copy("bucket-mor-v9")
    rows = lite.read(table)
    before = layout.fingerprint(table)
    with fails_with(condition, *mentions):
        lite.write(rows, table, **options)
    assert layout.fingerprint(table) == before


def test_buckets_for_a_table_that_has_none(lite: Engine, path: Path) -> None:
    story = Story(lite, path, Shape())
    story.upsert(days(range(10), 1))
    with fails_with("INVALID_OPTION_VALUE", INDEX, "belongs to no bucket"):
        story.write(days(range(3), 2), **IN_BUCKETS)
    story.check()


def test_two_file_groups_of_one_bucket(lite: Engine, golden_copy: Callable[[str], Path]) -> None:
    table = golden_copy("bucket-cow-v9")
    file = layout.base_files(table)[0]
    shutil.copy(file, file.with_name(file.name.replace("-4", "-5", 1)))
    rows = lite.read(table).where(col(KEY) == "nothing")
    with fails_with("UNSUPPORTED_TABLE_FEATURE", "two file groups of bucket"):
        lite.write(rows, table, **IN_BUCKETS)


@pytest.mark.parametrize(
    ("folder", "condition", "mention"),
    [
        ("consistent_hashing_metadata", "INVALID_OPTION_VALUE", "hash rings"),
        ("partition_bucket_index_meta", "UNSUPPORTED_TABLE_FEATURE", "partition_bucket_index_meta"),
    ],
)
@pytest.mark.parametrize("index", [{}, IN_BUCKETS])
def test_buckets_of_another_kind(
    lite: Engine, path: Path, folder: str, condition: str, mention: str, index: dict[str, str]
) -> None:
    story = Story(lite, path, Shape())
    story.upsert(days(range(3), 1), **index)
    (path / ".hoodie" / ".bucket_index" / folder).mkdir(parents=True)
    with fails_with(condition, "bucket", mention):
        story.write(days(range(3), 2), **index)
    assert rows_of(lite.read(path)) == story.model.rows()
