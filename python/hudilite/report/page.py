"""The page of a report."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime
from pathlib import Path

from hudilite import wording
from hudilite._version import __version__
from hudilite.inspect import Commit, Instant
from hudilite.markup import Child, Markup, element, joined
from hudilite.report import advice, charts
from hudilite.report.facts import Facts, Partition, depth

_COMMITS = 20
_PARTITIONS = 40
_STYLE = Path(__file__).with_name("style.css")


def html(facts: Facts) -> str:
    """Return the page: HTML with its style and drawings in it, and without scripts."""
    head = element(
        "head",
        element("meta", charset="utf-8"),
        element("meta", name="viewport", content="width=device-width, initial-scale=1"),
        element("title", f"{facts.name} — hudilite report"),
        element("style", Markup(_STYLE.read_text(encoding="utf-8"))),
    )
    parts = (
        _header(facts), _cards(facts), _advice(facts), _timeline(facts), _commits(facts), _sizes(facts), _logs(facts),
        _keys(facts), _index(facts), _columns(facts), _savepoints(facts), _footer(),
    )  # fmt: skip
    return f"<!DOCTYPE html>\n{element('html', head, element('body', element('main', *parts)), lang='en')}\n"


def _header(facts: Facts) -> Markup:
    said = wording.about(facts.properties)
    if facts.is_bucketed:
        said["index"] = "buckets"
    rows = [element(tag, text) for name, text in said.items() for tag, text in (("dt", name), ("dd", text))]
    return element(
        "header", element("h1", facts.name), element("code", facts.path, class_="quiet"), element("dl", *rows)
    )


def _cards(facts: Facts) -> Markup:
    bases = sum(g.base_file is not None for g in facts.groups)
    logs = sum(g.log_files for g in facts.groups)
    newest = facts.commits[-1] if facts.commits else None
    cards = [
        (wording.size(facts.base_bytes + facts.log_bytes), "in the newest snapshot"),
        (wording.number(bases), "base file" if bases == 1 else "base files"),
    ]
    if facts.is_logged:
        cards.append((wording.number(logs), f"log files, {wording.size(facts.log_bytes)}"))
    if facts.is_partitioned:
        cards.append((wording.number(len(facts.partitions)), "partitions with files"))
    if facts.key_ranges and len(facts.key_ranges) == bases:
        cards.append((wording.number(sum(r.rows for r in facts.key_ranges)), "rows in base files"))
    writes = len(facts.commits)
    cards.append((wording.number(writes), f"{'write' if writes == 1 else 'writes'} in the active timeline"))
    if newest:
        when = wording.moment(newest.completion_time or newest.time)
        cards.append((when[:10], f"{when[11:16]}, newest write ({newest.operation.lower()})"))
    return element(
        "div", *(element("div", element("b", big), element("span", small), class_="card") for big, small in cards),
        class_="cards",
    )  # fmt: skip


def _section(title: str, about: str, *content: Child) -> Markup:
    return element("section", element("h2", title), element("p", about, class_="quiet"), *content)


def _advice(facts: Facts) -> Markup:
    given = [
        element("div", element("b", a.what), a.why, " ", element("code", a.how) if a.how else None, class_="advice")
        for a in advice.of(facts)
    ]
    calm = element("div", "Nothing: sizes, logs and timeline are as they should be.", class_="advice none")
    if not facts.commits:
        calm = element("div", "Nothing was written yet.", class_="advice none")
    return element("section", element("h2", "What to do"), *(given or [calm]))


def _timeline(facts: Facts) -> Markup:
    drawing = charts.timeline(facts)
    if drawing is None:
        return _section("Timeline", "There is no action in the active timeline yet.")
    about = f"{wording.number(len(facts.timeline), 'action')} in the active timeline"
    pending = facts.pending
    return _section(
        "Timeline",
        f"{about}, {len(pending):,} of them not completed (hollow)." if pending else f"{about}, all completed.",
        drawing,
        _pending(pending) if pending else None,
    )


def _pending(pending: Sequence[Instant]) -> Markup:
    shown = pending[:_COMMITS]
    rows = [[element("code", i.time), i.file.split(".")[1], i.state, wording.moment(i.time)] for i in shown]
    return joined(_table(("not completed", "action", "state", "since"), rows), _more(len(pending) - len(shown)))


def _commits(facts: Facts) -> Markup:
    drawing = charts.commit_sizes(facts)
    if drawing is None:
        return _section("Commits", "No write has completed in the active timeline.")
    shown = facts.commits[-charts.COMMITS :]
    whole = len(shown) == len(facts.commits)
    about = f"Bytes that {'each write' if whole else f'each of the newest {len(shown)} writes'} wrote, the newest last."
    names = ("commit", "operation", "inserted", "updated", "deleted", "files", "written")
    rows = [_commit(c) for c in facts.commits[: -_COMMITS - 1 : -1]]
    return _section("Commits", about, drawing, _table(names, rows, 2), _more(len(facts.commits) - len(rows)))


def _commit(commit: Commit) -> list[Child]:
    counts = (commit.inserts, commit.updates, commit.deletes, commit.files)
    return [element("code", commit.time), commit.operation, *map(wording.number, counts), wording.size(commit.bytes)]


def _sizes(facts: Facts) -> Markup:
    drawing = charts.file_sizes(facts)
    if drawing is None:
        return _section("Files", "There are no files in the newest snapshot.")
    content: list[Child] = [drawing]
    if by_partition := charts.partition_sizes(facts):
        content += [
            element("h2", "By partition", style="margin-top:18px"),
            element("p", "From the smallest to the largest base file of each partition; the dot is the median.",
                    class_="quiet"),
            by_partition,
        ]  # fmt: skip
    if facts.is_partitioned:
        content.append(_partitions(facts))
    return _section("Files", "How large the files of the newest snapshot are.", *content)


def _partitions(facts: Facts) -> Markup:
    largest = sorted(facts.partitions, key=lambda p: (-p.base_bytes - p.log_bytes, p.path))
    shown = largest[:_PARTITIONS]
    most = max(p.base_bytes + p.log_bytes for p in shown)
    names = ["partition", "", "size", "base files"]
    if facts.is_logged:
        names += ["log files", "logs to base"]
    rows = [_partition(p, most, facts.is_logged) for p in shown]
    return joined(_table(names, rows, 2), _more(len(largest) - len(shown), largest[len(shown) :]))


def _partition(partition: Partition, most: int, logged: bool) -> list[Child]:
    total = partition.base_bytes + partition.log_bytes
    share = 100 * total / most if most else 0
    bar = element("span", element("i", style=f"width:{share:.1f}%"), class_="bar")
    row: list[Child] = [partition.path, bar, wording.size(total), wording.number(len(partition.base_sizes))]
    if logged:
        ratio = f"{partition.log_bytes / partition.base_bytes:.0%}" if partition.base_bytes else "logs only"
        row += [wording.number(partition.log_files), ratio]
    return row


def _logs(facts: Facts) -> Markup | None:
    if not facts.is_logged:
        return None
    drawing = charts.log_ratios(facts)
    if drawing is None:
        return _section("Logs", "There is no log file in the newest snapshot: readers have nothing to merge.")
    ratio = f", {facts.log_bytes / facts.base_bytes:.0%} of what the base files have" if facts.base_bytes else ""
    where = "partitions" if facts.is_partitioned else "file groups"
    about = f"{wording.size(facts.log_bytes)} in log files{ratio}. Below, the {where} that have the most by base file."
    return _section("Logs", about, drawing)


def _keys(facts: Facts) -> Markup:
    path = charts.deepest(facts)
    if path is None:
        why = facts.ranges_left_out or "No base file says from which to which record key it goes."
        return _section("Key ranges", why)
    ranges = facts.ranges_by_partition[path]
    shown = f", of which {charts.RANGES} are shown" if len(ranges) > charts.RANGES else ""
    of = f"of {path}" if path else "of the table"
    about = (
        f"Each line is a base file {of}, from its smallest to its largest record key{shown}. A key may be in "
        f"{depth(ranges):.1f} of these {len(ranges):,} files; 1.0 is best for lookups and upserts by key."
        + (" This is the partition where it is most." if len(facts.ranges_by_partition) > 1 else "")
    )
    left_out = element("p", facts.ranges_left_out, class_="quiet") if facts.ranges_left_out else None
    return _section("Key ranges", about, charts.key_ranges(ranges), left_out)


def _index(facts: Facts) -> Markup | None:
    fits = facts.index
    if fits is None:
        return None
    upsert, rate = fits.files_probed.last_upsert, fits.false_positives
    said = {
        "index": fits.index,
        "buckets of a partition": "none" if fits.buckets is None else wording.number(fits.buckets),
        "size of a file": wording.size(fits.file_bytes),
        "files probed for a key": f"{fits.files_probed.key:,.1f}",
        "files probed for the last upsert": "not known" if upsert is None else f"{upsert:,.1f}",
        "false positives": "no filters" if rate is None else f"{rate:.2%}",
    }
    rows = [element(tag, text) for name, text in said.items() for tag, text in (("dt", name), ("dd", text))]
    return _section("Index that fits", fits.why, element("dl", *rows))


def _columns(facts: Facts) -> Markup | None:
    if not facts.columns:
        return None
    uses = {
        use: [c.strip() for c in facts.properties.get(name, "").split(",")]
        for use, name in (
            ("record key", "hoodie.table.recordkey.fields"),
            ("partition", "hoodie.table.partition.fields"),
            ("ordering", "hoodie.table.ordering.fields"),
            ("ordering", "hoodie.table.precombine.field"),
        )
        if name in facts.properties
    }
    rows = [[n, kind, ", ".join(use for use, of in uses.items() if n in of)] for n, kind in facts.columns]
    about = f"{wording.number(len(rows), 'column')}, and their part in the table."
    return _section("Columns", about, _table(("column", "type", "part"), rows))


def _savepoints(facts: Facts) -> Markup | None:
    if not facts.savepoints:
        return None
    rows = [[element("code", i.time), wording.moment(i.time)] for i in facts.savepoints]
    about = "States that cleaning and archiving keep until their savepoint is deleted."
    return _section("Savepoints", about, _table(("write", "of"), rows))


def _table(names: Sequence[str], rows: Iterable[Sequence[Child]], first_number: int | None = None) -> Markup:
    """A table whose columns from ``first_number`` on are numbers."""
    sides = [None if first_number is None or at < first_number else "n" for at in range(len(names))]
    head = element("tr", *(element("th", name, class_=side) for name, side in zip(names, sides, strict=True)))
    body = [
        element("tr", *(element("td", cell, class_=side or ("name" if at == 0 else None))
                        for at, (cell, side) in enumerate(zip(row, sides, strict=True))))
        for row in rows
    ]  # fmt: skip
    return element("div", element("table", head, *body), class_="scroll")


def _more(count: int, partitions: Sequence[Partition] = ()) -> Markup | None:
    if count <= 0:
        return None
    held = f" with {wording.size(sum(p.base_bytes + p.log_bytes for p in partitions))}" if partitions else ""
    return element("p", f"and {count:,} more{held}", class_="quiet", style="margin:8px 0 0")


def _footer() -> Markup:
    return element("footer", f"Made by hudilite {__version__} on {datetime.now():%Y-%m-%d %H:%M}.")
