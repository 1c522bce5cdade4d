"""Builds the connector's jars and puts them into the Python package, one jar for each Spark line.

The build hook of ``pip install``, also usable alone: ``python jvm/build_jars.py``. The jars are rebuilt only when a
source they are made of has changed.
"""

from __future__ import annotations

import hashlib
import re
import shutil
import subprocess
import sys
import sysconfig
import zipfile
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent))
import sbt

try:
    from hatchling.builders.hooks.plugin.interface import BuildHookInterface
except ImportError:  # run as a script, without a build backend
    BuildHookInterface = object

LINES = {"3.5": "hudilite-spark-3.5_2.12", "4": "hudilite-spark-4_2.13"}
JARS = sbt.ROOT / "python" / "hudilite" / "jars"
STAMP = JARS / "sources.sha256"
#: A check against accidents, such as classes that are made in thousands.
MAXIMUM_BYTES = 8 * 1024 * 1024
#: Where a jar has classes: below this folder of hudilite's, and in these of Spark's packages, whose classes see what is
#: private there. Nothing is shaded.
CLASSES = "io/hudilite/"
CLASSES_IN_SPARK = ("org/apache/spark/sql/hudilite", "org/apache/spark/sql/execution/hudilite")


class JarHook(BuildHookInterface):  # type: ignore[misc]
    """Hook that hatchling calls before it packs a wheel or makes an editable install."""

    PLUGIN_NAME = "custom"

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Build the jars unless they are fresh."""
        if self.target_name != "wheel":
            return
        try:
            build()
        except sbt.BuildError as e:
            sys.exit(f"error: {e}")  # the message alone, without the build backend's traceback


def build() -> None:
    """Build what has changed and check that there is exactly one jar a line."""
    digest = digest_of_sources()
    if not is_fresh(digest):
        sbt.java()
        shutil.rmtree(JARS, ignore_errors=True)
        JARS.mkdir(parents=True)
        for at, (line, artifact) in enumerate(in_order(), 1):
            print(f"building {artifact} for Spark {line}, {at} of {len(LINES)} ...", file=sys.stderr, flush=True)
            shutil.copy2(package(line, artifact), JARS)
        STAMP.write_text(digest)
    check()


def in_order() -> list[tuple[str, str]]:
    """The lines, that of the PySpark first which is installed where pip installs: what fails there matters most.

    A build of pip's does not see the packages of its environment, but is run by the environment's Python.
    """
    version = Path(sysconfig.get_path("purelib"), "pyspark", "version.py")
    found = re.search(r'__version__[^"]*"([\d.]+)', version.read_text()) if version.is_file() else None
    return sorted(LINES.items(), key=lambda line: not (found and found[1].startswith(f"{line[0]}.")))


def is_fresh(digest: str) -> bool:
    """Return true if the jars in the package were made of exactly these sources."""
    return STAMP.exists() and STAMP.read_text() == digest and not problems()


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


def package(line: str, artifact: str) -> Path:
    """Run sbt for one Spark line and return the jar that it made."""
    scala = artifact.rsplit("_", 1)[1]
    folder = sbt.ROOT / "jvm" / "spark" / "target" / f"scala-{scala}"
    for stale in folder.glob(f"{artifact}-*.jar"):
        stale.unlink()
    command = sbt.command([f"-Dspark={line}", "-Dsbt.color=false", "spark/packageBin"])
    code = subprocess.run(command, cwd=sbt.ROOT, stdin=subprocess.DEVNULL, stdout=sys.stderr, check=False).returncode
    if code != 0:
        raise sbt.BuildError(f"sbt could not build {artifact} (exit code {code}); its messages are above")
    return next(folder.glob(f"{artifact}-*.jar"))


def strangers(jar: Path) -> list[str]:
    """Files of a jar that are not hudilite's, such as those of a library."""
    roots = [sbt.ROOT / "jvm" / module / "src" / "main" / "resources" for module in ("core", "spark")]
    own = {p.relative_to(root).as_posix() for root in roots for p in root.rglob("*") if p.is_file()}
    own |= {"META-INF/MANIFEST.MF", "META-INF/LICENSE"}
    with zipfile.ZipFile(jar) as archive:
        names = [name for name in archive.namelist() if not name.endswith("/")]
    return [
        name
        for name in names
        if name not in own
        and not (name.endswith(".class") and (name.startswith(CLASSES) or name.rpartition("/")[0] in CLASSES_IN_SPARK))
    ]


def problems() -> list[str]:
    """Faults of the jars in the package; empty when there is one good jar for each line."""
    found = []
    for artifact in LINES.values():
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


def check() -> None:
    """Fail the build when the package would lack a jar or carry two of a line."""
    if problems():
        raise sbt.BuildError(f"{JARS}: " + "; ".join(problems()))


def main() -> int:
    """Do what the module says; the exit code."""
    try:
        build()
    except sbt.BuildError as e:
        print(f"error: {e}", file=sys.stderr)
        return 1
    print(*sorted(str(p) for p in JARS.glob("*.jar")), sep="\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
