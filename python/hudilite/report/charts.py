"""The drawings of a report; each is None when there is nothing to see in it."""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from hudilite import wording
from hudilite.inspect import Commit, Instant
from hudilite.markup import Markup
from hudilite.report.drawing import INK, LOGS, PAPER, QUIET, SERVICES, UNDO, WRITES, Tips, in_bytes, svg
from hudilite.report.facts import Facts, KeyRange, depth

if TYPE_CHECKING:
    from matplotlib.axes import Axes

COMMITS = 100
_BARS = 20
RANGES = 60
_SERVICES = {"COMPACT", "LOG_COMPACT", "CLUSTER", "clean", "savepoint", "indexing", "compaction", "logcompaction",
             "clustering", "schemacommit"}  # fmt: skip
_UNDO = {"rollback", "restore"}
_DAY_SECONDS = 86400


def timeline(facts: Facts) -> Markup | None:
    """When each action began, a lane for each kind of them."""
    operations = {c.time: c.operation for c in facts.commits}
    dated = [(at, _kind(i, operations), i) for i in facts.timeline if (at := _date(i.time))]
    if not dated:
        return None
    first = {kind: at for at, kind, _ in reversed(dated)}
    lanes = sorted(first, key=lambda kind: (kind in _SERVICES, kind in _UNDO, first[kind]))

    def draw(axes: Axes, tips: Tips) -> None:
        from matplotlib.dates import AutoDateLocator, ConciseDateFormatter, date2num

        for at, kind, instant in dated:
            colour = _colour(kind)
            done = instant.state == "completed"
            (point,) = axes.plot(
                [date2num(at)], [lanes.index(kind)], "o", markersize=7, color=colour,
                markerfacecolor=colour if done else PAPER, alpha=0.85 if done else 1, markeredgewidth=1.6,
            )  # fmt: skip
            until = f", completed {wording.moment(instant.completion_time)}" if instant.completion_time else ""
            tips.add(point, f"{instant.time} {kind}: {instant.state}{until}")
        axes.xaxis_date()
        locator = AutoDateLocator(maxticks=9)
        axes.xaxis.set_major_locator(locator)
        axes.xaxis.set_major_formatter(ConciseDateFormatter(locator))
        axes.set_yticks(range(len(lanes)), [lane.lower().replace("_", " ") for lane in lanes])
        axes.set_ylim(len(lanes) - 0.4, -0.6)
        axes.grid(axis="y")
        times = [date2num(at) for at, _, _ in dated]
        margin = max((max(times) - min(times)) * 0.03, 30 / _DAY_SECONDS)
        axes.set_xlim(min(times) - margin, max(times) + margin)

    return svg("timeline", 0.62 + 0.3 * len(lanes), "Actions of the active timeline over time", draw)


def _kind(instant: Instant, operations: dict[str, str]) -> str:
    if instant.time in operations and instant.action not in _SERVICES | _UNDO:
        return operations[instant.time]
    named = instant.file.split(".")[1] if "." in instant.file else instant.action
    return named if instant.state != "completed" and named in _SERVICES else instant.action


def _colour(kind: str) -> str:
    return UNDO if kind in _UNDO else SERVICES if kind in _SERVICES else WRITES


def _date(time: str) -> datetime | None:
    """The moment of an instant; None for one of Hudi's before all times."""
    try:
        return datetime.strptime(time[:14], "%Y%m%d%H%M%S").replace(microsecond=1000 * int(time[14:17] or 0))
    except ValueError:
        return None


def commit_sizes(facts: Facts) -> Markup | None:
    """Bytes that each of the newest writes wrote."""
    shown: Sequence[Commit] = facts.commits[-COMMITS:]
    if not shown:
        return None

    def draw(axes: Axes, tips: Tips) -> None:
        from matplotlib.patches import Patch

        for at, commit in enumerate(shown):
            colour = SERVICES if commit.operation in _SERVICES else WRITES
            for bar in axes.bar([at], [commit.bytes], width=0.72, color=colour):
                tips.add(
                    bar,
                    f"{commit.time} {commit.operation}: {wording.size(commit.bytes)} in {commit.files:,} files, "
                    f"{commit.inserts:,} inserted, {commit.updates:,} updated, {commit.deletes:,} deleted",
                )
        step = max(1, math.ceil(len(shown) / 6))
        labelled = range(0, len(shown), step)
        axes.set_xticks(labelled, _apart([wording.moment(shown[at].time) for at in labelled]))
        axes.set_xlim(-0.8, max(len(shown), 8) - 0.2)
        in_bytes(axes.yaxis, max(c.bytes for c in shown))
        axes.grid(axis="y")
        kinds = {SERVICES if c.operation in _SERVICES else WRITES for c in shown}
        if len(kinds) > 1:
            patches = [Patch(color=WRITES, label="writes"), Patch(color=SERVICES, label="services")]
            axes.legend(handles=patches, loc="upper left", bbox_to_anchor=(0, 1.16), ncols=2, borderaxespad=0)

    return svg("commits", 2.5, "Bytes written by each commit", draw)


def _apart(moments: Sequence[str]) -> list[str]:
    """Date and time of moments, as exact as they differ."""
    to_minutes = [each[5:16] for each in moments]
    if len(set(to_minutes)) == len(to_minutes):
        return to_minutes
    one_day = len({each[:10] for each in moments}) == 1
    return [each[11:] if one_day else each[5:] for each in moments]


def file_sizes(facts: Facts) -> Markup | None:
    """How many files there are of which size."""
    bases = [g.base_bytes for g in facts.groups if g.base_file]
    logs = [g.log_bytes for g in facts.groups if g.log_files]
    if not bases and not logs:
        return None

    def draw(axes: Axes, _: Tips) -> None:
        least, most = min(bases + logs), max(bases + logs)
        low, high = math.floor(math.log2(max(least, 1))), math.ceil(math.log2(max(most, 2)))
        low, high = (low - 2, high + 2) if high - low < 3 else (low, high)
        edges = [2 ** (low + (high - low) * n / 24) for n in range(25)]
        given = [(bases, WRITES, "base files")] + ([(logs, LOGS, "log files of a file group")] if logs else [])
        axes.hist(
            [sizes for sizes, _, _ in given], bins=edges, color=[c for _, c, _ in given], rwidth=0.86, stacked=True,
            label=[name for _, _, name in given],
        )  # fmt: skip
        axes.set_xscale("log", base=2)
        axes.xaxis.set_minor_locator(_nothing())
        in_bytes(axes.xaxis)
        axes.yaxis.set_major_locator(_whole_numbers())
        axes.set_ylabel("file groups")
        axes.grid(axis="y")
        if logs:
            axes.legend(loc="upper left", bbox_to_anchor=(0, 1.16), ncols=2, borderaxespad=0)

    return svg("sizes", 2.3, "Number of files by size", draw)


def partition_sizes(facts: Facts) -> Markup | None:
    """Smallest, median and largest base file of each partition."""
    shown = [p for p in facts.partitions if p.base_sizes]
    if not facts.is_partitioned or not shown:
        return None

    def draw(axes: Axes, tips: Tips) -> None:
        width = max(0.7, min(7.0, 420 / len(shown)))
        least, most = [max(p.base_sizes[0], 1) for p in shown], [max(p.base_sizes[-1], 1) for p in shown]
        middle = [max(statistics.median(p.base_sizes), 1) for p in shown]
        axes.vlines(range(len(shown)), least, most, color=WRITES, linewidth=width, alpha=0.35)
        for at, (partition, size) in enumerate(zip(shown, middle, strict=True)):
            (point,) = axes.plot([at], [size], "o", color=WRITES, markersize=min(6.0, max(2.2, width)))
            sizes = f"{wording.size(partition.base_sizes[0])} to {wording.size(partition.base_sizes[-1])}"
            tips.add(point, f"{partition.path}: {len(partition.base_sizes):,} base files of {sizes}")
        axes.set_yscale("log", base=2)
        axes.yaxis.set_minor_locator(_nothing())
        in_bytes(axes.yaxis)
        if max(most) / min(least) < 4:
            axes.set_ylim(min(least) / 4, max(most) * 4)
        step = max(1, math.ceil(len(shown) / 6))
        labelled = range(0, len(shown), step)
        axes.set_xticks(labelled, [_short(shown[at].path, 18) for at in labelled])
        axes.set_xlim(-0.8, max(len(shown), 4) - 0.2)
        axes.grid(axis="y")

    return svg("partitions", 2.7, "Sizes of base files by partition", draw)


def log_ratios(facts: Facts) -> Markup | None:
    """Bytes in log files for each byte in base files: where that is most."""
    if facts.is_partitioned:
        named = [(p.path, p.log_bytes, p.base_bytes) for p in facts.partitions]
    else:
        named = [(g.file_id, g.log_bytes, g.base_bytes) for g in facts.groups]
    logged = sorted((n for n in named if n[1]), key=lambda n: (n[1] / max(n[2], 1), n[1]), reverse=True)[:_BARS]
    if not logged:
        return None
    # Without a base file there is no ratio; such a bar is as long as the longest that has one.
    longest = max((logs / bases for _, logs, bases in logged if bases), default=1.0)

    def draw(axes: Axes, tips: Tips) -> None:
        for at, (name, logs, bases) in enumerate(logged):
            length = logs / bases if bases else longest
            for bar in axes.barh([at], [length], height=0.66, color=LOGS, alpha=1 if bases else 0.45):
                tips.add(bar, f"{name}: {wording.size(logs)} in logs, {wording.size(bases)} in base files")
            said = f"{length:.0%}" if bases else "logs only"
            axes.text(length, at, f" {said}  ", va="center", ha="left", color=QUIET, fontsize=8)
        axes.set_yticks(range(len(logged)), [_short(name, 28) for name, _, _ in logged])
        axes.set_ylim(len(logged) - 0.4, -0.6)
        axes.set_xlim(0, longest * 1.12)
        axes.xaxis.set_visible(False)
        axes.spines["bottom"].set_visible(False)

    return svg("logs", 0.35 + 0.26 * len(logged), "Size of log files compared with base files", draw)


def deepest(facts: Facts) -> str | None:
    """The partition where a key may be in the most files; None when no key range is known."""
    found = facts.ranges_by_partition
    return max(found, key=lambda path: (depth(found[path]), len(found[path])), default=None)


def key_ranges(ranges: Sequence[KeyRange]) -> Markup | None:
    """From which to which record key each file goes, by the order of the keys."""
    if not ranges:
        return None
    every = len(ranges) / min(len(ranges), RANGES)
    shown = [ranges[int(n * every)] for n in range(min(len(ranges), RANGES))]
    ends = sorted({key for r in shown for key in (r.min_key, r.max_key)})
    place = {key: at for at, key in enumerate(ends)}

    def draw(axes: Axes, tips: Tips) -> None:
        for at, one in enumerate(shown):
            (line,) = axes.plot(
                [place[one.min_key], place[one.max_key]], [at, at], color=WRITES, solid_capstyle="round",
                linewidth=max(2.0, min(6.0, 170 / len(shown))), alpha=0.8,
                marker="o" if one.min_key == one.max_key else None, markersize=4,
            )  # fmt: skip
            tips.add(line, f"{one.file_id}: {one.min_key} to {one.max_key}, {one.rows:,} rows")
        middle = ends[len(ends) // 2]
        labelled = sorted({0, place[middle], len(ends) - 1})
        axes.set_xticks(labelled, [_short(ends[at], 26) for at in labelled])
        for label, side in zip(axes.get_xticklabels(), _sides(len(labelled)), strict=True):
            label.set_ha(side)
            label.set_color(INK)
        axes.set_yticks([])
        axes.set_ylim(len(shown) - 0.4, -0.6)
        axes.grid(axis="x")

    return svg("keys", 0.6 + max(0.5, min(3.4, 0.13 * len(shown))), "Ranges of record keys of files", draw)


def _sides(count: int) -> list[str]:
    return {1: ["center"], 2: ["left", "right"]}.get(count, ["left", "center", "right"])


def _short(text: str, most: int) -> str:
    """The text with its middle left out when it is long."""
    printable = "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in text)
    half = (most - 1) // 2
    return printable if len(printable) <= most else f"{printable[:half]}…{printable[-half:]}"


def _whole_numbers() -> object:
    from matplotlib.ticker import MaxNLocator

    return MaxNLocator(integer=True, nbins=5, min_n_ticks=1)


def _nothing() -> object:
    from matplotlib.ticker import NullLocator

    return NullLocator()
