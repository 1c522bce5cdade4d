"""Examples of the Python API, as its docstrings have them."""

from __future__ import annotations

import doctest
import itertools
import shutil
from collections.abc import Iterator
from pathlib import Path
from types import FunctionType, ModuleType

import pytest
from pyspark.sql import SparkSession

import hudilite

FACTS = {
    "hoodie.table.name": "trips",
    "hoodie.datasource.write.recordkey.field": "id",
    "hoodie.datasource.write.partitionpath.field": "day",
    "hoodie.datasource.write.precombine.field": "ts",
    "hoodie.datasource.write.table.type": "MERGE_ON_READ",
    "hoodie.datasource.write.hive_style_partitioning": "true",
}
SCHEMA = "id int, day string, fare double, ts int"


def _places() -> Iterator[tuple[str, object]]:
    """Public functions, and the public methods of public classes, by their names."""
    for name in hudilite.__all__:
        thing = getattr(hudilite, name)
        if isinstance(thing, ModuleType):
            yield from ((f"{name}.{inner}", getattr(thing, inner)) for inner in dir(thing))
        else:
            yield name, thing


def _documented() -> Iterator[tuple[str, object]]:
    for name, thing in _places():
        if isinstance(thing, type) and thing.__module__.startswith("hudilite"):
            methods = ((each, getattr(thing, each)) for each in dir(thing) if not each.startswith("_"))
            yield from ((f"{name}.{each}", method) for each, method in methods if callable(method))
            if ">>>" in (thing.__doc__ or ""):
                yield name, thing
        elif isinstance(thing, FunctionType):
            yield name, thing


#: Methods that classes have from Python's own.
_OF_PYTHON = {"add_note", "with_traceback"}
DOCUMENTED = {name: thing for name, thing in sorted(_documented()) if name.rpartition(".")[2] not in _OF_PYTHON}
#: Need something that not every environment of the tests has.
_EXTRAS = {"HudiliteTable.report": "matplotlib", "inspect.to_arrow": "hudi", "inspect.to_pandas": "hudi"}


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("examples")


@pytest.fixture(scope="module")
def copies(made: Path) -> Iterator[Path]:
    return (made / f"copy-{n}" for n in itertools.count())


@pytest.fixture
def path(spark: SparkSession, made: Path, copies: Iterator[Path]) -> Path:
    """A table of three rows in two partitions, with a log file on one of them; each example has its own."""
    original = made / "trips"
    if not original.exists():
        rows = [(1, "mon", 10.0, 1), (2, "mon", 7.0, 1), (3, "tue", 3.5, 1)]
        for batch in (rows, [(2, "mon", 7.5, 2)]):
            frame = spark.createDataFrame(batch, SCHEMA).coalesce(1)
            frame.write.format("hudilite").options(**FACTS).mode("append").save(str(original))
    copy = next(copies)
    shutil.copytree(original, copy)
    return copy


@pytest.mark.parametrize("name", DOCUMENTED)
def test_examples_say_what_they_show(spark: SparkSession, path: Path, name: str) -> None:
    if name in _EXTRAS:
        pytest.importorskip(_EXTRAS[name])
    values = {"hudilite": hudilite, "spark": spark, "trips": hudilite.table(spark, str(path)), "path": str(path)}
    text = DOCUMENTED[name].__doc__ or ""
    example = doctest.DocTestParser().get_doctest(text, values, name, None, 0)
    assert example.examples, f"{name} has no example"
    said: list[str] = []
    doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE).run(example, out=said.append)
    assert not said, "".join(said)


def test_dir_has_public_names_alone() -> None:
    for name in hudilite.__all__:
        thing = getattr(hudilite, name)
        if isinstance(thing, ModuleType):
            assert all(each.isupper() or each in thing.__all__ for each in dir(thing)), name
    assert not [each for each in dir(hudilite.table) if not each.startswith("_")]
