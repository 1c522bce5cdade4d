"""The classes that every JVM of Spark loads first, kept in an archive of the JVM's (class data sharing).

    python tests/startup.py

makes the archive of the environment that runs it, by a session that writes and reads a table. A JVM with it is at its
first commit in half the time, and tests start some thirty. One that finds that the archive does not fit, being of
another JDK or with other jars, goes on without.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

ARCHIVE = Path(sys.prefix) / "spark-classes.jsa"


def java_options() -> list[str]:
    """Options of a JVM that starts from the archive, where there is one; it says nothing on standard output."""
    return [f'"-XX:SharedArchiveFile={ARCHIVE}"', "-Xlog:disable"] if ARCHIVE.exists() else []


def make() -> None:
    """Make the archive anew; it is there when it is whole."""
    ARCHIVE.unlink(missing_ok=True)
    made = ARCHIVE.with_suffix(".new")
    made.unlink(missing_ok=True)

    import sessions
    from engines import Shape, frame, hudilite, record

    sessions.SETTINGS["spark.driver.extraJavaOptions"] += f' "-XX:ArchiveClassesAtExit={made}" -Xlog:disable'
    with tempfile.TemporaryDirectory() as scratch:
        keeper = sessions.Sessions(Path(scratch))
        spark = keeper.get("plain")
        lite, table = hudilite(spark), Path(scratch) / "table"
        for ts in range(2):
            rows = frame(spark, [record(f"k{i}", ts, "p", "text", 0.5) for i in range(10)])
            lite.write(rows, table, "upsert", **Shape(9).options())
        assert lite.read(table).count() == 10
        keeper.stop()
    made.rename(ARCHIVE)


if __name__ == "__main__":
    make()
