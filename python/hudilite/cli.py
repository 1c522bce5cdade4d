"""The ``hudilite`` command: looks at tables and at the installation without a JVM, and runs services with Spark."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, NoReturn, get_args

from hudilite import condition_of, convert, environment, inspect, jars, output, report, session, table
from hudilite._version import __version__
from hudilite.cleaning import Policy
from hudilite.clustering import Layout
from hudilite.compaction import Kind
from hudilite.inspect import DamagedTable, NoTable

if TYPE_CHECKING:
    from hudilite.clustering import ClusteringPlan
    from hudilite.compaction import CompactionPlan
    from hudilite.tables import HudiliteTable

_Rows = list[dict[str, Any]]
_GROUP_COLUMNS = (
    "partition", "file_id", "rows", "inserted", "updated", "deleted", "bytes", "log_files", "milliseconds"
)  # fmt: skip


class _Refused(Exception):
    """An error with a condition of hudilite's, whose text says all that the user needs."""


class _Parser(argparse.ArgumentParser):
    """A parser whose error is one line."""

    def error(self, message: str) -> NoReturn:
        """Say what is wrong, and where to read what is right."""
        self.exit(2, f"error: {message}; {self.prog} --help lists what there is\n")


def main(arguments: list[str] | None = None) -> int:
    """Run the command; 0 when it worked, 1 when it did not, 2 when the command line is wrong."""
    options = _parser().parse_args(arguments)
    try:
        answer = options.run(options)
    except (NoTable, DamagedTable, OSError, ImportError, jars.UnsupportedSpark, _Refused) as e:
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
    shared = _Parser(add_help=False)
    shared.add_argument("--json", action="store_true", help="print JSON instead of text")
    shared.add_argument("--debug", action="store_true", help="show the traceback of an error")
    parser = _Parser(prog="hudilite", description=__doc__)
    parser.add_argument("--version", action="version", version=f"hudilite {__version__}")
    commands = parser.add_subparsers(required=True, metavar="command")

    def add(name: str, about: str, run: Callable[[argparse.Namespace], Any], table: bool = False) -> _Parser:
        command = commands.add_parser(name, parents=[shared], help=about, description=about)
        command.set_defaults(run=run)
        if table:
            command.add_argument("path", help="base path or URI of the table")
        return command

    names = "with names of Apache Hudi's classes, for jobs whose settings or formats say these"
    place = add("jar", "path of the jar that fits the installed Spark, for spark-submit --jars", _jar)
    place.add_argument("--hudi-name", action="store_true", help=f"and of the one {names}; a comma between them")
    coordinate = add("packages", "Maven coordinate for spark-submit --packages", _packages)
    coordinate.add_argument("--hudi-name", action="store_true", help=f"of the artifact {names}")
    add("env", "versions that matter when something does not work", lambda _: environment.facts())
    add("timeline", "instants of the table's active timeline, oldest first", _timeline, table=True)
    history = add("history", "completed writes and what they did, newest first", _history, table=True)
    history.add_argument("--limit", metavar="N", type=_positive, help="only the newest so many")
    add("files", "base files of the newest snapshot", _files, table=True)
    page = add("report", "one HTML page: timeline, sizes, logs, key ranges, and what to do", _report, table=True)
    page.add_argument(
        "--output", metavar="FILE", default="report.html", help="where to write it; %(default)s by default"
    )
    for name, about, run in (
        ("indexes", "indexes that are there: size, entries, and what they cost the last commits", _indexes),
        ("advise", "index, number of buckets and size of files that fit the table", _advise),
    ):
        told = add(name, about, run, table=True)
        told.add_argument("--most-files", metavar="N", type=_positive, default=512, help="most footers to read")
    differences = "where Apache Hudi's metadata table says otherwise than the files"
    add("validate-metadata", differences, _validate_metadata, table=True)
    compact = add("compact", "merge the log files of a merge-on-read table", _compact, table=True)
    compact.add_argument("--kind", choices=get_args(Kind), default="base", help="into base files, or among themselves")
    compact.add_argument("--dry-run", action="store_true", help="only show what would be planned or run")
    chosen = compact.add_mutually_exclusive_group()
    chosen.add_argument("--schedule-only", action="store_true", help="plan a compaction, to be run later")
    chosen.add_argument("--instant", help="run this planned compaction alone")
    cluster = add("cluster", "put small files together, or lay rows out anew by some columns", _cluster, table=True)
    cluster.add_argument("--sort-by", metavar="COLUMN", action="append", help="lay rows out by it; can be repeated")
    cluster.add_argument(
        "--layout", choices=get_args(Layout), help="of those columns: one after the other, or along a curve"
    )
    cluster.add_argument("--partition", action="append", help="look at it alone; can be repeated")
    cluster.add_argument("--target-bytes", type=_positive, help="size of the files to write, 1 GiB by default")
    cluster.add_argument("--dry-run", action="store_true", help="only show what would be planned or run")
    planned = cluster.add_mutually_exclusive_group()
    planned.add_argument("--schedule-only", action="store_true", help="plan a clustering, to be run later")
    planned.add_argument("--instant", help="run this planned clustering alone")
    clean = add("clean", "delete files that only past states of the table need", _clean, table=True)
    clean.add_argument("--policy", choices=get_args(Policy), help="what stays; the latest commits by default")
    clean.add_argument("--retain", type=_positive, help="how many commits (10), hours (24) or file versions (3) stay")
    clean.add_argument("--dry-run", action="store_true", help="only show what would go")
    archive = add("archive", "move the oldest instants out of the active timeline", _archive, table=True)
    rollback = add("rollback", "take the newest write back", _rollback, table=True)
    rollback.add_argument("--instant", help="the write, which must be the newest")
    savepoint = add("savepoint", "save the state as of a write", _savepoint, table=True)
    savepoint.add_argument("--instant", help="the write; the newest by default")
    savepoint.add_argument("--comment", default="", help="what it is for")
    add("savepoints", "states that are saved, oldest first", _savepoints, table=True)
    unsave = add("delete-savepoint", "give a saved state free", _delete_savepoint, table=True)
    unsave.add_argument("instant", help="the write whose state is saved")
    restore = add("restore", "bring the state as of a write back", _restore, table=True)
    restore.add_argument("instant", help="the write, for instance that of a savepoint")
    for command in (archive, rollback, restore, unsave):
        command.add_argument("--dry-run", action="store_true", help="only show what would go")
    savepoint.add_argument("--dry-run", action="store_true", help="only show what would be saved")
    add("services", "what is planned, running and due", _services, table=True)
    drop = add("delete-partition", "drop all rows of partitions", _delete_partition, table=True)
    drop.add_argument("partition", nargs="+", help="path of the partition below the table")
    expire = add("expire-partitions", "drop partitions to which nobody writes any more", _expire_partitions, table=True)
    expire.add_argument("--days", type=_positive, help="days since the last write")
    for command in (drop, expire):
        command.add_argument("--dry-run", action="store_true", help="only show what would go")
    doctor = add("doctor", "tell what is wrong with the table", _doctor, table=True)
    doctor.add_argument("--fix", action="store_true", help="mend what can be mended without harm")
    doctor.add_argument("--deep", action="store_true", help="read all keys, too: repeated or misplaced ones")
    take = add("convert", "take a Parquet folder, or a table that Spark reads, over into a new Hudi table", _convert)
    take.add_argument("source", help="path of a folder, which stays as it is")
    take.add_argument("target", help="path of the new table")
    take.add_argument("--keys", metavar="COLUMN", action="append", help="of the record key; can be repeated")
    take.add_argument(
        "--partitions", metavar="COLUMN", action="append", help="instead of the source's; can be repeated"
    )
    take.add_argument("--ordering", metavar="COLUMN", action="append", help="ordering field; can be repeated")
    take.add_argument("--format", help="of the source, where its files do not tell")
    return parser


def _jar(args: argparse.Namespace) -> str:
    return ",".join([jars.jar(), *([jars.hudi_jar()] if args.hudi_name else [])])


def _packages(args: argparse.Namespace) -> str:
    return jars.packages(args.hudi_name)


def _timeline(options: argparse.Namespace) -> _Rows:
    return output.rows_of(inspect.timeline(options.path))


def _history(options: argparse.Namespace) -> _Rows:
    return output.rows_of(inspect.history(options.path, options.limit))


def _files(options: argparse.Namespace) -> _Rows:
    return output.rows_of(inspect.files(options.path))


def _report(options: argparse.Namespace) -> str:
    return report.of_path(options.path, options.output)


def _positive(text: str) -> int:
    number = int(text) if text.isascii() and text.isdigit() else 0
    if number < 1:
        raise argparse.ArgumentTypeError(f"'{text}' is not a number of 1 or more")
    return number


def _convert(options: argparse.Namespace) -> _Rows:
    with _one_line(options.debug):
        done = convert(
            session("hudilite", **{"spark.ui.enabled": "false"}),
            options.source,
            options.target,
            keys=options.keys,
            partitions=options.partitions,
            ordering=options.ordering,
            format=options.format,
        )
    return output.rows_of([done])


@contextmanager
def _one_line(debug: bool) -> Iterator[None]:
    """Have an error of hudilite's be one line."""
    try:
        yield
    except Exception as e:
        text, start = str(e), f"[{condition_of(e)}]"
        if debug or start not in text:
            raise
        raise _Refused(text[text.index(start) :].splitlines()[0]) from e


def _with_spark(service: Callable[[argparse.Namespace, HudiliteTable], _Rows]) -> Callable[[argparse.Namespace], _Rows]:
    """Have a service run in a Spark of its own; an error of hudilite's is one line."""

    def run(options: argparse.Namespace) -> _Rows:
        with _one_line(options.debug):
            return service(options, table(session("hudilite", **{"spark.ui.enabled": "false"}), options.path))

    return run


@_with_spark
def _indexes(options: argparse.Namespace, handle: HudiliteTable) -> _Rows:
    rows = output.rows_of(handle.indexes(options.most_files))
    costs = [[cost["bytes"] for cost in row.pop("commits")] for row in rows]
    return [
        row | {"columns": ", ".join(row["columns"]), "commit_bytes": round(sum(cost) / len(cost)) if cost else None}
        for row, cost in zip(rows, costs, strict=True)
    ]


@_with_spark
def _advise(options: argparse.Namespace, handle: HudiliteTable) -> _Rows:
    (row,) = output.rows_of([handle.advise(options.most_files)])
    probed = row.pop("files_probed")
    why = row.pop("why")
    return [row | {f"probed_by_{name.removeprefix('last_')}": n for name, n in probed.items()} | {"why": why}]


@_with_spark
def _validate_metadata(_: argparse.Namespace, handle: HudiliteTable) -> _Rows:
    return output.rows_of(handle.validate_metadata())


@_with_spark
def _compact(options: argparse.Namespace, handle: HudiliteTable) -> _Rows:
    if options.schedule_only:
        plan = handle.schedule_compaction(kind=options.kind, dry_run=options.dry_run)
        return _planned([plan] if plan else [])
    if options.dry_run:
        return _planned(handle.compact(options.instant, kind=options.kind, dry_run=True))
    groups = output.rows_of(handle.compact(options.instant, kind=options.kind).groups)
    return [{name: group[name] for name in _GROUP_COLUMNS} for group in groups]


def _planned(plans: list[CompactionPlan]) -> _Rows:
    return [
        {
            "instant": plan.instant,
            "partition": s.partition,
            "file_id": s.file_id,
            "base_bytes": s.base_bytes,
            "log_files": len(s.log_files),
            "log_bytes": s.log_bytes,
        }
        for plan in plans
        for s in plan.slices
    ]


@_with_spark
def _cluster(options: argparse.Namespace, handle: HudiliteTable) -> _Rows:
    what = (options.sort_by, options.layout, options.partition, options.target_bytes)
    if options.schedule_only:
        plan = handle.schedule_clustering(*what, dry_run=options.dry_run)
        return _groups([plan] if plan else [])
    if options.dry_run:
        return _groups(handle.cluster(*what, instant=options.instant, dry_run=True))
    return output.rows_of(handle.cluster(*what, instant=options.instant).files)


def _groups(plans: list[ClusteringPlan]) -> _Rows:
    return [
        {
            "instant": plan.instant,
            "partition": group.partition,
            "files": len(group.file_ids),
            "bytes": group.bytes,
            "outputs": group.outputs,
        }
        for plan in plans
        for group in plan.groups
    ]


@_with_spark
def _clean(options: argparse.Namespace, handle: HudiliteTable) -> _Rows:
    if options.dry_run:
        return [{"file": file} for file in handle.clean(options.policy, options.retain, dry_run=True).files]
    return [
        {"partition": p.partition, "files": len(p.files), "failed": len(p.failed), "removed": p.removed}
        for p in handle.clean(options.policy, options.retain).partitions
    ]


@_with_spark
def _archive(options: argparse.Namespace, handle: HudiliteTable) -> _Rows:
    return [{"instant": instant} for instant in handle.archive(dry_run=options.dry_run).instants]


@_with_spark
def _rollback(options: argparse.Namespace, handle: HudiliteTable) -> _Rows:
    done = output.rows_of([handle.rollback(options.instant, dry_run=options.dry_run)])[0]
    dead = [{"instant": None, "write": w, "action": "dead", "files": None} for w in done.pop("dead_writes")]
    return [*dead, done]


@_with_spark
def _savepoint(options: argparse.Namespace, handle: HudiliteTable) -> _Rows:
    return output.rows_of([handle.savepoint(options.instant, options.comment, dry_run=options.dry_run)])


@_with_spark
def _savepoints(_: argparse.Namespace, handle: HudiliteTable) -> _Rows:
    return output.rows_of(handle.savepoints())


@_with_spark
def _delete_savepoint(options: argparse.Namespace, handle: HudiliteTable) -> _Rows:
    freed = handle.delete_savepoint(options.instant, dry_run=options.dry_run)
    return output.rows_of([freed] if options.dry_run else handle.savepoints())


@_with_spark
def _delete_partition(options: argparse.Namespace, handle: HudiliteTable) -> _Rows:
    return output.rows_of(handle.delete_partition(options.partition, dry_run=options.dry_run).partitions)


@_with_spark
def _expire_partitions(options: argparse.Namespace, handle: HudiliteTable) -> _Rows:
    return output.rows_of(handle.expire_partitions(options.days, dry_run=options.dry_run).partitions)


@_with_spark
def _restore(options: argparse.Namespace, handle: HudiliteTable) -> _Rows:
    done = handle.restore(options.instant, dry_run=options.dry_run)
    return [{"write": w} for w in (*done.dead_writes, *done.writes)]


@_with_spark
def _services(_: argparse.Namespace, handle: HudiliteTable) -> _Rows:
    return output.rows_of(handle.services())


@_with_spark
def _doctor(options: argparse.Namespace, handle: HudiliteTable) -> _Rows:
    return output.rows_of(handle.doctor(options.fix, deep=options.deep))


if __name__ == "__main__":
    sys.exit(main())
