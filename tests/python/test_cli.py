"""The command line, whose looks at a table must work without a JVM."""

from __future__ import annotations

import json
import platform
import re
import subprocess
import sys
from pathlib import Path

import pyspark
import pytest
from engines import Engine, Shape, frame, record

import hudilite
from hudilite import cli, output


def test_history_as_json_has_one_object_a_commit(golden_root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["history", "--json", str(golden_root / "cow-basic-v9" / "table")]) == 0
    commits = json.loads(capsys.readouterr().out)
    assert [c["operation"] for c in commits] == ["DELETE", "UPSERT", "INSERT"]


@pytest.mark.parametrize("command", ["timeline", "history", "files"])
def test_text_has_a_heading_and_a_line_for_each_row(
    golden_root: Path, capsys: pytest.CaptureFixture[str], command: str
) -> None:
    assert cli.main([command, str(golden_root / "cow-basic-v6" / "table")]) == 0
    assert len(capsys.readouterr().out.splitlines()) == 2 + 3


def test_an_error_is_one_line_and_exit_code_1(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["files", str(tmp_path)]) == 1
    assert capsys.readouterr().err == (
        f"error: [TABLE_NOT_FOUND] There is no Hudi table at {tmp_path}: it has no .hoodie/hoodie.properties.\n"
    )


def test_jar_and_packages_fit_the_installed_spark(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["jar"]) == 0
    assert capsys.readouterr().out.strip() == hudilite.jar()
    assert cli.main(["packages"]) == 0
    assert capsys.readouterr().out.strip() == hudilite.packages()


def test_a_look_at_a_table_loads_no_pyspark(golden_root: Path) -> None:
    program = (
        "import sys; from hudilite import cli; "
        f"code = cli.main(['files', {str(golden_root / 'cow-basic-v9' / 'table')!r}]); "
        "sys.exit(code or ('pyspark' in sys.modules) or ('py4j' in sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_history_stops_at_its_limit(golden_root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["history", "--json", "--limit", "1", str(golden_root / "cow-basic-v9" / "table")]) == 0
    assert [c["operation"] for c in json.loads(capsys.readouterr().out)] == ["DELETE"]


def base_files(path: Path) -> set[str]:
    return {str(file.relative_to(path)) for file in path.glob("*/*.parquet")}


@pytest.mark.each_spark
def test_a_cleaning_shows_and_does_the_same(lite: Engine, path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for n in range(5):
        rows = frame(lite.spark, [record("k", n, "2026-01-01", price=float(n))])
        lite.write(rows, path, **Shape(9).options(), **{"hoodie.clean.automatic": "false"})
    before = base_files(path)
    retain = ["--policy", "KEEP_LATEST_FILE_VERSIONS", "--retain", "2"]
    assert cli.main(["clean", str(path), "--json", "--dry-run", *retain]) == 0
    shown = {row["file"] for row in json.loads(capsys.readouterr().out)}
    assert len(shown) == 3 and base_files(path) == before
    assert cli.main(["clean", str(path), "--json", *retain]) == 0
    assert json.loads(capsys.readouterr().out) == [
        {"partition": "2026-01-01", "files": 3, "failed": 0, "removed": False}
    ]
    assert base_files(path) == before - shown


@pytest.mark.parametrize(
    "line",
    [["histroy", "/t"], ["history", "/t", "--limit", "0"], ["history"], ["files", "/t", "--limit", "1"],
     ["clean", "/t", "--retain", "-1"], []],
)  # fmt: skip
def test_a_wrong_command_line_is_told_in_one_line(line: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as left:
        cli.main(line)
    said = capsys.readouterr()
    assert left.value.code == 2 and not said.out
    assert said.err.startswith("error: ") and "--help" in said.err and said.err.count("\n") == 1


def test_a_damaged_table_is_told_in_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / ".hoodie").mkdir()
    (tmp_path / ".hoodie" / "hoodie.properties").write_text("hoodie.table.name=t\nhoodie.table.checksum=1\n")
    assert cli.main(["timeline", str(tmp_path)]) == 1
    said = capsys.readouterr().err
    assert said.startswith("error: [CORRUPT_TABLE_PROPERTIES] ") and said.count("\n") == 1


def test_env_says_which_jar_is_used(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["env", "--json"]) == 0
    facts = {row["what"]: row["value"] for row in json.loads(capsys.readouterr().out)}
    assert facts["hudilite"] == hudilite.__version__
    assert facts["spark"].startswith(pyspark.__version__) and hudilite.jar() in facts["spark"]
    assert (facts["pyspark"], facts["python"]) == (pyspark.__version__, platform.python_version())
    assert re.match(r"1[7-9]|2\d", facts["java"])
    assert {facts["jar for Spark 3.5"], facts["jar for Spark 4.0 to 4.3"]} > {hudilite.jar()}


def test_env_tells_what_is_missing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    (tmp_path / "jars").mkdir()
    (tmp_path / "jars" / "spark-sql_2.12-3.4.4.jar").touch()
    monkeypatch.setenv("SPARK_HOME", str(tmp_path))
    assert cli.main(["env", "--json"]) == 0
    facts = {row["what"]: row["value"] for row in json.loads(capsys.readouterr().out)}
    assert facts["java"] == f"not found in JAVA_HOME={tmp_path}"
    assert "no jar for Spark 3.4.4" in facts["spark"]


def test_text_aligns_numbers_to_the_right() -> None:
    rows = [{"name": "a", "rows": 5}, {"name": "long", "rows": 12345}, {"name": "none", "rows": None}]
    assert output.as_text(rows).splitlines() == [
        "name   rows",
        "----  -----",
        "a         5",
        "long  12345",
        "none      -",
    ]
    assert output.as_text([]) == "(none)"
