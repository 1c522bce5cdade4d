"""The notebook of first statements, run from its first cell to its last as a new user does."""

from __future__ import annotations

from importlib.util import find_spec
from typing import Any

import first_statements
import pytest
from pyspark.sql import SparkSession
from sessions import SPARK_LINE

import hudilite

pytestmark = pytest.mark.each_spark

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
#: A kernel is a session of its own, which takes its time: on one Spark.
NOTEBOOKS = SPARK_LINE == "4" and find_spec("nbclient") is not None
IN_KERNEL = pytest.mark.skipif(not NOTEBOOKS, reason="the newest PySpark runs it in a kernel")
AS_PROGRAM = pytest.mark.skipif(NOTEBOOKS, reason="it is run in a kernel here")


@IN_KERNEL
def test_the_notebook_runs_and_each_mistake_is_told_in_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    import nbformat
    from nbclient import NotebookClient

    monkeypatch.setenv("JDK_JAVA_OPTIONS", "-XX:+UseSerialGC -XX:TieredStopAtLevel=1")
    notebook = nbformat.read(first_statements.NOTEBOOK, as_version=4)
    bar, face = (nbformat.v4.new_code_cell(source) for source in (BAR, "table"))
    notebook.cells[-1:-1] = [bar, face]
    NotebookClient(notebook, timeout=120, kernel_name="python3").execute()
    assert "compaction: 100%" in _printed(bar, "stderr"), bar.outputs
    assert "logged" in face.outputs[0].data["text/html"]
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    first_statements.check([first_statements.Cell(cell.source, _printed(cell)) for cell in code])


def _printed(cell: Any, where: str = "stdout") -> str:
    return "".join(output.text for output in cell.outputs if output.get("name") == where)


@AS_PROGRAM
def test_its_statements_run_on_each_spark_and_each_mistake_is_told_in_one_line(
    spark: SparkSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = spark.newSession()
    monkeypatch.setattr(hudilite, "session", lambda *_, **__: other)
    try:
        first_statements.check(first_statements.run({"__name__": "first_statements"}, stop=False))
    finally:
        other.sql("DROP DATABASE IF EXISTS shop CASCADE")
