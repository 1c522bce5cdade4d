"""Output of a refused statement in a terminal: hudilite's line, and little of Spark's beside it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from sessions import SETTINGS

PROGRAM = """
import sys
import hudilite

settings, folder = {settings!r}, {folder!r}
spark = hudilite.session("log", master="local[2]", **settings)

def refused(condition, call):
    print(f"<{{condition}}", file=sys.stderr, flush=True)
    try:
        call()
    except Exception as error:
        assert str(error).startswith(f"[{{condition}}]"), error
        assert len(str(error).splitlines()) == 1, error
    else:
        raise AssertionError(condition)

spark.sql(f"CREATE TABLE hudilite.`{{folder}}/t` (id INT, v INT) USING hudilite TBLPROPERTIES (primaryKey = 'id')")
rows = spark.sql("SELECT * FROM VALUES (1, 1), (NULL, 2) AS t(id, v)")
upsert = rows.write.format("hudilite").mode("append")
refused("NULL_RECORD_KEY", lambda: upsert.save(f"{{folder}}/t"))
refused("NULL_RECORD_KEY", lambda: rows.writeTo(f"hudilite.`{{folder}}/t`").append())
refused("INVALID_OPTION_VALUE", lambda: spark.sql(
    "CREATE TABLE u USING hudilite TBLPROPERTIES (primaryKey = '') AS SELECT 1 AS id"))
refused("MISSING_COLUMN", lambda: spark.sql(
    "CREATE TABLE u USING hudilite TBLPROPERTIES (primaryKey = 'key') AS SELECT 1 AS id"))
refused("INVALID_OPTION_VALUE", lambda: rows.write.format("hudilite").option("primaryKey", "").saveAsTable("u"))
print("<WITHOUT_KEY", file=sys.stderr, flush=True)
rows.write.format("hudilite").saveAsTable("u")
"""
#: Spark's driver and executor each say in some lines that a task failed, and that a write is given up.
OF_TASKS = 16


def test_a_refused_write_logs_no_traces_and_a_table_without_keys_one_line(tmp_path: Path) -> None:
    settings = {**SETTINGS, "spark.ui.showConsoleProgress": "false", "spark.sql.warehouse.dir": str(tmp_path / "w")}
    program = PROGRAM.format(settings=settings, folder=str(tmp_path))
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False, timeout=300)
    assert done.returncode == 0, done.stderr
    _, *parts, made = done.stderr.split("\n<")
    assert len(parts) == 5, done.stderr
    told = [line for line in made.splitlines() if "record key" in line]
    assert len(told) == 1, made
    assert "upsert is not possible" in told[0], made
    for part in parts:
        condition, *lines = part.splitlines()
        assert not any(line.startswith("\tat ") for line in lines), part
        assert len(lines) <= (OF_TASKS if condition == "NULL_RECORD_KEY" else 0), part
        if not lines:
            continue
        assert any("[NULL_RECORD_KEY]" in line for line in lines), part
