"""Results of TPC-DS as Markdown: seconds of each query, with ratios to the first system."""

from __future__ import annotations

import json
import statistics
import sys
from typing import Any

FIGURES = {"wall": "wall time", "cpu": "CPU seconds", "plan": "planning"}


def ratios(queries: list[dict[str, Any]], system: str, floor: str, figure: str) -> dict[str, float]:
    """By query, of those that ran in both."""
    return {
        q["query"]: q[system][figure] / q[floor][figure]
        for q in queries
        if system in q and q[floor][figure] > 0 and q[system][figure] > 0
    }


def cell(query: dict[str, Any], system: str, floor: str, figure: str) -> str:
    seconds = query[system][figure]
    if system == floor or not query[floor][figure]:
        return f"{seconds:.2f}"
    return f"{seconds:.2f} ({seconds / query[floor][figure]:.2f}x)"


def summary(queries: list[dict[str, Any]], systems: list[str]) -> list[str]:
    floor, *others = systems
    out = [f"Geometric means of the ratios to {floor}, and the queries with the highest:", ""]
    out += ["| system | figure | geometric mean | sum of all | highest |", "|---|---|---:|---:|---|"]
    for system in others:
        for figure, title in FIGURES.items():
            found = ratios(queries, system, floor, figure)
            if not found:
                continue
            mean = statistics.geometric_mean(found.values())
            ran = [q for q in queries if q["query"] in found]
            total = sum(q[system][figure] for q in ran) / sum(q[floor][figure] for q in ran)
            worst = sorted(found.items(), key=lambda item: -item[1])[:5]
            named = ", ".join(f"{name} {ratio:.2f}x" for name, ratio in worst)
            out.append(f"| {system} | {title} | {mean:.3f}x | {total:.3f}x | {named} |")
    return out


def markdown(results: dict[str, Any]) -> str:
    """The whole report."""
    systems, all_queries = results["systems"], list(results["queries"].values())
    queries = [q for q in all_queries if "error" not in q]
    failed = [q for q in all_queries if "error" in q]
    differ = [q["query"] for q in queries if not q["equal"]]
    out = ["# TPC-DS over hudilite beside plain Parquet", ""]
    out += [f"- {name}: {value}" for name, value in results["facts"].items()]
    out += [f"- queries: {len(queries)} ran, {len(failed)} failed, rows differ in {', '.join(differ) or 'none'}", ""]
    out += summary(queries, systems)
    out += ["", "Seconds by query: wall time, CPU seconds of the process, planning."]
    heads = [f"{system} {figure}" for figure in FIGURES for system in systems]
    out += ["", "| query | rows | " + " | ".join(heads) + " |", "|---|---:|" + "---:|" * len(heads)]
    for q in queries:
        cells = [cell(q, system, systems[0], figure) for figure in FIGURES for system in systems]
        mark = "" if q["equal"] else " **differ**"
        out.append(f"| {q['query']} | {q['rows']}{mark} | " + " | ".join(cells) + " |")
    if failed:
        out += ["", "## Failures", ""]
        out += [f"- {q['query']}: `{(q['error'].splitlines() or [''])[0][:400]}`" for q in failed]
    return "\n".join(out) + "\n"


if __name__ == "__main__":
    with open(sys.argv[1]) as f:
        print(markdown(json.load(f)))
