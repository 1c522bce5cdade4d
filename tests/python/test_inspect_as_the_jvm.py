"""The readers that need no Spark answer as the JVM does, on the golden tables and on what is hard about tables."""

from __future__ import annotations

import io
from collections.abc import Callable
from pathlib import Path
from typing import Any

import fastavro
import pyarrow as pa
import pytest
from pyarrow import parquet
from pyspark.sql import SparkSession
from sessions import scala_object

from hudilite import inspect
from hudilite.inspect import DamagedTable


class Jvm:
    """Answers of hudilite's own view of the files."""

    def __init__(self, spark: SparkSession) -> None:
        self._jvm: Any = spark._jvm
        self._conf: Any = spark._jsparkSession.sparkContext().hadoopConfiguration()

    def table(self, path: Path) -> Any:
        core = self._jvm.io.hudilite
        return scala_object(core.table, "Table").open(
            core.transaction.lock.Process.current().storage(self._conf), str(path)
        )

    def files(self, path: Path) -> list[tuple[str, str, str, int]]:
        table = self.table(path)
        slices = table.allSlices(getattr(table, "allSlices$default$1")())
        bases = [s.base().get() for of_group in _each(slices.values()) for s in _each(of_group) if s.base().isDefined()]
        return sorted((b.partition(), b.fileId(), b.name(), b.length()) for b in bases)

    def timeline(self, path: Path) -> list[tuple[str, str, str, str | None, str]]:
        def told(i: Any) -> tuple[str, str, str, str | None, str]:
            completed_at = i.completionTime().get() if i.completionTime().isDefined() else None
            return i.time(), i.comparableAction(), i.state().name().lower(), completed_at, i.fileName()

        return [told(i) for i in _each(self.table(path).timeline().instants())]


def _each(items: Any) -> list[Any]:
    iterator, found = items.iterator(), []
    while iterator.hasNext():
        found.append(iterator.next())
    return found


@pytest.fixture
def jvm(spark: SparkSession) -> Jvm:
    return Jvm(spark)


def assert_same(jvm: Jvm, table: Path) -> list[str]:
    """Compares all answers and returns the names of the files."""
    found = inspect.files(str(table))
    assert [(f.partition, f.file_id, f.name, f.bytes) for f in found] == jvm.files(table)
    instants = inspect.timeline(str(table))
    assert [(i.time, i.action, i.state, i.completion_time, i.file) for i in instants] == jvm.timeline(table)
    return [f.name for f in found]


def test_every_golden_table(golden_root: Path, jvm: Jvm) -> None:
    tables = sorted(golden_root.iterdir())
    assert len(tables) > 50
    for table in tables:
        assert_same(jvm, table / "table")


PROPERTIES = "hoodie.table.name=t\nhoodie.table.version={}\nhoodie.table.timeline.timezone=UTC\n"
VERSIONS = [6, 9]


def time(second: int) -> str:
    return f"202601010000{second:02d}000"


class Handmade:
    """A table whose files are put there one by one."""

    def __init__(self, base: Path, version: int) -> None:
        self.base, self.version = base, version
        self.folder = base / ".hoodie" if version < 8 else base / ".hoodie" / "timeline"
        self.folder.mkdir(parents=True)
        (base / ".hoodie" / "hoodie.properties").write_text(PROPERTIES.format(version))

    def instant(self, second: int, action: str = "commit", state: str = "", content: str = "{}") -> None:
        completed_at = f"_{time(second + 1)}" if self.version >= 8 and not state else ""
        (self.folder / f"{time(second)}{completed_at}.{action}{state}").write_text(content)

    def file(self, second: int, group: str = "f-0", partition: str = "p", token: str = "0-0-0") -> str:
        folder = self.base / partition
        folder.mkdir(parents=True, exist_ok=True)
        (folder / ".hoodie_partition_metadata").touch()
        name = f"{group}_{token}_{time(second)}.parquet"
        parquet.write_table(pa.table({"id": [second]}), folder / name)
        return name


@pytest.fixture(params=VERSIONS)
def made(request: pytest.FixtureRequest, path: Path) -> Handmade:
    return Handmade(path, request.param)


def test_a_live_file_older_than_archiving_and_newer_than_a_savepoint(made: Handmade, jvm: Jvm) -> None:
    made.instant(1)
    made.instant(1, "savepoint")
    made.instant(9)
    expected = [made.file(1, "a-0"), made.file(5, "b-0"), made.file(9, "c-0")]
    made.file(11, "d-0")
    assert assert_same(jvm, made.base) == expected


def test_a_write_before_the_others_that_is_still_pending(made: Handmade, jvm: Jvm) -> None:
    made.instant(3)
    made.instant(3, "savepoint")
    made.instant(4, state=".requested")
    made.instant(9)
    made.file(4, "a-0")
    expected = [made.file(9, "b-0")]
    assert assert_same(jvm, made.base) == expected


def test_a_clean_is_no_write(made: Handmade, jvm: Jvm) -> None:
    made.instant(3)
    made.instant(5, "clean")
    expected = [made.file(3, "a-0")]
    made.file(5, "b-0")
    assert assert_same(jvm, made.base) == expected


ROLLBACK = {
    "type": "record", "name": "HoodieRollbackMetadata", "fields": [
        {"name": "startRollbackTime", "type": "string"},
        {"name": "commitsRollback", "type": {"type": "array", "items": "string"}},
    ],
}  # fmt: skip


def test_a_commit_that_came_after_its_rollback(made: Handmade, jvm: Jvm) -> None:
    made.instant(3)
    compaction = '{"operationType": "COMPACT"}'
    for late, content in ((5, "{}"), (7, compaction), (11, compaction)):
        made.instant(late, content=content)
        rollback = io.BytesIO()
        fastavro.writer(rollback, ROLLBACK, [{"startRollbackTime": "", "commitsRollback": [time(late)]}])
        made.instant(late + 1, "rollback")
        newest = max(made.folder.glob("*.rollback"))
        newest.write_bytes(rollback.getvalue())
    made.instant(7, "compaction", state=".inflight")
    # 11 has neither a request nor an inflight file: an archiving was cut off.
    expected = [made.file(3, "a-0"), made.file(7, "b-0"), made.file(11, "d-0")]
    made.file(5, "c-0")
    assert sorted(assert_same(jvm, made.base)) == expected


def test_a_commit_that_was_never_written_to_its_end(made: Handmade, jvm: Jvm) -> None:
    made.instant(3)
    made.instant(5, state=".requested")
    made.instant(5, content="")
    expected = [made.file(3)]
    made.file(5)
    assert assert_same(jvm, made.base) == expected


@pytest.mark.parametrize("winner", [0, 1])
def test_what_a_retried_task_left(made: Handmade, jvm: Jvm, winner: int) -> None:
    name = [made.file(3, token=f"0-0-{attempt}") for attempt in (0, 1)][winner]
    stat = f'{{"path": "p/{name}", "fileId": "f-0", "partitionPath": "p"}}'
    made.instant(3, content=f'{{"partitionToWriteStats": {{"p": [{stat}]}}}}')
    assert assert_same(jvm, made.base) == [name]


def test_partitions_at_odd_places(made: Handmade, jvm: Jvm) -> None:
    made.instant(3)
    for n, partition in enumerate([".dot", ".hoodiex", "a", "a/b", "größe", "x/.dot", "x/.hoodie", "a b%2F"]):
        made.file(3, f"f-{n}", partition)
    made.file(3, "f-9", "not-marked")
    (made.base / "not-marked" / ".hoodie_partition_metadata").unlink()
    made.file(3, "f-10", "x/.hoodie/metadata/.hoodie/y")
    assert len(assert_same(jvm, made.base)) == 8


def test_replaced_groups_of_a_partition_that_hudi_spells_in_another_way(made: Handmade, jvm: Jvm) -> None:
    made.instant(3)
    made.file(3, "a-0", "p")
    made.instant(5, "replacecommit", content='{"partitionToReplaceFileIds": {"/p/": ["a-0"]}}')
    expected = [made.file(5, "b-0", "p")]
    assert assert_same(jvm, made.base) == expected


def test_properties_that_only_the_backup_has_whole(made: Handmade, jvm: Jvm) -> None:
    made.instant(3)
    made.file(3)
    properties = made.base / ".hoodie" / "hoodie.properties"
    properties.rename(properties.with_name("hoodie.properties.backup"))
    properties.write_text("hoodie.table.checksum=1\nhoodie.table.name=t\n")
    assert len(assert_same(jvm, made.base)) == 1


@pytest.mark.parametrize("when", ["9" * 17, "9" * 18, "7", "20261301000000000"])
def test_a_time_that_is_none(made: Handmade, jvm: Jvm, when: str) -> None:
    made.instant(3)
    (made.folder / f"{when}.commit.requested").touch()
    assert damage(lambda: inspect.timeline(str(made.base))) == "CORRUPT_FILE"
    with pytest.raises(Exception, match="CORRUPT_FILE"):
        jvm.timeline(made.base)


def damage(call: Callable[[], object]) -> str:
    with pytest.raises(DamagedTable) as raised:
        call()
    return str(raised.value).split("]")[0].strip("[")


def test_damage_has_the_same_name(made: Handmade, jvm: Jvm) -> None:
    made.instant(3)
    made.file(3)
    (made.base / "loop").symlink_to(made.base)
    assert damage(lambda: inspect.files(str(made.base))) == "UNSUPPORTED_LINK"
    with pytest.raises(Exception, match="UNSUPPORTED_LINK"):
        jvm.files(made.base)
    (made.base / "loop").unlink()
    made.instant(5, "replacecommit", content='{"partitionToReplaceFileIds": {"../p": ["a-0"]}}')
    assert damage(lambda: inspect.files(str(made.base))) == "CORRUPT_FILE"
    with pytest.raises(Exception, match="CORRUPT_FILE"):
        jvm.files(made.base)
    (made.base / ".hoodie" / "hoodie.properties").write_text("hoodie.table.name=t\n")
    assert damage(lambda: inspect.files(str(made.base))) == "CORRUPT_TABLE_PROPERTIES"
