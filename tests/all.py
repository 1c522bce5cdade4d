"""Runs every check and test of the project, goes on after a failure, and ends with ``N passed, N failed``.

Suites of sbt and stories of pytest run beside each other: one alone leaves a third of two cores idle. Each line says
which target it comes from. Targets given as arguments run one after the other.

Only the standard library: it also sets up the virtual environments that hold everything else.
"""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from concurrent.futures import FIRST_EXCEPTION, Future, ThreadPoolExecutor, wait
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from types import FrameType

ROOT = Path(__file__).resolve().parent.parent
#: Makes what both lanes begin with: the jars, and the environment that sbt is started from. Beside it all that the
#: other environments have from elsewhere is fetched.
SETUP = (("setup-first",), ("setup-fetched",))
#: sbt takes one command at a time in a folder, so whatever calls it is in one lane. The rest of the set-up comes
#: first in the other: pip takes one core, and the first lane comes to use it long after.
LANES = (
    ("check", "test-35", "test-4", "test-43", "packages", "examples"),
    ("setup-rest", "test-python-35", "test-python-4", "test-python-43", "interop-tables"),
)
#: Runs in the lane that is the first to have done its own, so that neither waits long for the other.
LAST = ("interop-indexes",)
#: Heaps of sbt (1.5 GB), of the tests that it forks (3), of PySpark (2) and of a writer to be killed (2), and the rest.
TWO_LANES_BYTES = 12 * 1024**3
#: Limits of a container, cgroups version 2 and 1; the text is a number of bytes, or ``max``.
MEMORY_LIMITS = ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes")
SIGN_OF_LIFE_SECONDS = 60.0
#: Python looks at a signal that comes right before a wait when the wait is over.
SIGNALS_SEEN_SECONDS = 1.0
GRACE_SECONDS = 10.0
FAILURE_CHARACTERS = 300
ENDINGS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
# sbt: "Passed: Total 12, Failed 0, Errors 0, Passed 12"; pytest: "== 1 failed, 7 passed, 2 skipped in 3.1s =="
_COLOUR = re.compile(r"\x1b\[[0-9;]*m")
_SBT = re.compile(r"(?:Passed|Failed|Error): Total \d+, Failed (\d+), Errors (\d+), Passed (\d+)")
_PYTEST = re.compile(r"^=*\s*((?:\d+ \w+,? ?)+) in [\d.]+s")
# munit: "==> X io.hudilite.SomeSuite.some test  0.1s java.lang..."; pytest: "FAILED tests/some.py::test_it - ..."
_FAILURE = re.compile(r"(==> X|FAILED|ERROR) \S*(Suite\.|\.py\b)")
_COUNT = re.compile(r"(\d+) (passed|failed|error|skipped)")


@dataclass
class Result:
    """Result of one make target; a target without a test suite counts as one test."""

    target: str
    seconds: float = 0
    passed: int = 0
    failed: int = 0
    skipped: int = 0
    failures: list[str] = field(default_factory=list)

    def __str__(self) -> str:
        skipped = f", {self.skipped} skipped" if self.skipped else ""
        return f"{self.target:15} {self.passed:5} passed, {self.failed:3} failed{skipped}   {self.seconds:6.0f} s"


class Ended(Exception):
    """The run was ended from outside; nothing is started any more."""


class Runner:
    """Runs make targets in lanes, each in a process group of its own, to be ended with all that it has started."""

    def __init__(self) -> None:
        self.last: list[str] = []
        self.began = time.monotonic()
        self.running: dict[subprocess.Popen[str], str] = {}
        self.ended = False
        self.lock = threading.Lock()

    def side_by_side(self, lanes: Sequence[Sequence[str]]) -> list[Result]:
        """Run each lane's targets one after the other; a line a minute says what is running."""
        with ThreadPoolExecutor(len(lanes)) as pool:
            futures: list[Future[list[Result]]] = []
            try:
                futures += [pool.submit(self.lane, lane) for lane in lanes]
                self.watch(futures)
                return [result for future in futures for result in future.result()]
            except BaseException:  # KeyboardInterrupt and SystemExit, too
                self.end(signal.SIGTERM)
                wait(futures, GRACE_SECONDS)
                self.end(signal.SIGKILL)
                raise

    def watch(self, futures: Sequence[Future[list[Result]]]) -> None:
        """Wait for all lanes, or for the first one that raises."""
        said = time.monotonic()
        while (state := wait(futures, min(SIGNALS_SEEN_SECONDS, SIGN_OF_LIFE_SECONDS), FIRST_EXCEPTION)).not_done:
            for future in state.done:
                future.result()
            if time.monotonic() - said < SIGN_OF_LIFE_SECONDS:
                continue
            said = time.monotonic()
            with self.lock:
                targets = ", ".join(self.running.values())
            self.say(f"===== {(said - self.began) / 60:.0f} min: running {targets}")

    def lane(self, targets: Sequence[str]) -> list[Result]:
        """Run targets one after the other, and then what is left of the last ones."""
        return [self.run(target) for target in chain(targets, iter(self.taken, None))]

    def taken(self) -> str | None:
        """One of the last targets, which no other lane gets."""
        with self.lock:
            return self.last.pop(0) if self.last else None

    def run(self, target: str) -> Result:
        """Run a make target, show its output and count the tests in it."""
        self.say(f"===== make {target}")
        result = Result(target)
        began = time.monotonic()
        with self.started(target) as process:
            for line in process.stdout or ():
                self.say(f"{target:14} | {line.rstrip()}")
                count(_COLOUR.sub("", line), result)
        with self.lock:
            del self.running[process]
        result.seconds = time.monotonic() - began
        if process.returncode != 0 and result.failed == 0:
            result.failed = 1
        elif process.returncode == 0 and result.passed + result.failed == 0:
            result.passed = 1
        self.say(f"===== done {result}")
        return result

    def started(self, target: str) -> subprocess.Popen[str]:
        """The process of a make target, known to ``end`` from its first moment."""
        with self.lock:
            if self.ended:
                raise Ended(target)
            process = subprocess.Popen(
                ["make", "--no-print-directory", target], cwd=ROOT, stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="backslashreplace",
                start_new_session=True,
            )  # fmt: skip
            self.running[process] = target
            return process

    def end(self, how: signal.Signals) -> None:
        """Send a signal to everything that runs, and start nothing more."""
        with self.lock:
            self.ended = True
            for process in self.running:
                with suppress(ProcessLookupError):
                    os.killpg(process.pid, how)

    def say(self, line: str) -> None:
        """Print a whole line."""
        with self.lock:
            print(line, flush=True)


def count(line: str, result: Result) -> None:
    """Add the tests that a summary line of sbt or pytest counts to ``result``, and a line that names a failed one."""
    if failure := _FAILURE.search(line):
        result.failures.append(line[failure.start() :].rstrip()[:FAILURE_CHARACTERS])
    elif of_sbt := _SBT.search(line):
        failed, errors, passed = (int(number) for number in of_sbt.groups())
        result.passed += passed
        result.failed += failed + errors
    elif of_pytest := _PYTEST.match(line):
        for number, outcome in _COUNT.findall(of_pytest[1]):
            if outcome in ("failed", "error"):
                result.failed += int(number)
            elif outcome == "passed":
                result.passed += int(number)
            else:
                result.skipped += int(number)


def lanes(wanted: Sequence[Sequence[str]], cores: int, memory_bytes: int) -> Sequence[Sequence[str]]:
    """The wanted lanes where there is room for them, else their targets in a single one."""
    if cores >= len(wanted) and memory_bytes >= TWO_LANES_BYTES:
        return wanted
    return [[target for lane in wanted for target in lane]]


def memory_bytes(limits: Sequence[str] = MEMORY_LIMITS) -> int:
    """The machine's memory, or less where a container is given less."""
    texts = [Path(limit).read_text().strip() for limit in limits if Path(limit).is_file()]
    machine = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    return min([machine, *(int(text) for text in texts if text.isdigit())])


def main(targets: list[str]) -> int:
    """Run the targets, all by default; 1 when anything failed."""
    runner = Runner()
    if targets:
        results = runner.side_by_side([targets])
    else:
        cores, memory = os.cpu_count() or 1, memory_bytes()
        results = runner.side_by_side(lanes(SETUP, cores, memory))
        runner.last += LAST
        # Each target tries to make what a failed set-up did not, so two at once would clash.
        chosen = lanes(LANES, 1 if any(result.failed for result in results) else cores, memory)
        runner.say("===== side by side: " + "  |  ".join(" ".join(lane) for lane in chosen))
        results += runner.side_by_side(chosen)
        known = [target for lane in (*SETUP, *LANES, LAST) for target in lane]
        results.sort(key=lambda result: known.index(result.target))
    print("\n===== failures", *(f"{r.target:14} | {failure}" for r in results for failure in r.failures), sep="\n")
    print("\n===== summary")
    print(*results, sep="\n")
    passed, failed = sum(r.passed for r in results), sum(r.failed for r in results)
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


def leave(number: int, _: FrameType | None) -> None:
    """End on a signal by an exception, so that nothing is left running."""
    for ending in ENDINGS:  # make and a terminal may both pass one on; a second one would break the leaving off
        signal.signal(ending, lambda *_: None)
    sys.exit(128 + number)


if __name__ == "__main__":
    for ending in ENDINGS:
        if signal.getsignal(ending) != signal.SIG_IGN:  # as nohup sets it
            signal.signal(ending, leave)
    sys.exit(main(sys.argv[1:]))
