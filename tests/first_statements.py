"""The notebook of first statements as a plain program, for a Spark whose environment has no kernel for notebooks."""

from __future__ import annotations

import io
import json
from contextlib import redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from typing import Any

NOTEBOOK = Path(__file__).parent.parent / "examples" / "first_statements.ipynb"


@dataclass(frozen=True)
class Cell:
    """A cell of code, and what it printed."""

    source: str
    printed: str


def check(cells: list[Cell]) -> None:
    """All statements are there, and each mistake is told in one line of its own."""
    assert sum(cell.source.count("\nsql(") + cell.source.startswith("sql(") for cell in cells) >= 50
    mistakes = [cell for cell in cells if "mistake(" in cell.source and "def mistake(" not in cell.source]
    made = sum(cell.source.count("mistake(") for cell in mistakes)
    told = [line for cell in mistakes for line in cell.printed.splitlines()]
    assert made >= 22 and len(told) == made, told
    assert all(line.startswith("[") for line in told), told


def run(names: dict[str, Any], stop: bool = True) -> list[Cell]:
    """Run all cells with these names and what they add to them; the session is stopped or goes on."""
    cells = []
    for cell in json.loads(NOTEBOOK.read_text())["cells"]:
        if cell["cell_type"] == "code":
            source = "".join(cell["source"])
            with redirect_stdout(io.StringIO()) as printed:
                exec(source if stop else source.replace("spark.stop()", ""), names)
            cells.append(Cell(source, printed.getvalue()))
    return cells
