"""The build hook's checks, on folders made for the test."""

from __future__ import annotations

import importlib.util
import os
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).parent.parent.parent


def load(path: Path) -> ModuleType:
    """A script of the project as a module."""
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    sys.modules[path.stem] = module
    spec.loader.exec_module(module)
    return module


build_jars = load(ROOT / "jvm" / "build_jars.py")
LINES = list(build_jars.LINES)
sbt = sys.modules["sbt"]
everything = load(ROOT / "tests" / "all.py")


def pack(jar: Path, folder: str = "io/hudilite/log", size: int = 1) -> None:
    """A jar with a class of hudilite's, and another one of this size in this folder."""
    with zipfile.ZipFile(jar, "w") as archive:
        for name, content in (("io/", 0), ("io/hudilite/spark/Any.class", 1), (f"{folder}/Any.class", size)):
            archive.writestr(name, bytes(content))


def pack_names(jar: Path) -> None:
    """A jar with a class of a name of Hudi's."""
    with zipfile.ZipFile(jar, "w") as archive:
        archive.writestr("org/apache/hudi/DefaultSource.class", b"")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A package folder with one jar for each line."""
    monkeypatch.setattr(build_jars, "JARS", tmp_path)
    for artifact in build_jars.LINES.values():
        pack(tmp_path / f"{artifact}-1.0.jar")
    for artifact in build_jars.NAMES.values():
        pack_names(tmp_path / f"{artifact}-1.0.jar")
    return tmp_path


def test_one_jar_a_line_is_right(folder: Path) -> None:
    build_jars.check(LINES)


def test_a_missing_jar_fails_the_build(folder: Path) -> None:
    (folder / "hudilite-spark-4_2.13-1.0.jar").unlink()
    with pytest.raises(sbt.BuildError, match=r"0 jars of hudilite-spark-4_2\.13 instead of one"):
        build_jars.check(LINES)


def test_two_jars_of_a_line_fail_the_build(folder: Path) -> None:
    pack(folder / "hudilite-spark-4_2.13-0.9.jar")
    with pytest.raises(sbt.BuildError, match=r"2 jars of hudilite-spark-4_2\.13 instead of one"):
        build_jars.check(LINES)


def test_a_jar_beyond_the_limit_fails_the_build(folder: Path) -> None:
    pack(folder / "hudilite-spark-4_2.13-1.0.jar", size=build_jars.MAXIMUM_BYTES)
    with pytest.raises(sbt.BuildError, match="more than"):
        build_jars.check(LINES)


@pytest.mark.parametrize(
    "stranger", ["com/fasterxml/jackson", "org/apache/spark/sql", "org/apache/spark/sql/hudilite/shaded", "io/hudi"]
)
def test_a_class_in_a_folder_that_is_not_hudilite_s_fails_the_build(folder: Path, stranger: str) -> None:
    pack(folder / "hudilite-spark-3.5_2.12-1.0.jar", stranger)
    with pytest.raises(sbt.BuildError, match=rf"3\.5_2\.12-1\.0\.jar has 1 file.* such as {stranger}/Any\.class"):
        build_jars.check(LINES)


def test_the_jars_in_the_package_hold_hudilite_s_classes_and_resources_alone() -> None:
    jars = sorted(build_jars.JARS.glob("*.jar"))
    assert len(jars) == 2 * len(build_jars.LINES)
    for jar in jars:
        assert build_jars.strangers(jar) == []
        with zipfile.ZipFile(jar) as archive:
            names = archive.namelist()
        folders = {name.rpartition("/")[0] for name in names if name.endswith(".class")}
        if jar.name.startswith(tuple(build_jars.NAMES.values())):
            assert folders == {*build_jars.CLASSES_OF_NAMES}
        else:
            assert folders > {*build_jars.CLASSES_IN_SPARK} and "hudilite/error-conditions.json" in names
        assert "META-INF/LICENSE" in names
        assert len(names) == len(set(names))


@pytest.mark.parametrize(
    ("asked", "home", "package", "lines"),
    [
        ("", None, "3.5.9", ["3.5"]),
        ("", None, "4.3.0", ["4"]),
        ("", "3.5.1", "4.3.0", ["3.5"]),
        ("", "3.5.4-amzn-0", None, ["3.5"]),
        ("", "without jars", "3.5.9", ["3.5"]),
        ("", None, "3.4.4", ["4"]),
        ("", None, None, ["4"]),
        ("all", None, "4.3.0", ["3.5", "4"]),
        ("4, 3.5", None, None, ["4", "3.5"]),
    ],
)
def test_pip_builds_for_the_spark_that_is_there_or_that_is_asked_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, asked: str, home: str | None, package: str | None, lines: list[str]
) -> None:
    for folder, version in (("home", home), ("pyspark", package)):
        if version:
            (tmp_path / folder / "jars").mkdir(parents=True)
            (tmp_path / folder / "jars" / f"spark-core_2.13-{version}.jar").touch()
    monkeypatch.setenv("HUDILITE_SPARK", asked)
    monkeypatch.delenv("SPARK_HOME", raising=False)
    if home:
        monkeypatch.setenv("SPARK_HOME", str(tmp_path / "home"))
    monkeypatch.setattr(build_jars.sysconfig, "get_path", lambda _: str(tmp_path))
    assert build_jars.asked() == lines


def test_a_line_that_there_is_not_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HUDILITE_SPARK", "4.0")
    with pytest.raises(sbt.BuildError, match=r"built for Spark 3\.5 and 4, or all, not for 4\.0"):
        build_jars.asked()


def test_a_jar_is_fresh_only_for_the_sources_that_made_it(folder: Path) -> None:
    assert not build_jars.is_fresh("4", "a")
    build_jars.stamp("4").write_text("a")
    assert build_jars.is_fresh("4", "a")
    assert not build_jars.is_fresh("4", "b")
    assert not build_jars.is_fresh("3.5", "a")


def test_a_build_for_one_spark_leaves_no_jar_of_old_sources_for_another(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    built = []

    def package(line: str) -> list[Path]:
        built.append(line)
        made = [folder / "made" / f"{artifact}-1.1.jar" for artifact in build_jars.artifacts(line)]
        made[0].parent.mkdir(exist_ok=True)
        pack(made[0])
        pack_names(made[1])
        return made

    monkeypatch.setattr(build_jars, "package", package)
    build_jars.build(["4"])
    build_jars.build(["4"])
    assert sorted(jar.name for jar in folder.glob("*.jar")) == [
        "hudilite-hudi-4_2.13-1.1.jar",
        "hudilite-spark-4_2.13-1.1.jar",
    ]
    assert built == ["4"]
    build_jars.build(LINES)
    assert built == ["4", "3.5"]


def test_the_sources_are_those_of_both_modules_and_the_build() -> None:
    assert len(build_jars.digest_of_sources()) == 64
    assert build_jars.digest_of_sources() == build_jars.digest_of_sources()


def test_a_machine_without_java_is_told_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("JAVA_HOME", "/nowhere")
    with pytest.raises(sbt.BuildError, match=r"JDK 17 or newer, and JAVA_HOME=/nowhere has no bin/java.*Install one"):
        sbt.java()


def test_a_java_that_is_too_old_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    java = tmp_path / "bin" / "java"
    java.parent.mkdir()
    java.write_text("#!/bin/sh\necho 'openjdk version \"1.8.0_392\"' >&2\n")
    java.chmod(0o755)
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    with pytest.raises(sbt.BuildError, match="is Java 8"):
        sbt.java()


@pytest.mark.parametrize(
    ("line", "counts"),
    [
        ("[info] Passed: Total 12, Failed 0, Errors 0, Passed 12", (12, 0, 0)),
        ("[error] Failed: Total 12, Failed 2, Errors 1, Passed 9", (9, 3, 0)),
        ("=========== 7 passed in 3.10s ===========", (7, 0, 0)),
        ("=== 1 failed, 7 passed, 2 skipped, 1 error in 95.10s (0:01:35) ===", (7, 2, 2)),
        ("7 passed, 0 failed", (0, 0, 0)),
    ],
)
def test_summaries_of_sbt_and_pytest_are_counted(line: str, counts: tuple[int, int, int]) -> None:
    result = everything.Result("any")
    everything.count(line, result)
    assert (result.passed, result.failed, result.skipped) == counts


@pytest.mark.parametrize(
    ("line", "failure"),
    [
        (
            "FAILED tests/python/test_a.py::test_b[9] - assert 1 == 2",
            "FAILED tests/python/test_a.py::test_b[9] - assert 1 == 2",
        ),
        ("ERROR tests/crash/test_a.py - OSError", "ERROR tests/crash/test_a.py - OSError"),
        (
            "[error] ==> X io.hudilite.log.LogSuite.a test  0.1s Exception",
            "==> X io.hudilite.log.LogSuite.a test  0.1s Exception",
        ),
        ("[error] Failed tests:", None),
        ("tests/python/test_a.py ...F.", None),
    ],
)
def test_failures_are_kept_with_their_names(line: str, failure: str | None) -> None:
    result = everything.Result("any")
    everything.count(line, result)
    assert result.failures == ([failure] if failure else [])


def test_no_file_of_the_project_names_the_host_of_a_registry() -> None:
    hosts = [
        "repo1." + "maven",
        "repo.maven." + "apache",
        "pypi" + ".org",
        "files.python" + "hosted",
        "repo." + "scala-sbt",
    ]
    suffixes = {".py", ".toml", ".sbt", ".scala", ".sh", ".md", ".yaml", ".yml", ".properties", ""}
    for path in own_files(ROOT):
        if path.suffix in suffixes:
            text = path.read_text(errors="ignore")
            assert not [host for host in hosts if host in text], path


def own_files(root: Path) -> Iterator[Path]:
    """Files that were not built; sbt may be at work in the folders that are left out."""
    built = {".git", ".venv", ".build", ".bsp", "target", "dist", "jars", "spark-warehouse", "__pycache__"}
    for folder, folders, files in os.walk(root):
        folders[:] = sorted(name for name in folders if name not in built and not name.endswith("_cache"))
        yield from (path for name in files if (path := Path(folder, name)).is_file())


def test_files_in_folders_of_the_build_are_not_the_project_s_own(tmp_path: Path) -> None:
    for name in ("a.py", "b/c.md", "b/target/d.py", "target/d.py", ".venv/d.py", ".mypy_cache/3.10/d.py", ".git/d"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    assert [str(path.relative_to(tmp_path)) for path in own_files(tmp_path)] == ["a.py", "b/c.md"]
