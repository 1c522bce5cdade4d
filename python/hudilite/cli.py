"""The ``hudilite`` command: looks at tables and at the installation without starting a JVM."""

from __future__ import annotations

import argparse
import importlib.util
import os
import platform
import shutil
import sys
from collections.abc import Callable
from typing import Any

from hudilite import inspect, jars, output
from hudilite._version import __version__
from hudilite.inspect.folder import NoTable


def main(arguments: list[str] | None = None) -> int:
    """Run the command; 0 when it worked, 1 when it did not, 2 when the command line is wrong."""
    options = _parser().parse_args(arguments)
    try:
        answer = options.run(options)
    except (NoTable, OSError, ImportError, jars.UnsupportedSpark) as e:
        if options.debug:
            raise
        print(f"error: {e}", file=sys.stderr)
        return 1
    if options.json:
        print(output.as_json(answer))
    elif isinstance(answer, str):
        print(answer)
    else:
        print(output.as_text(answer))
    return 0


def _parser() -> argparse.ArgumentParser:
    shared = argparse.ArgumentParser(add_help=False)
    shared.add_argument("--json", action="store_true", help="print JSON instead of text")
    shared.add_argument("--debug", action="store_true", help="show the traceback of an error")
    parser = argparse.ArgumentParser(prog="hudilite", description=__doc__)
    parser.add_argument("--version", action="version", version=f"hudilite {__version__}")
    commands = parser.add_subparsers(required=True, metavar="command")

    def add(name: str, about: str, run: Callable[[argparse.Namespace], Any], table: bool = False) -> None:
        command = commands.add_parser(name, parents=[shared], help=about, description=about)
        command.set_defaults(run=run)
        if table:
            command.add_argument("path", help="base path or URI of the table")

    add("jar", "path of the jar that fits the installed Spark, for spark-submit --jars", lambda _: jars.jar())
    add("packages", "Maven coordinate for spark-submit --packages", lambda _: jars.packages())
    add("env", "versions that matter when something does not work", lambda _: _environment())
    add("timeline", "instants of the table's active timeline, oldest first", _timeline, table=True)
    add("history", "completed writes and what they did, newest first", _history, table=True)
    add("files", "base files of the newest snapshot", _files, table=True)
    return parser


def _timeline(options: argparse.Namespace) -> list[dict[str, Any]]:
    return output.rows_of(inspect.timeline(options.path))


def _history(options: argparse.Namespace) -> list[dict[str, Any]]:
    return output.rows_of(inspect.history(options.path))


def _files(options: argparse.Namespace) -> list[dict[str, Any]]:
    return output.rows_of(inspect.files(options.path))


def _environment() -> list[dict[str, Any]]:
    facts = {"hudilite": __version__, "python": platform.python_version(), "platform": platform.platform()}
    facts["spark"] = _spark()
    home = os.environ.get("JAVA_HOME")
    facts["java"] = shutil.which("java", path=f"{home}/bin" if home else None) or "not found"
    for package in ("pyarrow", "fastavro"):
        facts[package] = "installed" if importlib.util.find_spec(package) else "not installed"
    return [{"what": name, "value": value} for name, value in facts.items()]


def _spark() -> str:
    try:
        line = jars.spark_line()
        return f"{line.versions} line, Scala {line.scala}, jar {jars.jar()}"
    except (jars.UnsupportedSpark, FileNotFoundError) as e:
        return str(e)


if __name__ == "__main__":
    sys.exit(main())
