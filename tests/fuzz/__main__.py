"""Random lives until the time is up, or one case again: `python -m fuzz --seed 7 --minutes 10`, `--replay FILE`."""

from __future__ import annotations

import argparse
import logging
import sys
import tempfile
import time
from pathlib import Path

from sessions import Sessions

from fuzz.compared import Difference
from fuzz.life import Life
from fuzz.shrink import report
from fuzz.steps import Author, Case


def main() -> int:
    """1 when an answer was wrong."""
    parser = argparse.ArgumentParser(prog="fuzz", description=__doc__)
    parser.add_argument("--seed", default=str(int(time.time())), help="of the first life; the next ones follow from it")
    parser.add_argument("--minutes", type=float, default=10)
    parser.add_argument("--lives", type=int, default=1_000_000)
    parser.add_argument("--replay", type=Path, help="a case that a failure printed")
    parser.add_argument("--keep-going", action="store_true", help="go on after a failure")
    parser.add_argument("--shrink", type=float, default=120, help="seconds to look for a shorter case")
    parser.add_argument("--services", action="store_true", help="also clean, archive, cluster and restore")
    given = parser.parse_args()
    logging.getLogger("SQLQueryContextLogger").setLevel(logging.CRITICAL)  # errors are answers here
    scratch = Path(tempfile.mkdtemp(prefix="hudilite-fuzz"))
    sessions = Sessions(scratch)
    spark = sessions.get("plain")
    end, comparisons, failures, lives = time.monotonic() + given.minutes * 60, 0, 0, 0
    while lives < given.lives and time.monotonic() < end and (given.keep_going or not failures):
        seed = f"{given.seed}-{lives}"
        case = (
            Case.of(given.replay.read_text()) if given.replay else Author(seed, given.services).case(changes=7, asks=2)
        )
        lives += 1
        life = Life(spark, case, scratch / f"life{lives}")
        began = time.monotonic()
        try:
            life.live()
        except Difference as difference:
            failures += 1
            print(report(spark, case, difference, scratch / "shrink", given.shrink), flush=True)
        comparisons += life.comparisons
        print(
            f"seed {seed}: {life.comparisons} comparisons, {len(life.moments)} writes, {life.skipped} skipped, "
            f"{time.monotonic() - began:.1f} s; in all {lives} lives, {comparisons} comparisons, {failures} failures",
            flush=True,
        )
        if given.replay:
            break
    sessions.stop()
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
