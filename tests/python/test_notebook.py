"""The notebook of first statements, run from its first cell to its last as a new user does."""

from __future__ import annotations

from pathlib import Path

import pytest
from sessions import SPARK_LINE

NOTEBOOK = Path(__file__).parents[2] / "examples" / "first_statements.ipynb"

#: Without ipywidgets, which nothing here needs, a kernel shows a bar as text.
BAR = """
for statement in (
    "CREATE TABLE logged (id INT, v STRING) USING hudilite TBLPROPERTIES (primaryKey = 'id', type = 'mor')",
    "INSERT INTO logged VALUES (1, 'a'), (2, 'b')",
    "UPDATE logged SET v = 'c' WHERE id = 1",
):
    spark.sql(statement)
table = hudilite.table(spark, "logged")
done = table.compact(progress=True)
"""


@pytest.mark.skipif(SPARK_LINE == "3.5", reason="the newest PySpark has the packages that run notebooks")
def test_the_notebook_runs_and_each_mistake_is_told_in_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    import nbformat
    from nbclient import NotebookClient

    monkeypatch.setenv("JDK_JAVA_OPTIONS", "-XX:+UseSerialGC -XX:TieredStopAtLevel=1")
    notebook = nbformat.read(NOTEBOOK, as_version=4)
    bar, face = (nbformat.v4.new_code_cell(source) for source in (BAR, "table"))
    notebook.cells[-1:-1] = [bar, face]
    NotebookClient(notebook, timeout=120, kernel_name="python3").execute()
    assert "compaction: 100%" in _printed(bar, "stderr"), bar.outputs
    assert "logged" in face.outputs[0].data["text/html"]
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    assert sum(cell.source.count("\nsql(") + cell.source.startswith("sql(") for cell in code) >= 50
    mistakes = [cell for cell in code if "mistake(" in cell.source and "def mistake(" not in cell.source]
    made = sum(cell.source.count("mistake(") for cell in mistakes)
    told = [line for cell in mistakes for line in _printed(cell).splitlines()]
    assert made >= 25 and len(told) == made, told
    assert all(line.startswith("[") for line in told), told


def _printed(cell: object, where: str = "stdout") -> str:
    return "".join(output.text for output in cell.outputs if output.get("name") == where)  # type: ignore[attr-defined]
