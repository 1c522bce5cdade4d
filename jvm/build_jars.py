"""Builds the connector's jars and puts them into the Python package, one jar for each Spark line, and one beside it.

The build hook of ``pip install``, also usable alone: ``python jvm/build_jars.py [LINE ...]``. A jar is rebuilt only
when a source that it is made of has changed.

pip builds for the Spark that is there, and where there is none for the newest, which hudilite's extra ``spark`` brings.
HUDILITE_SPARK=all, or the names of lines, says otherwise; a wheel for others needs all.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import re
import shutil
import subprocess
import sys
import sysconfig
import zipfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent))
import sbt

try:
    from hatchling.builders.hooks.plugin.interface import BuildHookInterface
except ImportError:  # run as a script, without a build backend
    BuildHookInterface = object

LINES = {"3.5": "hudilite-spark-3.5_2.12", "4": "hudilite-spark-4_2.13"}
#: Beside each of them one with names of Apache Hudi's classes, for jobs that say these.
NAMES = {line: artifact.replace("-spark-", "-hudi-") for line, artifact in LINES.items()}
NEWEST = "4"
ASKED = "HUDILITE_SPARK"
JARS = sbt.ROOT / "python" / "hudilite" / "jars"
#: A check against accidents, such as classes that are made in thousands.
MAXIMUM_BYTES = 12 * 1024 * 1024
#: Where a jar has classes: below this folder of hudilite's, in that of the name by which Spark finds Hudi's source, and
#: in these of Spark's packages, whose classes see what is private there. Nothing is shaded.
CLASSES = ("io/hudilite/", "hudi/")
CLASSES_IN_SPARK = ("org/apache/spark/sql/hudilite", "org/apache/spark/sql/execution/hudilite")
#: Where the jar beside it has its classes.
CLASSES_OF_NAMES = (
    "org/apache/hudi",
    "org/apache/spark",
    "org/apache/spark/sql/hudi",
    "org/apache/spark/sql/hudi/catalog",
)


class JarHook(BuildHookInterface):  # type: ignore[misc]
    """Hook that hatchling calls before it packs a wheel or makes an editable install."""

    PLUGIN_NAME = "custom"

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Build the jars that are asked for unless they are fresh."""
        if self.target_name != "wheel":
            return
        try:
            build(asked())
        except sbt.BuildError as e:
            sys.exit(f"error: {e}")  # the message alone, without the build backend's traceback


def build(lines: Sequence[str]) -> None:
    """Build what has changed; then there is one jar for each of these lines, and none of old sources."""
    digest = digest_of_sources()
    stale = [line for line in LINES if not is_fresh(line, digest)]
    for line in stale:
        stamp(line).unlink(missing_ok=True)
        for artifact in artifacts(line):
            for jar in JARS.glob(f"{artifact}-*.jar"):
                jar.unlink()
    missing = [line for line in lines if line in stale]
    if missing:
        sbt.java()
        JARS.mkdir(parents=True, exist_ok=True)
    for at, line in enumerate(missing, 1):
        print(f"building {LINES[line]} for Spark {line}, {at} of {len(missing)} ...", file=sys.stderr, flush=True)
        for jar in package(line):
            shutil.copy2(jar, JARS)
        stamp(line).write_text(digest)
    check(lines)


def asked() -> list[str]:
    """The lines that pip builds for; raises ``BuildError`` for one that there is not."""
    told = os.environ.get(ASKED, "").replace(",", " ").split()
    return known(told) if told else [installed() or NEWEST]


def known(lines: Sequence[str]) -> list[str]:
    """These lines, or all where that is said; raises ``BuildError`` for one that there is not."""
    if unknown := [line for line in lines if line not in ("all", *LINES)]:
        raise sbt.BuildError(f"jars are built for Spark {' and '.join(LINES)}, or all, not for {unknown[0]}")
    return list(LINES) if "all" in lines else list(lines)


def installed() -> str | None:
    """The line of the Spark in SPARK_HOME, else of the PySpark where pip installs, if there is one that has a jar.

    A build of pip's does not see the packages of its environment, but is run by the environment's Python.
    """
    homes = [os.environ.get("SPARK_HOME") or "", str(Path(sysconfig.get_path("purelib"), "pyspark"))]
    for home in filter(None, homes):
        for jar in Path(home, "jars").glob("spark-core_*.jar"):
            if found := re.fullmatch(r"spark-core_[\d.]+-(\d+\.\d+.*)\.jar", jar.name):
                return next((line for line in LINES if found[1].startswith(f"{line}.")), None)
    return None


def stamp(line: str) -> Path:
    """The file that tells of which sources a line's jar was made."""
    return JARS / f"{LINES[line]}.sha256"


def is_fresh(line: str, digest: str) -> bool:
    """Return true if a line's jar in the package was made of exactly these sources."""
    return stamp(line).exists() and stamp(line).read_text() == digest and not problems([line])


def digest_of_sources() -> str:
    """One hash over names and bytes of everything that goes into the jars."""
    sources = [sbt.ROOT / "build.sbt", sbt.ROOT / "python" / "hudilite" / "_version.py"]
    sources += sorted(p for p in (sbt.ROOT / "project").iterdir() if p.suffix in {".sbt", ".scala", ".properties"})
    sources += sorted(p for p in (sbt.ROOT / "jvm").glob("*/src/main/**/*") if p.is_file())
    digest = hashlib.sha256()
    for path in sources:
        content = path.read_bytes()
        digest.update(f"{path.relative_to(sbt.ROOT).as_posix()} {len(content)}\n".encode())
        digest.update(content)
    return digest.hexdigest()


def artifacts(line: str) -> list[str]:
    """Both artifacts of a line."""
    return [LINES[line], NAMES[line]]


def package(line: str) -> list[Path]:
    """Run sbt for one Spark line and return the jars that it made."""
    scala = LINES[line].rsplit("_", 1)[1]
    folders = {
        LINES[line]: sbt.ROOT / "jvm" / "spark" / "target" / f"scala-{scala}",
        NAMES[line]: sbt.ROOT / "jvm" / "hudi-name" / "target" / f"scala-{scala}",
    }
    for artifact, folder in folders.items():
        for stale in folder.glob(f"{artifact}-*.jar"):
            stale.unlink()
    command = sbt.command([f"-Dspark={line}", "-Dsbt.color=false", "spark/packageBin", "hudi/packageBin"])
    code = subprocess.run(command, cwd=sbt.ROOT, stdin=subprocess.DEVNULL, stdout=sys.stderr, check=False).returncode
    if code != 0:
        raise sbt.BuildError(f"sbt could not build {LINES[line]} (exit code {code}); its messages are above")
    return [next(folder.glob(f"{artifact}-*.jar")) for artifact, folder in folders.items()]


def strangers(jar: Path) -> list[str]:
    """Files of a jar that are not hudilite's, such as those of a library."""
    roots = [sbt.ROOT / "jvm" / module / "src" / "main" / "resources" for module in ("core", "spark")]
    own = {p.relative_to(root).as_posix() for root in roots for p in root.rglob("*") if p.is_file()}
    own |= {"META-INF/MANIFEST.MF", "META-INF/LICENSE"}
    with zipfile.ZipFile(jar) as archive:
        names = [name for name in archive.namelist() if not name.endswith("/")]
    of_names = jar.name.startswith(tuple(NAMES.values()))
    below, within = ((), CLASSES_OF_NAMES) if of_names else (CLASSES, CLASSES_IN_SPARK)
    return [
        name
        for name in names
        if name not in own
        and not (name.endswith(".class") and (name.startswith(below) or name.rpartition("/")[0] in within))
    ]


def problems(lines: Sequence[str]) -> list[str]:
    """Faults of the jars in the package; empty when there is one good jar for each of these lines."""
    found = []
    for artifact in (artifact for line in lines for artifact in artifacts(line)):
        jars = sorted(JARS.glob(f"{artifact}-*.jar"))
        if len(jars) != 1:
            found.append(f"{len(jars)} jars of {artifact} instead of one")
        found += [
            f"{jar.name} has {jar.stat().st_size} bytes, more than {MAXIMUM_BYTES}"
            for jar in jars
            if jar.stat().st_size > MAXIMUM_BYTES
        ]
        found += [
            f"{jar.name} has {len(names)} file(s) that are not hudilite's, such as {names[0]}"
            for jar in jars
            if (names := strangers(jar))
        ]
    return found


def check(lines: Sequence[str]) -> None:
    """Fail the build when the package would lack the jar of one of these lines or carry two."""
    if found := problems(lines):
        raise sbt.BuildError(f"{JARS}: " + "; ".join(found))


def main() -> int:
    """Do what the module says; the exit code."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("lines", nargs="*", default=["all"], metavar="LINE", help=f"all, {' or '.join(LINES)}")
    try:
        build(known(parser.parse_args().lines))
    except sbt.BuildError as e:
        print(f"error: {e}", file=sys.stderr)
        return 1
    print(*sorted(str(p) for p in JARS.glob("*.jar")), sep="\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
