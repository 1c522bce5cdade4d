"""Print the requirements of the package's extras.

    python tests/extras.py dev,interop

prints it for pip, which so fetches it while the jars are built that the package itself is installed with.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

try:
    import tomllib
except ModuleNotFoundError:  # before Python 3.11
    from pip._vendor import tomli as tomllib

PROJECT = Path(__file__).resolve().parent.parent / "pyproject.toml"
_OWN = re.compile(r"hudilite\[([\w, ]+)\]")


def requirements(extras: str, named: Mapping[str, Sequence[str]]) -> Iterator[str]:
    """Requirements of extras with a comma between them, of those that they name themselves, too."""
    for extra in extras.split(","):
        for requirement in named[extra.strip()]:
            if own := _OWN.fullmatch(requirement):
                yield from requirements(own[1], named)
            else:
                yield requirement


if __name__ == "__main__":
    extras_of_all = tomllib.loads(PROJECT.read_text())["project"]["optional-dependencies"]
    print(*requirements(sys.argv[1], extras_of_all), sep="\n")
