"""Results as Markdown: seconds per workload and system, with ratios to plain parquet and to Hudi."""

from __future__ import annotations

import json
import sys
from typing import Any

from changes import TITLES as CHANGES
from services import TITLES as SERVICES
from workloads import TITLES as FIRST

TITLES = {**FIRST, **CHANGES, **SERVICES}

Row = dict[str, Any]
FLOORS = ("parquet-zstd", "parquet-zstd1", "parquet")  # the first one that was run is what `xP` compares with
COLUMNS = (
    "workload | system | wall s | jobs | stages | tasks | job s | driver s | JVM cpu s | foreign cpu s | gc s "
    "| in MB | shuffle MB | peak RSS MB | data MB (files) | meta MB (files) | check"
)


def cell(row: Row | None, floor: Row | None, hudi: Row | None) -> str:
    """Median seconds, their range, and the two ratios."""
    if row is None:
        return ""
    if "seconds" not in row:
        return "n/a" if "unsupported" in row else "error"
    text = f"**{row['seconds']:.2f}**"
    if len(row["times"]) > 1:
        text += f" [{min(row['times']):.2f}..{max(row['times']):.2f}]"
    for name, other in (("P", floor), ("H", hudi)):
        if other and row is not other and "seconds" in other:
            text += f" {row['seconds'] / other['seconds']:.2f}x{name}"
    return text + (" **WRONG**" if row.get("correct") is False else "")


def inside(row: Row) -> str:
    """Spark's own numbers of one step."""
    size = " | ".join(
        f"{row[f'{k}_mb']} ({row[f'{k}_files']:.0f})" if "data_mb" in row else "" for k in ("data", "meta")
    )
    check = {True: "ok", False: "WRONG"}.get(row.get("correct"), "")  # type: ignore[call-overload]
    numbers = [
        row["workload"],
        row["system"],
        f"{row['times'][-1]:.2f}",
        row["jobs"],
        row["stages"],
        f"{row['tasks']:.0f}",
    ]
    names = ("job_s", "driver_s", "cpu_s", "foreign_cpu_s", "gc_s", "input_mb", "shuffle_mb", "peak_rss_mb")
    numbers += [row[name] for name in names]
    return "| " + " | ".join([*map(str, numbers), size, check]) + " |"


def markdown(results: dict[str, Any]) -> str:
    """The whole report."""
    rows = {(r["workload"], r["system"]): r for r in results["rows"]}
    systems = list(dict.fromkeys(r["system"] for r in results["rows"]))
    floor = next((name for name in FLOORS if name in systems), "")
    out = ["# hudilite beside plain parquet and other table formats", ""]
    out += [f"- {name}: {value}" for name, value in results["facts"].items()]
    out += [
        "",
        f"Seconds (median, [min..max] where repeated); `kxP`: k times the time of {floor}; `kxH`: k times the time",
        "of Apache Hudi with its defaults.",
        "",
    ]
    out += ["| | workload | " + " | ".join(systems) + " |", "|---|---|" + "---|" * len(systems)]
    for workload, title in TITLES.items():
        floors = rows.get((workload, floor)), rows.get((workload, "hudi"))
        line = [cell(rows.get((workload, system)), *floors) for system in systems]
        if any(line):
            out.append(f"| {workload} | {title} | " + " | ".join(line) + " |")
    out += ["", "## Inside the steps (last repetition)", ""]
    out += ["job = wall time with a Spark job running, driver = the rest; foreign = other processes' CPU seconds.", ""]
    out += [f"| {COLUMNS} |", "|---" * (COLUMNS.count("|") + 1) + "|"]
    steps = [rows.get((workload, system)) for workload in TITLES for system in systems]
    out += [inside(row) for row in steps if row and "seconds" in row]
    errors = [row for row in results["rows"] if "error" in row]
    if errors:
        out += ["", "## Failures", ""]
    for row in errors:
        first = next((x for x in row["error"].splitlines() if x.strip()), "")
        out.append(f"- {row['system']} {row['workload']}: `{first[:400]}`")
    return "\n".join(out) + "\n"


if __name__ == "__main__":
    with open(sys.argv[1]) as f:
        print(markdown(json.load(f)))
