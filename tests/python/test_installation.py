"""Missing parts of an installation are named in one line, with a condition, before anything else goes wrong."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import hudilite
from hudilite import bars, environment, inspect, jars, report

WITHOUT = [
    ("tqdm.auto", "progress", lambda _: bars.Bar("compaction")),
    ("matplotlib", "report", lambda table: report.of_path(str(table))),
    ("pyarrow", "cli", lambda table: inspect.timeline(str(table))),
    ("fastavro", "cli", lambda table: inspect.history(str(table))),
]  # fmt: skip


def raised(call: Callable[[], Any]) -> Exception:
    with pytest.raises(Exception) as caught:
        call()
    assert "\n" not in str(caught.value)
    return caught.value


@pytest.mark.parametrize(("package", "extra", "call"), WITHOUT, ids=[package for package, _, _ in WITHOUT])
def test_a_package_that_is_missing_is_named_with_the_extra_that_brings_it(
    golden_root: Path, monkeypatch: pytest.MonkeyPatch, package: str, extra: str, call: Callable[[Path], Any]
) -> None:
    monkeypatch.setitem(sys.modules, package, None)
    error = raised(lambda: call(golden_root / "mor-logs-v9" / "table"))
    assert isinstance(error, ImportError) and hudilite.condition_of(error) == "PACKAGE_NOT_INSTALLED"
    assert f"the Python package {package.partition('.')[0]}," in str(error)
    assert f"pip install 'hudilite[{extra}]'" in str(error)


def test_a_spark_that_is_missing_or_too_old_and_a_jar_that_is_missing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(jars, "_FOLDER", tmp_path)
    assert hudilite.condition_of(raised(hudilite.jar)) == "JAR_NOT_FOUND"
    (tmp_path / "jars").mkdir()
    (tmp_path / "jars" / "spark-sql_2.12-3.4.4.jar").touch()
    monkeypatch.setenv("SPARK_HOME", str(tmp_path))
    assert hudilite.condition_of(raised(hudilite.jar)) == "UNSUPPORTED_SPARK"
    monkeypatch.delenv("SPARK_HOME")
    monkeypatch.setattr(jars.importlib.util, "find_spec", lambda _: None)
    monkeypatch.setitem(sys.modules, "pyspark.sql", None)
    for call in (hudilite.jar, hudilite.session):
        error = raised(call)
        assert hudilite.condition_of(error) == "PACKAGE_NOT_INSTALLED" and "hudilite[spark]" in str(error)


def test_a_session_without_java_says_that_it_is_java(tmp_path: Path) -> None:
    code = "import hudilite\ntry: hudilite.session()\nexcept RuntimeError as e: print(hudilite.condition_of(e), e)"
    without = {**os.environ, "JAVA_HOME": str(tmp_path)}
    done = subprocess.run([sys.executable, "-c", code], env=without, capture_output=True, text=True, check=True)
    assert done.stdout.startswith("JAVA_NOT_USABLE [JAVA_NOT_USABLE] ") and f"JAVA_HOME={tmp_path}" in done.stdout


def test_a_command_without_java_says_so_in_one_line(tmp_path: Path, golden_root: Path) -> None:
    table = str(golden_root / "mor-logs-v9" / "table")
    without = {**os.environ, "JAVA_HOME": str(tmp_path)}
    code = "import sys; from hudilite import cli; sys.exit(cli.main(sys.argv[1:]))"
    done = subprocess.run(
        [sys.executable, "-c", code, "services", table], env=without, capture_output=True, text=True, check=False
    )
    assert done.returncode == 1 and "Traceback" not in done.stderr
    assert done.stderr.splitlines()[-1].startswith("error: [JAVA_NOT_USABLE] ")


@pytest.mark.parametrize(("said", "spark", "flaw"), [
    ('openjdk version "1.8.0_392"', "4.3.0", "Java 17 or newer"),
    ('openjdk version "11.0.2" 2019-01-15', "4.0.1", "Java 17 or newer"),
    ('openjdk version "1.8.0_392"', "3.5.9", "Java 17 or newer"),
    ('openjdk version "17.0.9" 2023-10-17', "4.3.0", None),
    ('java version "25"', "4.3.0", None),
    ("no version at all", "4.3.0", "does not tell its version"),
])  # fmt: skip
def test_a_java_that_is_too_old_is_told_with_its_version(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, said: str, spark: str, flaw: str | None
) -> None:
    java = tmp_path / "bin" / "java"
    java.parent.mkdir()
    java.write_text(f"#!/bin/sh\necho '{said}' >&2\n")
    java.chmod(0o755)
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    monkeypatch.setattr(jars, "installed_spark", lambda: (spark, None))
    found = environment.java_flaw()
    assert (found is None) if flaw is None else (found is not None and flaw in found and str(java) in found)
