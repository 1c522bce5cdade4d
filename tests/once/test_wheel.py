"""The wheel: what is in it, and that it alone serves, without a JDK and without an index."""

from __future__ import annotations

import ast
import os
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from email.parser import Parser
from graphlib import TopologicalSorter
from pathlib import Path
from types import ModuleType

import pyspark
import pytest

import hudilite

ROOT = Path(__file__).parent.parent.parent
JARS = ROOT / "python" / "hudilite" / "jars"
OLDEST = (3, 10)


def without_java() -> dict[str, str]:
    return {**os.environ, "JAVA_HOME": "/nowhere", "PIP_DISABLE_PIP_VERSION_CHECK": "1", "HUDILITE_SPARK": "all"}


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Made as `make wheel` makes it. The jars are fresh, so that no compiler and no Java is needed."""
    made = tmp_path_factory.mktemp("dist")
    before = {jar: jar.stat().st_mtime_ns for jar in JARS.glob("*.jar")}
    command = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", str(made), str(ROOT)]
    done = subprocess.run(command, env=without_java(), capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert before == {jar: jar.stat().st_mtime_ns for jar in JARS.glob("*.jar")}, "fresh jars are not built again"
    (found,) = made.iterdir()
    return found


def test_it_is_for_any_python_from_the_oldest_on(wheel: Path) -> None:
    assert wheel.name == f"hudilite-{hudilite.__version__}-py3-none-any.whl"
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
        (metadata,) = (name for name in names if name.endswith(".dist-info/METADATA"))
        said = Parser().parsestr(archive.read(metadata).decode())
    assert said["Requires-Python"] == ">=3.10"
    assert {"spark", "cli", "report"} <= set(said.get_all("Provides-Extra") or ())
    assert sorted(name for name in names if name.endswith(".jar")) == [
        f"hudilite/jars/hudilite-{kind}-{line}-{hudilite.__version__}.jar"
        for kind in ("hudi", "spark")
        for line in ("3.5_2.12", "4_2.13")
    ]
    assert {"hudilite/py.typed", "hudilite/report/style.css"} <= set(names)
    assert all(name.startswith(("hudilite/", f"hudilite-{hudilite.__version__}.dist-info/")) for name in names)


def pythons() -> list[str]:
    """This Python, and of the other versions that are supported those that are installed here, pyenv's too."""
    pyenv = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv"), "versions")
    found = []
    for name in (f"python3.{minor}" for minor in range(10, 14)):
        candidates = [shutil.which(name), *map(str, pyenv.glob(f"*/bin/{name}"))]
        found += [python for python in candidates if python and runs(python)][:1]
    return [sys.executable, *found]


def runs(python: str) -> bool:
    """Return true for a Python; a version manager leaves commands of that name that are none."""
    return subprocess.run([python, "-c", ""], capture_output=True, check=False).returncode == 0


def test_it_alone_serves(wheel: Path, tmp_path: Path) -> None:
    install = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-index", "--target", str(tmp_path)]
    done = subprocess.run([*install, str(wheel)], env=without_java(), capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    program = (
        "import sys; sys.path.insert(0, sys.argv[1]); import hudilite; from hudilite import cli; "
        "assert hudilite.__file__.startswith(sys.argv[1]), hudilite.__file__; "
        "import pkgutil, importlib; "
        "[importlib.import_module(m.name) for m in pkgutil.iter_modules(hudilite.__path__, 'hudilite.')]; "
        "assert hudilite.jar().startswith(sys.argv[1]), hudilite.jar(); "
        "assert hudilite.condition_of(ValueError('[UNKNOWN_OPTION] x')) == 'UNKNOWN_OPTION'; "
        "sys.exit(cli.main(['env']))"
    )
    environment = {**without_java(), "SPARK_HOME": str(Path(pyspark.__file__).parent)}
    for python in pythons():
        command = [python, "-I", "-c", program, str(tmp_path)]
        ran = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
        assert ran.returncode == 0, f"{python}: {ran.stderr}"
        assert "not found in JAVA_HOME=/nowhere" in ran.stdout


def test_the_sources_are_of_the_oldest_python() -> None:
    sources = sorted((ROOT / "python").rglob("*.py"))
    assert len(sources) > 30
    for source in sources:
        ast.parse(source.read_text(encoding="utf-8"), str(source), feature_version=OLDEST)


def test_imports_of_the_sources_go_one_way() -> None:
    sources = {
        ".".join(source.relative_to(ROOT / "python").with_suffix("").parts).removesuffix(".__init__"): source
        for source in (ROOT / "python").rglob("*.py")
    }

    def imported(source: Path) -> Iterator[str]:
        for node in ast.walk(ast.parse(source.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom) and node.module:
                names = [f"{node.module}.{alias.name}" for alias in node.names]
                yield from (name if name in sources else node.module for name in names)

    # Raises for a circle, imports for types alone counted.
    TopologicalSorter({name: {*imported(source)} - {name} for name, source in sources.items()}).prepare()


@pytest.mark.parametrize("package", [hudilite, hudilite.inspect])
def test_a_package_shows_what_is_meant_for_users(package: ModuleType) -> None:
    assert dir(package) == sorted(package.__all__)
    assert all(hasattr(package, name) for name in package.__all__)
