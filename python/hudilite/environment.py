"""The versions that matter when something does not work."""

from __future__ import annotations

import importlib.metadata
import os
import platform
import re
import shutil
import subprocess
from pathlib import Path

from hudilite import jars
from hudilite._version import __version__

#: Packages that parts of hudilite need, see the extras in pyproject.toml.
_PACKAGES = ("pyarrow", "fastavro", "matplotlib")
_JAVA_SECONDS = 30
_OLDEST_JAVA = 17


def facts() -> list[dict[str, str]]:
    """Installed versions, and the jar for the installed Spark; a row has ``what`` and ``value``."""
    known = {
        "hudilite": __version__,
        "python": platform.python_version(),
        "platform": platform.platform(),
        "pyspark": _package("pyspark"),
        "spark": _spark(),
        "java": _java(),
        **{f"jar for Spark {line.versions}": _jar(line) for line in (jars.LINE_3_5, jars.LINE_4)},
        **{name: _package(name) for name in _PACKAGES},
    }
    return [{"what": name, "value": value} for name, value in known.items()]


def _package(name: str) -> str:
    try:
        return importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return "not installed"


def _spark() -> str:
    """The Spark that is used, SPARK_HOME's or the package's, and the jar for it."""
    try:
        version, scala = jars.installed_spark()
        home = f" of SPARK_HOME={os.environ['SPARK_HOME']}" if os.environ.get("SPARK_HOME") else ""
        return f"{version}, Scala {scala or 'unknown'}{home}, fits {jars.jar()}"
    except (jars.UnsupportedSpark, FileNotFoundError) as e:
        return str(e)


def _jar(line: jars.SparkLine) -> str:
    found = sorted((Path(jars.__file__).parent / "jars").glob(f"{line.artifact}-*.jar"))
    return ", ".join(map(str, found)) or "not in the package"


def java_flaw() -> str | None:
    """Reason why Spark with hudilite cannot run on the java that PySpark starts; ``None`` when it can."""
    found, version = _found_java()
    if version is None:
        return f"Java was {found}" if found.startswith("not found") else found
    release = re.match(r"(?:1\.)?(\d+)", version)
    return (
        None
        if release is None or int(release[1]) >= _OLDEST_JAVA
        else f"it needs Java {_OLDEST_JAVA} or newer, and {found} is of version {version}"
    )


def _java() -> str:
    found, version = _found_java()
    return found if version is None else f"{version}, {found}"


def _found_java() -> tuple[str, str | None]:
    """Place and version of the java that PySpark starts; without a version, what is wrong with it."""
    home = os.environ.get("JAVA_HOME")
    java = shutil.which("java", path=f"{home}/bin" if home else None)
    if java is None:
        return f"not found in JAVA_HOME={home}" if home else "not found", None
    try:
        said = subprocess.run([java, "-version"], capture_output=True, text=True, timeout=_JAVA_SECONDS, check=False)
    except (OSError, subprocess.TimeoutExpired) as e:
        return f"{java} does not run: {e}", None
    version = re.search(r'version "(\d[^"]*)"', said.stderr + said.stdout)
    return (java, version[1]) if version else (f"{java} does not tell its version", None)
