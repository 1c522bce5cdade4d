"""A writer in a process of its own, for a test to kill.

    python killable_writer.py PATH VERSION OPERATION ENGINE

Starts Spark, says `ready`, and on a line of standard input writes the rows of `batch` into the table at PATH; the
operation `compact` compacts the table instead.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path
from typing import Any

from engines import Shape, frame, hudi, hudilite, record
from sessions import Sessions

from hudilite import table

PARTITIONS = 16


def batch(ids: range, ts: int) -> list[dict[str, Any]]:
    """Rows spread over all partitions: one file group each."""
    return [record(f"k{i:04d}", ts, f"p{i % PARTITIONS:02d}", "é" * 20, i / 8) for i in ids]


def main() -> None:
    path, version, operation, engine = sys.argv[1:]
    with tempfile.TemporaryDirectory() as scratch:
        sessions = Sessions(Path(scratch), hudi_alone=engine == "hudi")
        spark = sessions.get("interop" if engine == "hudi" else "plain")
        writer = hudi(spark, **{"hoodie.metadata.enable": "false"}) if engine == "hudi" else hudilite(spark)
        rows = frame(spark, batch(range(100, 400), 2))
        print("ready", flush=True)
        sys.stdin.readline()
        if operation == "compact":
            table(spark, path).compact()
        else:
            writer.write(rows, path, operation, **Shape(int(version)).options())
        print("done", flush=True)
        sys.stdin.readline()


if __name__ == "__main__":
    main()
