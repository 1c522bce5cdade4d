"""Another process that writes to the table of a life, and that is held in the middle of that.

`python -m fuzz.other` starts Spark, says `ready`, and writes what each line of standard input says: a step and
the path of its table; the answer is a line with the condition that the write ended in, or with none.
"""

from __future__ import annotations

import atexit
import json
import os
import re
import select
import signal
import subprocess
import sys
import tempfile
import threading
import time
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

import layout
from victim import PATIENCE_SECONDS, holding_the_table_lock

CONDITION = re.compile(r"\[([A-Z_]+)\]")
ENDED = "ended:"


class Other:
    """The process; it lives as long as this one."""

    def __init__(self) -> None:
        tests = Path(__file__).parents[1]
        paths = [str(tests), *os.environ.get("PYTHONPATH", "").split(os.pathsep)]
        self.process = subprocess.Popen(
            [sys.executable, "-m", "fuzz.other"], start_new_session=True, text=True, bufsize=1,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
            env={**os.environ, "HUDILITE_TEST_INTERPRETED": "1", "PYTHONPATH": os.pathsep.join(paths)},
        )  # fmt: skip
        atexit.register(self.kill)
        assert self.answer("ready") == "", "the other process did not start"

    def begin(self, table: Path, write: dict[str, Any]) -> str:
        """Begins a write and holds the process before the write completes; the write's instant."""
        before = set(os.listdir(layout.timeline_folder(table)))
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps({**write, "path": str(table)}) + "\n")
        deadline = time.monotonic() + PATIENCE_SECONDS
        while not (begun := self.inflight(table, before)) and not self.has_answered():
            assert time.monotonic() < deadline, "the other process does not begin"
            time.sleep(0.001)
        with holding_the_table_lock(table):  # it can neither complete now nor be held while it has the lock
            os.killpg(self.process.pid, signal.SIGSTOP)
            while not all_stopped(self.process.pid):
                assert time.monotonic() < deadline, "the other process does not stop"
                time.sleep(0.001)
        return begun

    def inflight(self, table: Path, before: set[str]) -> str:
        new = (name for name in os.listdir(layout.timeline_folder(table)) if name not in before)
        return next((name.split(".")[0] for name in new if name.endswith("inflight")), "")

    def end(self) -> str:
        """Lets it go on; the condition that the write ended in, or none."""
        os.killpg(self.process.pid, signal.SIGCONT)
        return self.answer(ENDED)

    def has_answered(self) -> bool:
        return bool(select.select([self.process.stdout], [], [], 0)[0])

    def answer(self, first: str) -> str:
        """Return the rest of the line with this word; other lines are not ours. A silent process is ended."""
        assert self.process.stdout is not None
        patience = threading.Timer(PATIENCE_SECONDS, self.kill)
        patience.start()
        try:
            for line in self.process.stdout:
                if line.startswith(first):
                    return line.removeprefix(first).strip()
        finally:
            patience.cancel()
        raise AssertionError("the other process has ended, or was ended as it said nothing")

    def kill(self) -> None:
        with suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()


def all_stopped(group: int) -> bool:
    """Return true when each thread of a process group has come to its stop; one that has ended is not waited for."""
    for folder in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            if int(_stat(folder)[2]) == group and any(
                _stat(thread)[0] not in "TZX" for thread in folder.glob("task/*")
            ):
                return False
    return True


def _stat(folder: Path) -> list[str]:
    """State, parent, group and so on; what stands before that is the name in brackets."""
    return (folder / "stat").read_text().rpartition(")")[2].split()


@cache
def other() -> Other:
    """The one of this run, started when it is first asked for."""
    return Other()


def main() -> None:
    from sessions import Sessions

    from fuzz.frames import Frames

    with tempfile.TemporaryDirectory() as scratch:
        spark = Sessions(Path(scratch)).get("plain")
        frames = Frames(spark)
        print("ready", flush=True)
        for line in sys.stdin:
            step = json.loads(line)
            frame = frames.of([(n, d) for n, d in step["columns"]], step["rows"])
            writer = frame.write.format("hudilite").options(**step["options"])
            writer = writer.option("hoodie.datasource.write.operation", step["operation"]).mode("append")
            condition = ""
            try:
                writer.save(step["path"])
            except Exception as error:
                said = CONDITION.search(str(error))
                condition = said[1] if said else str(error)[:300].replace("\n", " ")
            print(f"{ENDED}{condition}", flush=True)


if __name__ == "__main__":
    main()
