"""Advice from the facts of a table."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from hudilite import wording
from hudilite.inspect.instants import WRITES
from hudilite.report.facts import Facts, depth

# Apache Hudi's defaults: hoodie.parquet.small.file.limit, hoodie.clean.commits.retained, hoodie.keep.max.commits.
_SMALL_BYTES = 100 * 1024 * 1024
_RETAINED_COMMITS = 10
_ACTIVE_COMMITS = 30
_SMALL_FILES = 4
_LOG_RATIO = 0.5
_LOG_FILES = 5
_DEPTH = 4.0
_THIN_PARTITIONS = 100
_THIN_BYTES = 16 * 1024 * 1024


@dataclass(frozen=True)
class Advice:
    """Something to do about a table.

    Attributes
    ----------
    what
        It, in few words.
    why
        The facts that say so.
    how
        The call of the table object that does it; empty when it takes more than a call.
    """

    what: str
    why: str
    how: str


def of(facts: Facts) -> list[Advice]:
    """Return what to do, the most pressing first; empty when nothing is."""
    rules: tuple[Callable[[Facts], Advice | None], ...] = (
        _compactions, _unfinished, _logs, _small_files, _overlap, _clean, _archive, _thin_partitions,
    )  # fmt: skip
    return [found for rule in rules if (found := rule(facts))]


def planned_compactions(facts: Facts) -> list[str]:
    """Instants of the compactions that are planned and not completed."""
    return [i.time for i in facts.pending if ".compaction." in i.file or ".logcompaction." in i.file]


def _compactions(facts: Facts) -> Advice | None:
    planned = planned_compactions(facts)
    if not planned:
        return None
    since = wording.moment(planned[0])
    return Advice(
        f"Run the planned {'compaction' if len(planned) == 1 else 'compactions'}",
        f"{wording.number(len(planned), 'compaction')} planned and not completed, the first since {since}; until then "
        "readers merge the log files, and cleaning keeps them.",
        "table.compact()",
    )


def _unfinished(facts: Facts) -> Advice | None:
    planned = set(planned_compactions(facts))
    # An action that began before another write completed is under way for long, or its program is gone.
    newest = max((i.time for i in facts.timeline if i.state == "completed"), default="")
    left = [i for i in facts.pending if i.state == "inflight" and i.time not in planned and i.time < newest]
    if not left:
        return None
    return Advice(
        "Look at what was begun and not completed",
        f"{wording.number(len(left), 'action')}, the first a {left[0].action} of {wording.moment(left[0].time)}, while "
        "later ones have completed: a long run, or a program that died.",
        "table.doctor()",
    )


def _logs(facts: Facts) -> Advice | None:
    if planned_compactions(facts) or not facts.log_bytes:
        return None
    ratio = facts.log_bytes / facts.base_bytes if facts.base_bytes else float("inf")
    longest = max(g.log_files for g in facts.groups)
    if ratio < _LOG_RATIO and longest <= _LOG_FILES:
        return None
    share = f"{ratio:.0%} of the size of the base files" if facts.base_bytes else "no base file below them"
    return Advice(
        "Compact",
        f"{wording.size(facts.log_bytes)} in log files, {share}, and up to {wording.number(longest, 'log file')} on "
        "one file group, which every snapshot read merges.",
        "table.compact()",
    )


def _small_files(facts: Facts) -> Advice | None:
    if facts.is_bucketed:  # as many files as there are buckets, whatever is in them
        return None
    small = [[n for n in p.base_sizes if n < _SMALL_BYTES] for p in facts.partitions]
    crowded = [sizes for sizes in small if len(sizes) >= _SMALL_FILES]
    if not crowded:
        return None
    count, total = sum(map(len, crowded)), sum(map(sum, crowded))
    left = sum(max(1, -(-sum(sizes) // _SMALL_BYTES)) for sizes in crowded)
    where = f" in {wording.number(len(crowded), 'partition')}" if facts.is_partitioned else ""
    return Advice(
        "Put small files together",
        f"{wording.number(count, 'base file')} below {wording.size(_SMALL_BYTES)}{where} hold {wording.size(total)}, "
        f"for which {left:,} would do.",
        "table.cluster()",
    )


def _overlap(facts: Facts) -> Advice | None:
    if facts.is_bucketed:
        return None
    deepest = max(((depth(r), path, len(r)) for path, r in facts.ranges_by_partition.items()), default=None)
    if deepest is None or deepest[0] < _DEPTH or deepest[0] < deepest[2] / 2:
        return None
    key = facts.properties.get("hoodie.table.recordkey.fields", "")
    columns = ", ".join(repr(column.strip()) for column in key.split(",") if column.strip())
    where = f" of {deepest[1]}" if deepest[1] else ""
    return Advice(
        "Lay the rows out by their keys, where keys are looked up",
        f"A key may be in {deepest[0]:.1f} of the {deepest[2]} files{where}, for their ranges overlap: lookups and "
        "upserts ask all of these.",
        f"table.cluster(sort_by=[{columns}])" if columns else "",
    )


def _clean(facts: Facts) -> Advice | None:
    cleaned = max((i.time for i in facts.timeline if i.action == "clean" and i.state == "completed"), default="")
    later = [c for c in facts.commits if c.time > cleaned]
    if len(later) <= 2 * _RETAINED_COMMITS:
        return None
    return Advice(
        "Clean",
        f"{wording.number(len(later), 'write')} {'since the last cleaning' if cleaned else 'and no cleaning'}, where "
        f"the states of {_RETAINED_COMMITS} are kept by default: files that only older states need are still there.",
        "table.clean()",
    )


def _archive(facts: Facts) -> Advice | None:
    done = sum(i.state == "completed" and i.action in WRITES for i in facts.timeline)
    if done <= 2 * _ACTIVE_COMMITS:
        return None
    if facts.savepoints and facts.savepoints[0].time <= facts.commits[min(done, len(facts.commits)) // 2].time:
        oldest = facts.savepoints[0].time
        return Advice(
            "Delete savepoints that are not needed any more",
            f"{wording.number(done, 'write')} in the active timeline, which every reader lists, and the savepoint of "
            f"{wording.moment(oldest)} holds them there: archiving goes no further than the oldest.",
            f"table.delete_savepoint({oldest!r})",
        )
    return Advice(
        "Archive",
        f"{wording.number(done, 'write')} in the active timeline, which every reader lists; {_ACTIVE_COMMITS} stay "
        "there by default.",
        "table.archive()",
    )


def _thin_partitions(facts: Facts) -> Advice | None:
    count = len(facts.partitions)
    if count < _THIN_PARTITIONS or (facts.base_bytes + facts.log_bytes) / count >= _THIN_BYTES:
        return None
    mean = (facts.base_bytes + facts.log_bytes) / count
    return Advice(
        "Partition by something coarser, when the table is next written anew",
        f"{count:,} partitions hold {wording.size(mean)} each on average; reads open at least a file in each.",
        "",
    )
