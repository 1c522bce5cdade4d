"""Runs every check and test of the project, goes on after a failure, and ends with ``N passed, N failed``.

Only the standard library: it also sets up the virtual environments that hold everything else.
"""

from __future__ import annotations

import re
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
TARGETS = (
    "setup", "check", "test-core", "test-35", "test-4", "test-43",
    "test-python-35", "test-python-43", "interop", "examples", "packages",
)  # fmt: skip
# sbt: "Passed: Total 12, Failed 0, Errors 0, Passed 12"; pytest: "== 1 failed, 7 passed, 2 skipped in 3.1s =="
_COLOUR = re.compile(r"\x1b\[[0-9;]*m")
_SBT = re.compile(r"(?:Passed|Failed|Error): Total \d+, Failed (\d+), Errors (\d+), Passed (\d+)")
_PYTEST = re.compile(r"^=*\s*((?:\d+ \w+,? ?)+) in [\d.]+s")
_COUNT = re.compile(r"(\d+) (passed|failed|error|skipped)")


@dataclass
class Result:
    """What one make target did; a target that holds no test suite counts as one test."""

    target: str
    seconds: float = 0
    passed: int = 0
    failed: int = 0
    skipped: int = 0


def run(target: str) -> Result:
    """Run a make target, show its output and count the tests in it."""
    print(f"\n===== make {target}", flush=True)
    result = Result(target)
    began = time.monotonic()
    command = ["make", "--no-print-directory", target]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as process:
        for line in process.stdout or ():
            print(line, end="", flush=True)
            count(_COLOUR.sub("", line), result)
    result.seconds = time.monotonic() - began
    if process.returncode != 0 and result.failed == 0:
        result.failed = 1
    elif process.returncode == 0 and result.passed + result.failed == 0:
        result.passed = 1
    return result


def count(line: str, result: Result) -> None:
    """Add the tests that a summary line of sbt or pytest names to ``result``."""
    if of_sbt := _SBT.search(line):
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


def main(targets: list[str]) -> int:
    """Run the targets, all by default; 1 when anything failed."""
    results = [run(target) for target in targets or TARGETS]
    print("\n===== summary")
    for r in results:
        skipped = f", {r.skipped} skipped" if r.skipped else ""
        print(f"{r.target:15} {r.passed:5} passed, {r.failed:3} failed{skipped}   {r.seconds:6.0f} s")
    passed, failed = sum(r.passed for r in results), sum(r.failed for r in results)
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
