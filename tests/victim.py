"""Starts a writer process and kills it with SIGKILL at a chosen moment, told by what has appeared in the table."""

from __future__ import annotations

import fcntl
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import layout

WRITER = Path(__file__).parent / "killable_writer.py"
PATIENCE_SECONDS = 300.0  # other tests may keep the machine busy


class Victim:
    """A writer that waits for its order; use as a context manager so that it never outlives the test."""

    def __init__(self, table: Path, version: int, operation: str = "upsert", engine: str = "hudilite") -> None:
        self.table = table
        self.known = set(layout.data_files(table)) if table.exists() else set()
        self.instants = set(os.listdir(layout.timeline_folder(table))) if table.exists() else set()
        self.process = subprocess.Popen(
            [sys.executable, str(WRITER), str(table), str(version), operation, engine],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
            text=True, start_new_session=True,
            env={**os.environ, "HUDILITE_TEST_INTERPRETED": "1"},  # to compile its one plan takes as long as to run it
        )  # fmt: skip
        assert self.process.stdout is not None
        assert self.process.stdout.readline() == "ready\n", "the writer process did not start"

    def __enter__(self) -> Victim:
        return self

    def __exit__(self, *_: object) -> None:
        self.kill()

    def go(self) -> None:
        """Starts the write."""
        assert self.process.stdin is not None
        self.process.stdin.write("go\n")
        self.process.stdin.flush()

    def kill(self) -> None:
        """SIGKILL for the Python process and its JVM; returns when both are gone."""
        with suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()
        deadline = time.monotonic() + PATIENCE_SECONDS
        while is_alive(self.process.pid):
            assert time.monotonic() < deadline, "a killed process does not end"

    def new_files(self) -> list[Path]:
        """Base and log files that were not there at the start."""
        return [file for file in layout.data_files(self.table) if file not in self.known]

    def timeline_has(self, ending: str) -> bool:
        """Return true if a new timeline file with this ending is there."""
        folder = layout.timeline_folder(self.table)
        return folder.is_dir() and any(
            name.endswith(ending) for name in os.listdir(folder) if name not in self.instants
        )

    def kill_before_completion(self, reached: Callable[[], bool]) -> None:
        """Kills at a moment between the inflight instant and the commit, however late this process comes to see it."""
        self.wait_until(lambda: self.timeline_has("inflight"))
        with holding_the_table_lock(self.table):
            self.wait_until(reached)
            self.kill()

    def wait_until(self, reached: Callable[[], bool]) -> None:
        """Polls with hardly a pause, so that the kill follows at once and the writer has the machine."""
        deadline = time.monotonic() + PATIENCE_SECONDS
        while not reached():
            assert self.process.poll() is None, "the writer ended before the moment came"
            assert time.monotonic() < deadline, "the moment never came"
            time.sleep(0.001)


def is_alive(group: int) -> bool:
    """Return true while a process group has a member; a killed JVM needs a moment to give its memory back."""
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return False
    return True


def is_whole(file: Path) -> bool:
    """Return true if a base file has been closed."""
    with file.open("rb") as data:
        if file.stat().st_size < 8:
            return False
        data.seek(-4, os.SEEK_END)
        return data.read() == b"PAR1"


@contextmanager
def holding_the_table_lock(table: Path) -> Iterator[None]:
    """Keeps hudilite's writers of other processes from completing a commit."""
    with (table / ".hoodie" / ".hudilite.lock").open("w") as lock:
        fcntl.lockf(lock, fcntl.LOCK_EX)
        yield
