"""How a session is configured, and which jar it gets."""

from __future__ import annotations

import sys
from collections.abc import Callable
from inspect import signature
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pyspark
import pytest
from conditions import fails_with
from pyspark.sql import SparkSession

import hudilite
from hudilite import UnsupportedSpark, inspect, jars
from hudilite.jars import LINE_3_5, LINE_4
from hudilite.sessions import EXTENSION, SESSION_CATALOG


@pytest.fixture
def builder() -> SparkSession.Builder:
    return SparkSession.Builder()


@pytest.fixture
def installed(monkeypatch: pytest.MonkeyPatch) -> Any:
    def pretend(version: str, scala: str | None) -> None:
        monkeypatch.setattr(jars, "installed_spark", lambda: (version, scala))

    return pretend


def options_of(builder: SparkSession.Builder) -> dict[str, str]:
    return dict(builder._options)  # type: ignore[attr-defined]


def test_configure_appends_to_what_is_there(builder: SparkSession.Builder) -> None:
    builder.config("spark.jars", "/a.jar, /b.jar").config("spark.sql.extensions", "x.Y")
    options = options_of(hudilite.configure(builder))
    assert options["spark.jars"] == f"/a.jar,/b.jar,{hudilite.jar()}"
    assert options["spark.sql.extensions"] == f"x.Y,{EXTENSION}"
    assert options["spark.sql.catalog.spark_catalog"] == SESSION_CATALOG


def test_each_rule_is_there_once_though_spark_4_finds_the_extension_by_itself_too(spark: SparkSession) -> None:
    rules = spark._jsparkSession.sessionState().analyzer().extendedResolutionRules().iterator()
    names = []
    while rules.hasNext():
        names.append(str(rules.next().ruleName()))
    own = [name for name in names if name.startswith("io.hudilite.")]
    assert "io.hudilite.spark.catalog.statement.WritesRule" in own and len(own) == len(set(own)), own


def test_configure_leaves_a_session_catalog_that_is_configured(builder: SparkSession.Builder) -> None:
    builder.config("spark.sql.catalog.spark_catalog", "x.Catalog")
    assert options_of(hudilite.configure(builder))["spark.sql.catalog.spark_catalog"] == "x.Catalog"


def test_configure_twice_is_configure_once(builder: SparkSession.Builder) -> None:
    once = options_of(hudilite.configure(builder))
    assert options_of(hudilite.configure(builder)) == once


def test_configure_keeps_what_spark_defaults_sets(
    builder: SparkSession.Builder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "spark-defaults.conf").write_text(
        "# ours\nspark.jars\t /d.jar\nspark.sql.extensions = e.E\nspark.sql.catalog.spark_catalog: c.C\n"
    )
    monkeypatch.setenv("SPARK_CONF_DIR", str(tmp_path))
    options = options_of(hudilite.configure(builder))
    assert options["spark.jars"] == f"/d.jar,{hudilite.jar()}"
    assert options["spark.sql.extensions"] == f"e.E,{EXTENSION}"
    assert options["spark.sql.catalog.spark_catalog"] == "c.C"


def test_session_refuses_a_running_session_without_the_jar(monkeypatch: pytest.MonkeyPatch) -> None:
    bare = SimpleNamespace(conf={"spark.jars": "/other.jar"})
    monkeypatch.setattr(SparkSession, "getActiveSession", classmethod(lambda _: bare))
    with pytest.raises(RuntimeError, match="takes no new jars"):
        hudilite.session()


def test_session_hands_out_the_running_session(spark: SparkSession) -> None:
    assert hudilite.session(app_name="another").sparkContext is spark.sparkContext


def test_the_jar_fits_the_installed_pyspark() -> None:
    line = LINE_3_5 if pyspark.__version__.startswith("3.5") else LINE_4
    assert Path(hudilite.jar()).name == f"{line.artifact}-{hudilite.__version__}.jar"
    assert hudilite.packages() == f"io.hudilite:{line.artifact}:{hudilite.__version__}"


@pytest.mark.parametrize(
    ("version", "scala", "line"),
    [("3.5.0", "2.12", LINE_3_5), ("3.5.9", None, LINE_3_5), ("4.0.1", "2.13", LINE_4), ("4.3.0", None, LINE_4)],
)
def test_each_supported_spark_has_a_line(installed: Any, version: str, scala: str | None, line: jars.SparkLine) -> None:
    installed(version, scala)
    assert jars.spark_line() == line


@pytest.mark.parametrize(("version", "scala"), [("3.4.4", "2.12"), ("3.5.9", "2.13"), ("5.0.0", "2.13")])
def test_another_spark_is_refused_with_what_is_supported(installed: Any, version: str, scala: str) -> None:
    installed(version, scala)
    with pytest.raises(UnsupportedSpark, match=rf"no jar for Spark {version} built for Scala {scala}.*Spark 3\.5"):
        jars.spark_line()


def test_spark_home_wins_over_the_pyspark_package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "jars").mkdir()
    (tmp_path / "jars" / "spark-sql_2.13-4.1.2.jar").touch()
    monkeypatch.setenv("SPARK_HOME", str(tmp_path))
    assert jars.installed_spark() == ("4.1.2", "2.13")


def test_condition_of_finds_the_name_in_the_text_and_in_causes() -> None:
    own = ValueError("[UNKNOWN_OPTION] The option x is not known. SQLSTATE: 22023")
    outer = RuntimeError("[TASK_WRITE_FAILED] Job aborted")
    outer.__cause__ = own
    assert hudilite.condition_of(own) == "UNKNOWN_OPTION"
    assert hudilite.condition_of(outer) == "UNKNOWN_OPTION"
    assert hudilite.condition_of(RuntimeError("[TASK_WRITE_FAILED] and [a] list")) is None


def test_condition_of_knows_errors_that_python_raises(spark: SparkSession, tmp_path: Path) -> None:
    def condition(call: Any) -> str | None:
        with pytest.raises(Exception) as raised:
            call()
        return hudilite.condition_of(raised.value)

    def handled() -> None:
        try:
            inspect.timeline(str(tmp_path))
        except ValueError:
            raise RuntimeError("nothing to see")  # noqa: B904

    def hidden() -> None:
        try:
            inspect.timeline(str(tmp_path))
        except ValueError:
            raise RuntimeError("nothing to see") from None

    table = hudilite.table(spark, str(tmp_path))
    assert condition(lambda: inspect.timeline(str(tmp_path))) == "TABLE_NOT_FOUND"
    assert condition(lambda: table.clean("KEEP_ALL")) == "INVALID_OPTION_VALUE"  # type: ignore[arg-type]
    assert condition(lambda: table.cluster(target_bytes=0)) == "INVALID_OPTION_VALUE"
    assert (condition(handled), condition(hidden)) == ("TABLE_NOT_FOUND", None)


#: A value of each argument that it cannot have, and one that comes to the table.
WRONG: dict[str, object] = {
    "as_of": 5, "begin": None, "end": 5, "instant": 20260101, "comment": 5, "strategy": 5, "kind": 5, "layout": ["z"],
    "policy": 5, "sort_by": [5], "partition": None, "partitions": 5, "limit": "ten", "target_bytes": 0.5,
    "buckets": "8", "retain": "3", "days": True, "dry_run": "no", "if_due": 1, "fix": "yes", "deep": "yes",
    "timeout": "1", "name": 5, "retentionHours": "24", "rows": [(1, "a")], "source": "trips", "condition": 5,
    "set": {"fare": 1}, "options": [("a", "b")],
    "progress": "bar", "file": 5, "most_files": 1.5,
}  # fmt: skip


def test_each_argument_of_each_method_is_refused_with_its_name_before_anything_is_done(
    spark: SparkSession, tmp_path: Path
) -> None:
    table = hudilite.table(spark, str(tmp_path / "nothing"))
    methods = [(name, getattr(table, name)) for name in dir(table) if not name.startswith("_")]
    right: dict[str, object] = {"rows": spark.range(1), "source": spark.range(1)}
    seen = set()
    for name, method in methods:
        parameters = signature(method).parameters if callable(method) else {}
        for argument, parameter in parameters.items():
            others = (p for p in parameters.values() if p.default is p.empty and p is not parameter)
            needed = {other.name: right.get(other.name, "x") for other in others}
            with pytest.raises(TypeError) as raised:
                method(**{**needed, argument: WRONG[argument]})
            assert hudilite.condition_of(raised.value) == "INVALID_OPTION_VALUE", name
            assert f"of {argument} is not valid" in str(raised.value) and "\n" not in str(raised.value)
            seen.add(argument)
    assert seen == WRONG.keys()
    for call in (lambda: hudilite.table(spark, 5), lambda: hudilite.table(spark, ""), lambda: table.history(-1)):  # type: ignore[arg-type]
        with fails_with("INVALID_OPTION_VALUE"):
            call()


def test_wrong_values_of_the_right_type_are_refused_where_they_are_read(spark: SparkSession, tmp_path: Path) -> None:
    path = str(tmp_path / "t")
    keys = {"hoodie.datasource.write.recordkey.field": "id", "hoodie.datasource.write.table.type": "MERGE_ON_READ"}
    spark.range(1).write.format("hudilite").options(**keys).mode("overwrite").save(path)
    table = hudilite.table(spark, path)
    calls: list[tuple[str, Callable[[], object]]] = [
        ("INVALID_INSTANT", lambda: table.rows(as_of="soon")),
        ("INVALID_INSTANT", lambda: table.changes("soon")),
        ("INVALID_OPTION_VALUE", lambda: table.compact(kind="both")),  # type: ignore[call-overload]
        ("INVALID_OPTION_VALUE", lambda: table.compact(strategy="Fancy")),
        ("INVALID_OPTION_VALUE", lambda: table.schedule_compaction(strategy="Fancy")),
        ("INVALID_OPTION_VALUE", lambda: table.cluster("id", "spiral")),  # type: ignore[arg-type,call-overload]
        ("INVALID_OPTION_VALUE", lambda: table.cluster(layout="zorder")),
        ("MISSING_COLUMN", lambda: table.schedule_clustering("nobody")),
        ("INVALID_OPTION_VALUE", lambda: table.cluster(partitions="nowhere")),
        ("INVALID_OPTION_VALUE", lambda: table.clean(retain=0)),
        ("INVALID_OPTION_VALUE", lambda: table.advise(0)),
        ("INVALID_OPTION_VALUE", lambda: table.indexes(most_files=-1)),
        ("INVALID_OPTION_VALUE", lambda: table.expire_partitions(-1)),
        ("PARTITION_NOT_FOUND", lambda: table.delete_partition("nowhere")),
        ("INVALID_OPTION_VALUE", lambda: table.delete_partition([])),
        ("COMPACTION_NOT_FOUND", lambda: table.compact("20200101000000000")),
        ("CLUSTERING_NOT_FOUND", lambda: table.cluster(instant="20200101000000000")),
        ("ROLLBACK_NOT_POSSIBLE", lambda: table.rollback("soon")),
        ("RESTORE_NOT_POSSIBLE", lambda: table.restore("soon")),
        ("SAVEPOINT_NOT_POSSIBLE", lambda: table.savepoint("soon")),
        ("SAVEPOINT_NOT_FOUND", lambda: table.delete_savepoint("soon")),
        *(
            ("UNKNOWN_OPTION", lambda call=call: call(options={"hoodie.clean.polcy": "x"}))
            for call in (
                table.compact,
                table.cluster,
                table.clean,
                table.archive,
                table.services,
                table.doctor,
                table.advise,
            )
        ),
    ]
    told = []
    for at, (condition, call) in enumerate(calls):
        try:
            call()
        except Exception as error:
            told.append((at, condition, hudilite.condition_of(error)))
        else:
            told.append((at, condition, "nothing"))
    assert [each for each in told if each[1] != each[2]] == []


def test_a_table_handle_can_be_made_more_than_once(spark: SparkSession, golden_root: Path) -> None:
    path = str(golden_root / "cow-basic-v9" / "table")
    assert hudilite.table(spark, path) == hudilite.table(spark, path)
    assert [commit.operation for commit in hudilite.table(spark, path).history(limit=2)] == ["DELETE", "UPSERT"]
    assert hudilite.table(spark, path).timeline()[0].state == "completed"


def test_a_table_handle_tells_its_history_and_files_without_pyarrow_or_fastavro(
    spark: SparkSession, golden_root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    scenarios = ["cow-basic-v6", "cow-basic-v9", "insert-overwrite-v9", "mor-logs-v8"]
    paths = [str(golden_root / scenario / "table") for scenario in scenarios]
    expected = [(inspect.timeline(path), inspect.history(path), inspect.files(path)) for path in paths]
    for package in ("pyarrow", "fastavro"):
        monkeypatch.setitem(sys.modules, package, None)
    tables = [hudilite.table(spark, path) for path in paths]
    assert [(table.timeline(), table.history(), table.files()) for table in tables] == expected


def test_a_table_handle_names_what_is_wrong(spark: SparkSession, tmp_path: Path) -> None:
    table = hudilite.table(spark, str(tmp_path))
    for call in (table.timeline, table.history, table.files):
        with fails_with("TABLE_NOT_FOUND"):
            call()
