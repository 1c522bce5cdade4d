"""Finds the jars that only tests need, above all Apache Hudi's Spark bundles, and fetches each once."""

from __future__ import annotations

import fcntl
import os
import shutil
import subprocess
import tempfile
from pathlib import Path

import pyspark

GROUP, ARTIFACT, VERSION = "org.apache.hudi", "hudi-spark3.5-bundle_2.12", "1.2.0"


def cache_folder() -> Path:
    """`HUDILITE_TEST_CACHE`, or a folder in the user's cache."""
    default = Path.home() / ".cache" / "hudilite-tests"
    return Path(os.environ.get("HUDILITE_TEST_CACHE", default))


def hudi_bundle(version: str = VERSION) -> Path:
    """Path of the jar of a release."""
    return cached(GROUP, ARTIFACT, version)


def cached(group: str, artifact: str, version: str) -> Path:
    """Path of a jar in the cache, into which it is fetched when it is not there."""
    folder = cache_folder()
    folder.mkdir(parents=True, exist_ok=True)
    jar = folder / f"{artifact}-{version}.jar"
    with (folder / "fetching").open("w") as lock:  # two of Ivy would be in each other's way
        fcntl.flock(lock, fcntl.LOCK_EX)
        return jar if jar.exists() else fetch(group, artifact, version, folder)


def fetch(group: str, artifact: str, version: str, folder: Path) -> Path:
    """Retrieves one jar, without its dependencies, by the Ivy that PySpark ships, and returns its path."""
    folder.mkdir(parents=True, exist_ok=True)
    ivy = next((Path(pyspark.__file__).parent / "jars").glob("ivy-2*.jar"))
    java = shutil.which("java") or str(Path(os.environ["JAVA_HOME"]) / "bin" / "java")
    command = [java, "-jar", str(ivy), "-dependency", group, artifact, version, "-confs", "default", "-notransitive"]
    command += ["-types", "jar", "-cache", str(folder / "ivy")]
    with tempfile.TemporaryDirectory(dir=folder) as arriving:
        command += ["-retrieve", f"{arriving}/[artifact]-[revision].[ext]"]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        jar = Path(arriving) / f"{artifact}-{version}.jar"
        if done.returncode != 0 or not jar.exists():
            said = done.stdout[-2000:] + done.stderr[-2000:]
            raise RuntimeError(f"cannot fetch {group}:{artifact}:{version}:\n{said}")
        return jar.replace(folder / jar.name)  # never seen in part, by whoever asks meanwhile or after a kill
