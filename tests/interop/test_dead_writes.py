"""Remains of a killed writer of one engine do not disturb the other."""

from __future__ import annotations

import copy
import os
import shutil
from collections.abc import Callable
from pathlib import Path

import layout
import pytest
from engines import SELF_CHECK, Engine, Shape, frame, hudi
from killable_writer import PARTITIONS, batch
from model import Model
from rows import rows_of
from sessions import Sessions
from victim import Victim

import hudilite

MERGE_ON_READ = {"hoodie.datasource.write.table.type": "MERGE_ON_READ"}
EAGER = {"hoodie.clean.failed.writes.policy": "EAGER"}
VERSIONS = pytest.mark.parametrize("version", [6, 9])


def started_table(engine: Engine, path: Path, version: int) -> Model:
    model = Model()
    engine.write(frame(engine.spark, batch(range(200), 1)), path, "insert", **Shape(version).options())
    model.upsert(batch(range(200), 1))
    return model


def killed_half_way(path: Path, version: int, engine: str) -> None:
    with Victim(path, version, engine=engine) as victim:
        victim.go()
        if engine == "hudilite":
            victim.kill_before_completion(lambda: len(victim.new_files()) >= PARTITIONS // 2)
        else:  # does not ask for our lock
            victim.wait_until(lambda: len(victim.new_files()) >= 1)
            victim.kill()
    assert layout.strays(path)


@pytest.fixture(scope="module")
def copy_of_dead(sessions: Sessions, tmp_path_factory: pytest.TempPathFactory) -> Callable[[int, Path], Model]:
    """Copies a table in which a writer of Hudi's was just killed to a path, and says which rows it has. One writer is
    killed for each table version: to start it takes as long as all else that a test does."""
    made: dict[int, tuple[Path, Model]] = {}

    def copied(version: int, path: Path) -> Model:
        if version not in made:
            table = tmp_path_factory.mktemp("dead") / str(version)
            real = hudi(sessions.get("interop"), **{"hoodie.metadata.enable": "false"})
            made[version] = table, started_table(real, table, version)
            killed_half_way(table, version, "hudi")
        table, model = made[version]
        shutil.copytree(table, path, copy_function=shutil.copyfile)  # the times of its files are of now
        assert layout.strays(path) and layout.pending(path)
        return copy.deepcopy(model)

    return copied


def write(engine: Engine, path: Path, version: int, ids: range, ts: int, model: Model) -> None:
    facts = Shape(version).options() if engine.repeat_facts else {}
    engine.write(frame(engine.spark, batch(ids, ts)), path, **facts)
    model.upsert(batch(ids, ts))


@VERSIONS
@pytest.mark.skipif(SELF_CHECK, reason="this is about hudilite's own writers")
def test_hudi_rolls_a_dead_write_of_hudilite_back(lite: Engine, real: Engine, path: Path, version: int) -> None:
    model = started_table(lite, path, version)
    killed_half_way(path, version, "hudilite")
    assert rows_of(real.read(path)) == model.rows()
    write(real, path, version, range(180, 240), 3, model)
    assert rows_of(real.read(path)) == rows_of(lite.read(path)) == model.rows()
    assert layout.strays(path) == []
    assert layout.pending(path) == []
    write(lite, path, version, range(100, 220, 5), 4, model)
    assert rows_of(real.read(path)) == rows_of(lite.read(path)) == model.rows()


@VERSIONS
def test_a_dead_write_of_hudi_is_invisible_until_hudi_rolls_it_back(
    lite: Engine, real: Engine, path: Path, version: int, copy_of_dead: Callable[[int, Path], Model]
) -> None:
    model = copy_of_dead(version, path)
    assert rows_of(lite.read(path)) == model.rows()
    write(real, path, version, range(180, 240), 3, model)
    assert layout.strays(path) == []
    write(lite, path, version, range(100, 220, 5), 4, model)
    assert rows_of(real.read(path)) == rows_of(lite.read(path)) == model.rows()


@VERSIONS
def test_hudilite_waits_for_a_pending_write_of_hudi_or_rolls_it_back(
    lite: Engine, real: Engine, path: Path, version: int, copy_of_dead: Callable[[int, Path], Model]
) -> None:
    model = copy_of_dead(version, path)
    strays = layout.strays(path)
    with pytest.raises(Exception, match="WRITE_PENDING"):
        write(lite, path, version, range(180, 240), 3, model)
    assert layout.strays(path) == strays, "another writer's files were touched"
    facts = Shape(version).options() if lite.repeat_facts else {}
    lite.write(frame(lite.spark, batch(range(180, 240), 3)), path, **facts, **EAGER)
    model.upsert(batch(range(180, 240), 3))
    assert layout.strays(path) == []
    assert layout.pending(path) == []
    write(real, path, version, range(100, 220, 5), 4, model)
    assert rows_of(real.read(path)) == rows_of(lite.read(path)) == model.rows()


@VERSIONS
@pytest.mark.parametrize("plan", [b"", b"Obj\x01, and no more"])
def test_the_doctor_takes_a_dead_write_of_hudi_back_whose_rollback_lost_its_plan(
    lite: Engine, real: Engine, path: Path, version: int, plan: bytes, copy_of_dead: Callable[[int, Path], Model]
) -> None:
    model = copy_of_dead(version, path)
    (dead,) = layout.pending(path)
    rollback = str(int(dead) + 1)
    for state, content in (("requested", plan), ("inflight", b"")):
        file = layout.timeline_folder(path) / f"{rollback}.rollback.{state}"
        file.write_bytes(content)
        os.utime(file, (0, 0))  # as if it had been begun long ago
    table = hudilite.table(lite.spark, str(path))
    told = {f.subject: f for f in table.doctor(options=EAGER)}
    assert told[rollback].kind == "DAMAGED_INSTANT" and dead in told[rollback].advice
    assert layout.strays(path) and layout.pending(path) == [dead, rollback]
    assert {f.subject for f in table.doctor(fix=True, options=EAGER) if f.mended} == {dead, rollback}
    assert layout.strays(path) == layout.pending(path) == []
    for engine, ts in ((real, 3), (lite, 4), (real, 5)):
        write(engine, path, version, range(100, 220, ts), ts, model)
        assert rows_of(real.read(path)) == rows_of(lite.read(path)) == model.rows()


def refused_alter(real: Engine, path: Path) -> None:
    """Hudi refuses some changes of columns after it has announced a commit, which it leaves behind."""
    spark = real.spark
    spark.sql(f"CREATE TABLE {path.name} USING hudi LOCATION '{path}'")
    spark.conf.set("hoodie.schema.on.read.enable", "true")
    spark.conf.set("spark.sql.catalog.spark_catalog", "org.apache.spark.sql.hudi.catalog.HoodieCatalog")
    try:
        with pytest.raises(Exception, match=r"(?i)colour"):
            spark.sql(f"ALTER TABLE {path.name} RENAME COLUMN colour TO shade")
    finally:
        spark.sql(f"DROP TABLE {path.name}")
        spark.conf.unset("spark.sql.catalog.spark_catalog")
        spark.conf.unset("hoodie.schema.on.read.enable")
    (announced,) = layout.pending(path)
    assert all(file.suffix == ".requested" for file in layout.timeline_folder(path).glob(f"{announced}*"))


@VERSIONS
def test_hudilite_rolls_back_what_hudi_announced_and_never_began(
    lite: Engine, real: Engine, path: Path, version: int
) -> None:
    model = started_table(real, path, version)
    refused_alter(real, path)
    assert rows_of(lite.read(path)) == model.rows()
    with pytest.raises(Exception, match="WRITE_PENDING"):
        write(lite, path, version, range(180, 240), 3, model)
    for file in (path / ".hoodie").rglob("*.requested"):
        os.utime(file, (0, 0))  # as if it had been announced long ago
    write(lite, path, version, range(180, 240), 3, model)
    assert layout.pending(path) == []
    write(real, path, version, range(100, 220, 5), 4, model)
    assert rows_of(real.read(path)) == rows_of(lite.read(path)) == model.rows()


def test_an_empty_upsert_of_hudi_takes_a_dead_delta_commit_of_version_6_back(
    lite: Engine, real: Engine, path: Path
) -> None:
    shape, model = Shape(6, extra=MERGE_ON_READ), Model()
    for ts in (1, 2):
        real.write(frame(real.spark, batch(range(200), ts)), path, "upsert", **shape.options())
        model.upsert(batch(range(200), ts))
    (last,) = (path / ".hoodie").glob(f"{layout.writes(path)[-1].requested}.deltacommit")
    last.unlink()  # so does a writer look that was killed right before its end
    model = Model()
    model.upsert(batch(range(200), 1))
    with pytest.raises(Exception, match="DELTA_COMMIT_PENDING"):
        lite.write(frame(lite.spark, batch(range(4), 3)), path, **EAGER)
    real.write(frame(real.spark, []), path, "upsert", **shape.options())
    assert layout.pending(path) == []
    lite.write(frame(lite.spark, batch(range(4), 3)), path)
    model.upsert(batch(range(4), 3))
    assert rows_of(real.read(path)) == rows_of(lite.read(path)) == model.rows()
