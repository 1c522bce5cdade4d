"""Runs sbt with nothing installed but Python and a JDK.

``python jvm/sbt.py -Dspark=4 core/test`` takes the arguments that sbt takes. The launcher's jar is resolved like any
other Maven artifact, kept in the local Maven repository, and from then on works without a network.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
#: sbt compiles once and ends: what the JVM's second compiler does in that time, Scala's compiler does not get back.
JVM = ("-Xmx1500m", "-Xss8m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-XX:ReservedCodeCacheSize=240m")
MINIMUM_JAVA = 17
NO_JAVA = (
    f"hudilite's jars are built from Scala sources, which needs a JDK {MINIMUM_JAVA} or newer, and {{problem}}. "
    "Install one (Debian and Ubuntu: apt-get install openjdk-17-jdk-headless; macOS: brew install openjdk@17; "
    "conda: conda install openjdk=17), or point JAVA_HOME to one, and run the same command again. "
    "A finished wheel of hudilite needs no JDK to install, only Spark's own Java to run."
)


class BuildError(Exception):
    """The jars cannot be built; the text says what to do."""


def java() -> str:
    """Path of a ``java`` that is new enough: the one of JAVA_HOME, else the one on PATH."""
    home = os.environ.get("JAVA_HOME")
    found = shutil.which("java", path=str(Path(home, "bin"))) if home else shutil.which("java")
    if not found:
        where = f"JAVA_HOME={home} has no bin/java" if home else "there is no java on PATH and JAVA_HOME is not set"
        raise BuildError(NO_JAVA.format(problem=where))
    text = subprocess.run([found, "-version"], capture_output=True, text=True, check=False).stderr
    match = re.search(r'version "(?:1\.)?(\d+)', text)
    if not match or int(match[1]) < MINIMUM_JAVA:
        says = match[1] if match else "of unknown version"
        raise BuildError(NO_JAVA.format(problem=f"{found} is Java {says}"))
    return found


def launcher() -> Path:
    """Path of sbt's launcher, downloaded once into the local Maven repository."""
    try:
        from jgo.maven import MavenContext
    except ImportError as e:
        raise BuildError("jgo, which downloads sbt's launcher, is missing: pip install 'jgo>=3.2,<4'") from e
    properties = (ROOT / "project" / "build.properties").read_text()
    version = properties.split("sbt.version=", 1)[1].split()[0]
    try:
        jar = MavenContext().project("org.scala-sbt", "sbt-launch").at_version(version).artifact().resolve()
    except Exception as e:
        raise BuildError(f"sbt's launcher {version} could not be downloaded: {e}") from e
    return Path(jar)


def command(arguments: list[str]) -> list[str]:
    """The command line that runs sbt with ``arguments``; ``-D…`` go to its JVM."""
    system = [a for a in arguments if a.startswith("-D")]
    tasks = [a for a in arguments if not a.startswith("-D")]
    return [java(), *JVM, *system, "-jar", str(launcher()), *tasks]


def main() -> int:
    """Do what the module says; the exit code."""
    try:
        line = command(sys.argv[1:])
    except BuildError as e:
        print(f"error: {e}", file=sys.stderr)
        return 1
    return subprocess.run(line, cwd=ROOT, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
