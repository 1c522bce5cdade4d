"""The dbt project among the examples, run as its users run it: by dbt's command line, in a session that dbt starts."""

from __future__ import annotations

import json
import os
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from sessions import SETTINGS

from hudilite import jar

pytest.importorskip("dbt.adapters.spark", reason="dbt is installed beside the oldest PySpark 4 alone")

PROJECT = Path(__file__).parent.parent.parent / "examples" / "dbt"
#: Several runs of dbt in one process share its session, and the tables are read in that session.
PROGRAM = """
import json, sys
from dbt.cli.main import dbtRunner
from pyspark.sql import SparkSession

for arguments in json.loads(sys.argv[1]):
    if arguments[0] == "rows":
        spark = SparkSession.getActiveSession() or SparkSession.builder.getOrCreate()
        found = {name: spark.sql(query).collect() for name, query in arguments[1].items()}
        print("ROWS " + json.dumps({name: [list(map(str, row)) for row in rows] for name, rows in found.items()}))
    else:
        done = dbtRunner().invoke([*arguments, "--profiles-dir", ".", "--no-use-colors"])
        assert done.success, (arguments, done.exception, done.result)
"""
#: Those of all test sessions that say how a JVM runs; the others are the profile's.
OF_JVM = (
    *("spark.driver.memory", "spark.driver.extraJavaOptions"),
    *("spark.sql.codegen.factoryMode", "spark.sql.ui.explainMode"),
)
QUERIES = {
    "newest": "SELECT id, fare, town FROM rides.newest ORDER BY id",
    "columns": "SHOW COLUMNS IN rides.newest",
    "newest_in_logs": "SELECT id, fare, town FROM rides.newest_in_logs ORDER BY id",
    "every": "SELECT id, count(*) FROM rides.every GROUP BY id ORDER BY id",
    "by_town": "SELECT town, rides, fare FROM rides.by_town ORDER BY town",
    "countries": "SELECT country, fare FROM rides.countries ORDER BY country",
    "fares": "SELECT id, fare, dbt_valid_to IS NULL FROM rides.fares ORDER BY id, fare",
    "formats": "SELECT _hoodie_file_name LIKE '%parquet' FROM rides.every LIMIT 1",
}


def run(project: Path, *commands: list[object]) -> list[dict[str, list[list[str]]]]:
    """Rows of the queries among these commands, one after the other."""
    settings = [word for name in OF_JVM if name in SETTINGS for word in ("--conf", f"{name}={SETTINGS[name]}")]
    environment = {
        **os.environ,
        "HUDILITE_JAR": jar(),
        "DBT_SEND_ANONYMOUS_USAGE_STATS": "false",
        "PYSPARK_SUBMIT_ARGS": shlex.join([*settings, "pyspark-shell"]),
    }
    command = [sys.executable, "-c", PROGRAM, json.dumps(commands)]
    done = subprocess.run(command, cwd=project, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    return [json.loads(line[5:]) for line in done.stdout.splitlines() if line.startswith("ROWS ")]


@pytest.mark.each_spark
def test_every_kind_of_model_runs_twice_grows_and_starts_again(tmp_path: Path) -> None:
    project = tmp_path / "dbt"
    shutil.copytree(PROJECT, project)
    (first,) = run(project, ["build"], ["rows", QUERIES])
    assert first["newest"] == [["1", "10.5", "oslo"], ["2", "11.5", "rome"], ["3", "12.5", "pune"]]
    assert first["newest_in_logs"] == first["newest"]
    assert first["every"] == [["1", "1"], ["2", "1"], ["3", "1"]]
    assert first["by_town"] == [["oslo", "1", "10.5"], ["pune", "1", "12.5"], ["rome", "1", "11.5"]]
    assert first["countries"] == [["india", "12.5"], ["italy", "11.5"], ["norway", "10.5"]]
    assert first["fares"] == [["1", "10.5", "True"], ["2", "11.5", "True"], ["3", "12.5", "True"]]

    # One ride costs more, another is new, and so is a column.
    (project / "seeds" / "rides.csv").write_text(
        "id,town,fare,ts\n1,oslo,99.5,200\n2,rome,11.5,100\n3,pune,12.5,100\n4,oslo,1.5,200\n"
    )
    second, again = run(
        project,
        ["build", "--vars", "{tips: true}"],
        ["rows", QUERIES],
        ["build", "--full-refresh"],
        ["rows", QUERIES],
        ["docs", "generate"],
    )
    now = [["1", "99.5", "oslo"], ["2", "11.5", "rome"], ["3", "12.5", "pune"], ["4", "1.5", "oslo"]]
    assert second["newest"] == second["newest_in_logs"] == now
    assert ["tip"] in second["columns"]
    assert second["every"] == [["1", "2"], ["2", "2"], ["3", "2"], ["4", "1"]]
    assert second["by_town"] == [["oslo", "2", "101.0"], ["pune", "1", "12.5"], ["rome", "1", "11.5"]]
    assert second["fares"] == [
        ["1", "10.5", "False"],
        ["1", "99.5", "True"],
        ["2", "11.5", "True"],
        ["3", "12.5", "True"],
        ["4", "1.5", "True"],
    ]
    assert again["newest"] == again["newest_in_logs"] == now
    assert ["tip"] not in again["columns"]
    assert again["every"] == [["1", "1"], ["2", "1"], ["3", "1"], ["4", "1"]]
    catalog = json.loads((project / "target" / "catalog.json").read_text())
    described = catalog["nodes"]["model.rides.newest"]
    assert set(described["columns"]) >= {"id", "fare", "town"}
