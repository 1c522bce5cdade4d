"""The lock file of `FileSystemBasedLockProvider`, which Apache Hudi's writers and hudilite's take in turns."""

from __future__ import annotations

import threading
import time
from pathlib import Path

import pytest
from engines import SELF_CHECK, Engine, Shape

from hudilite import condition_of

pytestmark = pytest.mark.skipif(SELF_CHECK, reason="this is about both engines")

LOCKED = {
    "hoodie.write.concurrency.mode": "optimistic_concurrency_control",
    "hoodie.clean.failed.writes.policy": "LAZY",
    "hoodie.write.lock.provider": "org.apache.hudi.client.transaction.lock.FileSystemBasedLockProvider",
}
#: How often Hudi's writers look for the file, and how long in all.
PATIENT = {
    "hoodie.write.lock.client.num_retries": "100",
    "hoodie.write.lock.client.wait_time_ms_between_retry": "100",
    "hoodie.write.lock.num_retries": "5",
    "hoodie.write.lock.wait_time_ms_between_retry": "100",
}
QUIET = {"hoodie.clean.automatic": "false", "hoodie.archive.automatic": "false", "hoodie.parquet.small.file.limit": "0"}


def save(engine: Engine, path: Path, first: int, count: int = 1, **options: str) -> None:
    rows = [(f"k{i:03d}", 1, f"p{i % 2}", i) for i in range(first, first + count)]
    frame = engine.spark.createDataFrame(rows, "id string, ts bigint, dt string, v int")
    facts = {**Shape().options(), **LOCKED, **PATIENT, **QUIET, **options}
    if engine.name == "hudilite":
        facts = {name: value for name, value in facts.items() if name not in PATIENT}
    engine.write(frame.coalesce(1), path, "insert", **facts)


def keys(engine: Engine, path: Path) -> list[str]:
    return sorted(row.id for row in engine.read(path).select("id").collect())


def test_each_engine_waits_for_the_lock_file_of_the_other(lite: Engine, real: Engine, path: Path) -> None:
    save(real, path, 0)
    lock = path / ".hoodie" / "lock"
    assert not lock.exists()
    for number, engine in enumerate((lite, real), start=1):
        lock.write_text("{}")
        freed = threading.Timer(3, lock.unlink)
        begun = time.monotonic()
        freed.start()
        save(engine, path, number)
        freed.join()
        assert time.monotonic() - begun >= 3, engine.name
        assert not lock.exists()
    assert keys(lite, path) == keys(real, path) == ["k000", "k001", "k002"]
    lock.write_text("{}")
    with pytest.raises(Exception) as caught:
        save(lite, path, 7, **{"hoodie.write.lock.wait_time_ms": "300"})
    assert condition_of(caught.value) == "LOCK_TIMEOUT"
    assert lock.read_text() == "{}"
    lock.unlink()
    assert keys(lite, path) == ["k000", "k001", "k002"]


def test_writers_of_both_engines_at_one_time_lose_no_row(lite: Engine, real: Engine, path: Path) -> None:
    save(real, path, 0)
    rounds, failed = 4, []

    def writer(engine: Engine, first: int) -> None:
        for turn in range(rounds):
            try:
                save(engine, path, first + turn)
            except Exception as error:
                failed.append(f"{engine.name}: {error}")

    threads = [threading.Thread(target=writer, args=(engine, 100 * (n + 1))) for n, engine in enumerate((lite, real))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failed, failed
    wanted = sorted(["k000", *(f"k{100 * n + turn:03d}" for n in (1, 2) for turn in range(rounds))])
    assert keys(lite, path) == wanted
    assert keys(real, path) == wanted
    assert not (path / ".hoodie" / "lock").exists()


def test_of_two_changes_of_one_row_by_both_engines_one_is_refused(lite: Engine, real: Engine, path: Path) -> None:
    save(real, path, 0, 2)
    results: dict[str, str] = {}
    start = threading.Barrier(2)

    def change(engine: Engine, value: int) -> None:
        frame = engine.spark.createDataFrame([("k000", 2, "p0", value)], "id string, ts bigint, dt string, v int")
        options = {**Shape().options(), **LOCKED, **QUIET, **(PATIENT if engine is real else {})}
        start.wait()
        try:
            engine.write(frame, path, "upsert", **options)
            results[engine.name] = "done"
        except Exception as error:
            results[engine.name] = condition_of(error) or str(error)

    threads = [threading.Thread(target=change, args=(engine, n)) for n, engine in enumerate((lite, real))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    refused = [said for said in results.values() if said != "done"]
    assert len(refused) <= 1, results
    assert all(said == "COMMIT_CONFLICT" or "onflict" in said for said in refused), results
    assert keys(lite, path) == keys(real, path) == ["k000", "k001"]
    assert [r.v for r in lite.read(path).where("id = 'k000'").collect()] == [
        r.v for r in real.read(path).where("id = 'k000'").collect()
    ]
