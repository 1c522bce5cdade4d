"""Keys that Apache Hudi and hudilite must put into the same buckets."""

from __future__ import annotations

import json
from pathlib import Path

import layout
import pytest
from conditions import fails_with
from engines import BUCKETS, IN_BUCKETS, INDEX, SELF_CHECK, Engine, Shape, frame, record
from model import Model
from pyspark.sql.functions import col
from rows import rows_of

import hudilite

pytestmark = pytest.mark.skipif(SELF_CHECK, reason="this is about both engines")

KEYS = [
    "null", "__null__", "__empty__", " ", "a,b", "a:b", "id:1,x:2", "x:2,id:1", "id:1,2,x:3", "x,y:z", ",:", ":,",
    "a:b:c,id:", "id:,id:", "日本語:1,id:é", "🦆", "0", "-1", "x" * 300, "ß",
]  # fmt: skip
# Apache Hudi 1.2 never ends on a last field with a colon in it that is not hashed.
PAIRS = [("1", "a"), ("1,2", "b"), ("", "c"), (None, "d"), ("1:2", ","), (",,", "10, x"), ("é", "🦆"), ("a", None)]


@pytest.mark.parametrize("first", ["hudi", "hudilite"])
def test_plain_keys(lite: Engine, real: Engine, path: Path, first: str) -> None:
    compare(lite, real, path, first, Shape(), [record(key) for key in KEYS])


@pytest.mark.parametrize("first", ["hudi", "hudilite"])
@pytest.mark.parametrize("hashed", ["id,colour", "colour", "id"])
def test_keys_of_two_fields(lite: Engine, real: Engine, path: Path, first: str, hashed: str) -> None:
    rows = [{**record("", colour=colour), "id": value} for value, colour in PAIRS]
    compare(lite, real, path, first, Shape(key=("id", "colour")), rows, **{"hoodie.bucket.index.hash.field": hashed})


@pytest.mark.parametrize(("kind", "buckets"), [("COPY_ON_WRITE", 2), ("MERGE_ON_READ", 7)])
def test_moved_tables(lite: Engine, real: Engine, path: Path, kind: str, buckets: int) -> None:
    """A table that hudilite has moved to another number of buckets is read and written by Apache Hudi with that."""
    shape, model = Shape(extra={"hoodie.datasource.write.table.type": kind}), Model(("id",))
    for ts, engine in enumerate([lite, real], 1):
        batch = [record(key, ts=ts) for key in KEYS[ts - 1 :]]
        engine.write(frame(engine.spark, batch), path, "upsert", **shape.options(), **IN_BUCKETS)
        model.upsert(batch)
    done = hudilite.table(lite.spark, str(path)).cluster(buckets=buckets, options=IN_BUCKETS)
    assert len(done.instants) == 1
    assert rows_of(lite.read(path)) == rows_of(real.read(path)) == model.rows()
    groups = layout.file_groups(path)
    moved = {**shape.options(), **IN_BUCKETS, BUCKETS: str(buckets)}
    for ts, engine in enumerate([real, lite], 3):
        batch = [record(key, ts=ts) for key in KEYS[ts:]]
        engine.write(frame(engine.spark, batch), path, "upsert", **moved)
        model.upsert(batch)
        assert rows_of(lite.read(path)) == rows_of(real.read(path)) == model.rows()
    assert layout.file_groups(path) == groups


RULE = {"hoodie.bucket.index.partition.expressions": "01-01,3;01-0[23],5", BUCKETS: "2", INDEX: "BUCKET"}
#: Apache Hudi 1.2 reads a rule by one task at a time alone.
ONE_TASK = {
    f"hoodie.{operation}.shuffle.parallelism": "1" for operation in ("insert", "upsert", "bulkinsert", "delete")
}


@pytest.mark.parametrize("kind", ["COPY_ON_WRITE", "MERGE_ON_READ"])
@pytest.mark.parametrize("first", ["hudi", "hudilite", "config"])
def test_partitions_with_numbers_of_their_own(lite: Engine, real: Engine, path: Path, first: str, kind: str) -> None:
    """Each engine finds the rows of the other; a rule that the table has written down need not be given to hudilite."""
    shape, model = Shape(extra={"hoodie.datasource.write.table.type": kind}), Model(("id",))
    groups: set[str] = set()
    for ts, engine in enumerate([lite, real, lite] if first == "hudilite" else [real, lite, real, lite], 1):
        batch = [record(f"k{i}", ts, f"2026-01-0{1 + i % 5}") for i in range(ts, 200)]
        known = engine is lite and (first == "config" or ts > 2)
        options = {} if known else {**RULE, **(ONE_TASK if engine is real else {})}
        facts = shape.options() if ts == 1 or engine.repeat_facts else {}
        engine.write(frame(engine.spark, batch).coalesce(1), path, "upsert", **facts, **options)
        model.upsert(batch)
        assert rows_of(lite.read(path)) == rows_of(real.read(path)) == model.rows()
        assert not groups or layout.file_groups(path) == groups
        groups = layout.file_groups(path)
        if first == "config" and ts == 1:
            write_config(path)
    assert len(groups) == 3 + 5 + 5 + 2 + 2


@pytest.mark.parametrize("kind", ["COPY_ON_WRITE", "MERGE_ON_READ"])
def test_one_partition_that_is_moved_to_other_buckets(lite: Engine, real: Engine, path: Path, kind: str) -> None:
    """Both engines go on by the rule that the move has made, and hudilite need not be given it."""
    shape, model = Shape(extra={"hoodie.datasource.write.table.type": kind}), Model(("id",))
    rule = {"hoodie.bucket.index.partition.expressions": "^2026-01-02$,6", BUCKETS: "3", INDEX: "BUCKET", **ONE_TASK}
    groups: set[str] = set()
    for ts, engine in enumerate([lite, real, lite, real], 1):
        batch = [record(f"k{i}", ts, f"2026-01-0{1 + i % 2}") for i in range(ts, 100)]
        options = {BUCKETS: "3", INDEX: "BUCKET"} if ts == 1 else rule if engine is real else {}
        facts = shape.options() if ts == 1 or engine.repeat_facts else {}
        engine.write(frame(engine.spark, batch).coalesce(1), path, "upsert", **facts, **options)
        model.upsert(batch)
        if ts == 1:
            hudilite.table(lite.spark, str(path)).cluster(buckets=6, partitions=["2026-01-02"])
        assert rows_of(lite.read(path)) == rows_of(real.read(path)) == model.rows()
        assert not groups or layout.file_groups(path) == groups
        groups = layout.file_groups(path)
    assert len(groups) == 3 + 3 + 6  # those that were moved are not cleaned away yet


RINGS = {INDEX: "BUCKET", "hoodie.index.bucket.engine": "CONSISTENT_HASHING", BUCKETS: "3"}
HUDI = "org.apache.hudi.client.clustering"
#: Plans that split each bucket that has rows.
SPLIT = {
    "hoodie.clustering.plan.strategy.class": f"{HUDI}.plan.strategy.SparkConsistentBucketClusteringPlanStrategy",
    "hoodie.clustering.execution.strategy.class": f"{HUDI}.run.strategy."
    "SparkConsistentBucketClusteringExecutionStrategy",
    "hoodie.clustering.updates.strategy": f"{HUDI}.update.strategy.SparkConsistentBucketDuplicateUpdateStrategy",
    "hoodie.bucket.index.max.num.buckets": "6",
    "hoodie.bucket.index.min.num.buckets": "1",
    "hoodie.bucket.index.split.threshold": "0.0000001",
}


class Rings:
    """A table with hash rings, whose rows lie in two partitions."""

    def __init__(self, path: Path, key: tuple[str, ...], rows: list[dict[str, object]]) -> None:
        self.path, self.rows, self.model = path, rows, Model(key)
        self.shape = Shape(key=key, extra={"hoodie.datasource.write.table.type": "MERGE_ON_READ"})
        self.ts = 0

    def upsert(self, engine: Engine, **more: str) -> None:
        self.ts += 1
        batch = [{**row, "ts": self.ts, "dt": f"2026-01-0{1 + self.ts % 2}"} for row in self.rows]
        facts = self.shape.options() if self.ts == 1 or engine.repeat_facts else {}
        rings = RINGS if self.ts == 1 or engine.repeat_facts else {}
        engine.write(frame(engine.spark, batch), self.path, "upsert", **facts, **rings, **more)
        self.model.upsert(batch)

    def check(self, lite: Engine, real: Engine) -> None:
        assert rows_of(lite.read(self.path)) == rows_of(real.read(self.path)) == self.model.rows()
        key = self.rows[4]["id"]
        one = [row for row in self.model.rows() if json.loads(row)["id"] == key]
        assert rows_of(lite.read(self.path, **RINGS).where(col("id") == key)) == one

    def resize(self, real: Engine, op: str) -> None:
        given = {**self.shape.options(), **RINGS, **SPLIT, **real.always}
        options = ",".join(f"{name}={value}" for name, value in given.items())
        real.spark.sql(f"CALL run_clustering(path => '{self.path}', op => '{op}', options => '{options}')").collect()

    def nodes(self) -> list[int]:
        """How many nodes the newest ring of each partition has."""
        files = {file.parent: file for file in sorted(self.path.rglob("*.hashing_meta"))}
        return [len(json.loads(file.read_text())["nodes"]) for file in files.values()]


def test_hash_rings_of_hudi(lite: Engine, real: Engine, path: Path) -> None:
    """Each engine finds the rows of the other, also while Apache Hudi splits their buckets, and after it."""
    rings = Rings(path, ("id",), [record(key) for key in KEYS])
    for engine in (real, lite):
        rings.upsert(engine)
        rings.check(lite, real)
    rings.resize(real, "schedule")
    rings.upsert(real, **SPLIT)  # writes of a pending split lie in the old and in the new file groups
    rings.check(lite, real)
    with fails_with("CLUSTERING_PENDING"):
        lite.write(frame(lite.spark, [record("0")]), path)
    with fails_with("CLUSTERING_NOT_POSSIBLE", "hash rings"):
        hudilite.table(lite.spark, str(path)).cluster()
    rings.resize(real, "execute")
    assert all(count > 3 for count in rings.nodes()), rings.nodes()
    for engine in (lite, lite, real):
        rings.check(lite, real)
        rings.upsert(engine)
    rings.check(lite, real)
    assert all(count > 3 for count in rings.nodes()), rings.nodes()


def test_hash_rings_of_hudilite(lite: Engine, real: Engine, path: Path) -> None:
    rings = Rings(path, ("id", "colour"), [{**record("", colour=colour), "id": key} for key, colour in PAIRS])
    groups: set[str] = set()
    for engine in (lite, lite, real, real, lite):
        rings.upsert(engine)
        rings.check(lite, real)
        assert rings.ts < 3 or layout.file_groups(path) == groups
        groups = layout.file_groups(path)
    gone = [{**row, "dt": "2026-01-01"} for row in rings.rows[:2]]
    lite.write(frame(lite.spark, gone), path, "delete")
    assert rows_of(lite.read(path)) == rows_of(real.read(path))
    assert lite.read(path).count() == len(rings.model.rows()) - 2


def write_config(path: Path) -> None:
    """The rule as the creation of a table writes it down."""
    folder = path / ".hoodie" / ".bucket_index" / "partition_bucket_index_meta" / "configs"
    folder.mkdir(parents=True)
    rule = {"expressions": RULE["hoodie.bucket.index.partition.expressions"], "defaultBucketNumber": 2}
    config = {**rule, "rule": "regex", "version": 1, "instant": "00000000000000"}
    (folder / "00000000000000.hashing_config").write_text(json.dumps(config))


def compare(
    lite: Engine, real: Engine, path: Path, first: str, shape: Shape, rows: list[dict[str, object]], **more: str
) -> None:
    """The second engine finds every key of the first where it would put it itself, and so does Apache Hudi in the end.

    Tables of Apache Hudi tell hudilite by their files how many buckets they have.
    """
    model = Model(shape.key)
    groups: set[str] = set()
    found = {"hudi": IN_BUCKETS, "hudilite": {}} if first == "hudi" else {"hudi": IN_BUCKETS, "hudilite": IN_BUCKETS}
    for ts, engine in enumerate([lite, real] if first == "hudilite" else [real, lite, real], 1):
        batch = [{**row, "ts": ts} for row in rows]
        facts = shape.options() if ts == 1 or engine.repeat_facts else {}
        engine.write(frame(engine.spark, batch), path, "upsert", **facts, **found[engine.name], **more)
        model.upsert(batch)
        assert rows_of(lite.read(path)) == rows_of(real.read(path)) == model.rows()
        assert not groups or layout.file_groups(path) == groups
        groups = layout.file_groups(path)
