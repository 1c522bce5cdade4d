"""Services that are asked for what cannot be: each says so by its own condition, and the table stays as it was."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import layout
import pytest
from conditions import fails_with
from engines import SELF_CHECK, Engine, Shape, frame, list_anew, record
from test_bad_input import Untouched

import hudilite
from hudilite import HudiliteTable

pytestmark = pytest.mark.skipif(SELF_CHECK, reason="these are hudilite's own errors")
VERSIONS = pytest.mark.parametrize("version", [6, 9])
STILL = {"hoodie.clean.automatic": "false", "hoodie.parquet.small.file.limit": "0"}
MERGE_ON_READ = {"hoodie.datasource.write.table.type": "MERGE_ON_READ"}


def written(lite: Engine, path: Path, version: int, *keys: str, **more: str) -> HudiliteTable:
    """A table after one write for each of these keys."""
    for n, key in enumerate(keys):
        rows = frame(lite.spark, [record(key, n, "2026-01-01", price=float(n))])
        lite.write(rows, path, **Shape(version).options(), **{**STILL, **more})
    return hudilite.table(lite.spark, str(path))


@contextmanager
def refused(path: Path, condition: str, *mentions: str) -> Iterator[None]:
    with Untouched(path), fails_with(condition, *mentions):
        yield


def removed(file: Path) -> str:
    """The name of a file that is gone now."""
    file.unlink()
    list_anew(file)
    return file.name


@VERSIONS
def test_a_policy_that_nobody_knows(lite: Engine, path: Path, version: int) -> None:
    table = written(lite, path, version, "k", "k")
    with refused(path, "INVALID_OPTION_VALUE", "hoodie.clean.policy", "KEEP_ALL"):
        lite.spark.sql(f"CALL hudilite.system.run_clean(path => '{path}', clean_policy => 'KEEP_ALL')")
    for call in (table.clean, table.services, table.archive):
        with refused(path, "INVALID_OPTION_VALUE", "hoodie.clean.policy", "KEEP_ALL"):
            call(options={"hoodie.clean.policy": "KEEP_ALL"})  # type: ignore[operator]
    with refused(path, "INVALID_OPTION_VALUE", "hoodie.clean.policy"):
        written(lite, path, version, "k", **{"hoodie.clean.policy": "KEEP_ALL", "hoodie.clean.automatic": "true"})


@VERSIONS
def test_a_retention_that_contradicts_archiving(lite: Engine, path: Path, version: int) -> None:
    table = written(lite, path, version, "k", "k")
    few = {"hoodie.clean.commits.retained": "20", "hoodie.keep.min.commits": "10", "hoodie.keep.max.commits": "30"}
    with refused(path, "INVALID_OPTION_VALUE", "hoodie.keep.min.commits", "which is 20"):
        table.archive(options=few)
    with refused(path, "INVALID_OPTION_VALUE", "hoodie.keep.min.commits", "which is 20"):
        table.services(options=few)
    with refused(path, "INVALID_OPTION_VALUE", "hoodie.keep.min.commits", "which is 20"):
        written(lite, path, version, "k", **few)
    with refused(path, "INVALID_OPTION_VALUE", "hoodie.keep.max.commits", "which is 30"):
        table.archive(options={"hoodie.keep.min.commits": "30", "hoodie.keep.max.commits": "30"})


def announced(table: Path, time: str) -> None:
    """A write of another program that has begun."""
    for state in ("commit.requested", "inflight"):
        (file := layout.timeline_folder(table) / f"{time}.{state}").touch()
    list_anew(file)


@VERSIONS
def test_a_savepoint_of_what_is_no_whole_state(lite: Engine, path: Path, version: int) -> None:
    table = written(lite, path, version, "k", "k", "k", "k")
    newest, _, _, oldest = (commit.time for commit in table.history())
    with refused(path, "SAVEPOINT_NOT_POSSIBLE", "20200101000000000", "no completed write"):
        table.savepoint("20200101000000000")
    table.rollback()
    with refused(path, "SAVEPOINT_NOT_POSSIBLE", newest, "no completed write"):
        table.savepoint(newest)
    pending = "20990101000000000"
    announced(path, pending)
    with refused(path, "SAVEPOINT_NOT_POSSIBLE", pending, "no completed write"):
        table.savepoint(pending, dry_run=True)
    for state in ("commit.requested", "inflight"):
        removed(layout.timeline_folder(path) / f"{pending}.{state}")
    table.clean("KEEP_LATEST_FILE_VERSIONS", 1)
    for dry_run in (True, False):
        with refused(path, "SAVEPOINT_NOT_POSSIBLE", oldest, "cleaned away"):
            table.savepoint(oldest, dry_run=dry_run)


@VERSIONS
def test_a_savepoint_of_file_groups_that_were_replaced(lite: Engine, path: Path, version: int) -> None:
    table = written(lite, path, version, "a", "b")
    both = table.history()[0].time
    lite.write(frame(lite.spark, [record("c", 9, "2026-01-01")]), path, "insert_overwrite", **STILL)
    saved = table.savepoint(both)
    assert saved.files == 2 and table.clean("KEEP_LATEST_FILE_VERSIONS", 1).files == 0
    table.delete_savepoint(both)
    assert table.clean("KEEP_LATEST_FILE_VERSIONS", 1).files == 2
    with refused(path, "SAVEPOINT_NOT_POSSIBLE", both):
        table.savepoint(both)
    with refused(path, "RESTORE_NOT_POSSIBLE", both):
        table.restore(both)


@VERSIONS
def test_a_restore_past_the_history(lite: Engine, path: Path, version: int) -> None:
    few = {"hoodie.clean.commits.retained": "1", "hoodie.keep.min.commits": "2", "hoodie.keep.max.commits": "4"}
    table = written(lite, path, version, *("k" * 6), **{**few, "hoodie.archive.automatic": "false"})
    oldest = table.history()[-1].time
    assert oldest in table.archive(options=few).instants
    for instant in (oldest, "20200101000000000", "20990101000000000"):
        for dry_run in (True, False):
            with refused(path, "RESTORE_NOT_POSSIBLE", instant):
                table.restore(instant, dry_run=dry_run)
        with refused(path, "ROLLBACK_NOT_POSSIBLE", instant):
            table.rollback(instant)


@VERSIONS
def test_two_clusterings_of_one_group(lite: Engine, path: Path, version: int) -> None:
    table = written(lite, path, version, "a", "b")
    first = table.schedule_clustering()
    assert first is not None and table.schedule_clustering() is None
    plan = next(layout.timeline_folder(path).glob(f"{first.instant}.*.requested"))
    second = f"{int(str(first.instant)) + 1}"
    plan.with_name(plan.name.replace(str(first.instant), second)).write_bytes(plan.read_bytes())
    list_anew(plan)
    with refused(path, "COMMIT_CONFLICT", second, "an older clustering takes"):
        table.cluster(instant=second)
    assert table.cluster().instants == (first.instant,)
    assert sorted(row["id"] for row in table.rows().collect()) == ["a", "b"]


@VERSIONS
def test_a_compaction_whose_files_are_gone(lite: Engine, path: Path, version: int) -> None:
    table = written(lite, path, version, "a", "a", "a", **MERGE_ON_READ)
    plan = table.schedule_compaction()
    assert plan is not None and plan.instant is not None
    gone = removed(layout.log_files(path)[0])
    for call in (lambda: table.compact(plan.instant), table.compact, lambda: table.compact(dry_run=True)):
        with refused(path, "CORRUPT_FILE", gone, plan.instant, "it is gone"):
            call()
    assert table.services()[0].planned == (plan.instant,)


@VERSIONS
def test_a_compaction_of_hudi_whose_files_are_gone(
    lite: Engine, golden_copy: Callable[[str], Path], version: int
) -> None:
    path = golden_copy(f"mor-compacted-v{version}")
    table = hudilite.table(lite.spark, str(path))
    (plan,) = table.compact(dry_run=True)
    assert plan.instant is not None
    taken = plan.slices[0]
    gone = removed(path / taken.partition / taken.log_files[0])
    for call in (lambda: table.compact(plan.instant), table.compact, lambda: table.compact(dry_run=True)):
        with refused(path, "CORRUPT_FILE", gone, plan.instant, "it is gone"):
            call()


@VERSIONS
def test_a_clustering_whose_files_are_gone(lite: Engine, path: Path, version: int) -> None:
    table = written(lite, path, version, "a", "b")
    plan = table.schedule_clustering()
    assert plan is not None and plan.instant is not None
    gone = removed(layout.base_files(path)[0])
    for call in (lambda: table.cluster(instant=plan.instant), table.cluster, lambda: table.cluster(dry_run=True)):
        with refused(path, "CORRUPT_FILE", gone, plan.instant, "it is gone"):
            call()
    assert table.rollback(plan.instant).write == plan.instant
    with refused(path, "CORRUPT_FILE", gone, "it is gone"):
        table.cluster()


@VERSIONS
def test_a_cleaning_whose_files_are_gone_already_is_done(lite: Engine, path: Path, version: int) -> None:
    table = written(lite, path, version, "k", "k", "k", "k")
    call = f"CALL hudilite.system.run_clean(path => '{path}', retain_commits => 1, op => 'schedule')"
    (planned,) = lite.spark.sql(call).collect()
    assert len(planned["files"]) == 2
    again = lite.spark.sql(call).collect()
    assert again == [planned] and table.services()[1].planned == (planned["start_clean_time"],)
    for file in planned["files"]:
        removed(path / file)
    assert table.clean(retain=1).instants == (planned["start_clean_time"],)
    assert table.rows().collect()[0]["price"] == 3.0 and len(layout.base_files(path)) == 2
