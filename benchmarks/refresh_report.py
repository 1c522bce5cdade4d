"""Results of the refresh as Markdown: seconds of each phase, with ratios to the best other format of that type."""

from __future__ import annotations

import json
import statistics
import sys
from typing import Any

OWN = "hudilite"
#: Phases by title: which lines count, and whether their sum or their median does.
PHASES = {
    "load": ("load", sum),
    "queries before": ("before", sum),
    "merges, all rounds": ("merge", sum),
    "merges, a round": ("merge", statistics.median),
    "deletes, all rounds": ("delete", sum),
    "deletes, a round": ("delete", statistics.median),
    "queries after": ("after", sum),
}


def seconds(lines: list[dict[str, Any]], title: str, figure: str) -> float:
    phase, of = PHASES[title]
    parts = [line.get("tables") or line.get("queries") for line in lines if line["phase"] == phase]
    return float(of([sum(part[figure] for part in each.values()) for each in parts]))


def answers(lines: list[dict[str, Any]]) -> Any:
    """Everything that all systems must agree on."""
    rows = {line["phase"]: {q: v["rows"] for q, v in line["queries"].items()} for line in lines if "queries" in line}
    return [rows, [line["sums"] for line in lines if "sums" in line]]


def table(systems: dict[str, Any], figure: str) -> list[str]:
    out = ["| phase | " + " | ".join(systems) + " |", "|---|" + "---:|" * len(systems)]
    for title in PHASES:
        took = {name: seconds(lines, title, figure) for name, lines in systems.items()}
        out.append(f"| {title} | {' | '.join(cell(name, took) for name in took)} |")
    return out


def cell(name: str, took: dict[str, float]) -> str:
    """Seconds, and for hudilite their ratio to the best of the others whose tables are copied or merged alike."""
    others = [s for other, s in took.items() if not other.startswith(OWN) and merged(other) == merged(name)]
    own = name.startswith(OWN) and others
    return f"{took[name]:.2f} ({took[name] / min(others):.2f})" if own else f"{took[name]:.2f}"


def merged(name: str) -> bool:
    return name.endswith("-mor")


def markdown(results: dict[str, Any]) -> str:
    """The whole report."""
    systems = results["systems"]
    found = [answers(lines) for lines in systems.values()]
    agree = found and all(each == found[0] for each in found)
    out = ["# Refresh of TPC-DS", "", *(f"- {name}: {value}" for name, value in results["facts"].items())]
    out += [f"- rows of queries and tables: {'equal in all systems' if agree else '**DIFFER**'}"]
    out += [f"- failed: {', '.join(results['failed'])}"] if results["failed"] else []
    for figure, title in (("cpu s", "CPU seconds"), ("wall s", "Wall seconds")):
        out += ["", f"{title}, and ratios to the best other format of that table type:", "", *table(systems, figure)]
    counts = next((line["sums"] for lines in systems.values() for line in lines if "sums" in line), {})
    out += ["", "Rows at the end: " + ", ".join(f"{name} {each[0]}" for name, each in counts.items()) + "."]
    return "\n".join(out) + "\n"


if __name__ == "__main__":
    with open(sys.argv[1]) as f:
        print(markdown(json.load(f)))
