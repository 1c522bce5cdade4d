"""Values of Python's as SQL writes them: a procedure gets what was meant, whatever the session's settings."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession

import hudilite
from hudilite import driver

pytestmark = pytest.mark.each_spark

#: Beginnings of a quote, an escape, a comment, a marker or a variable, and letters of all sorts.
TEXTS = [
    *("", "plain", "it's", "''", "\\", "\\'", "'\\", 'say "hi"', "`c`", "a\\nb", "a\nb\r\tc", "ü 漢 😀", "\\u0041"),
    *("--", "/* no */", ";", ":a0", "?", "${spark.app.name}", "${env:HOME}", "$", "%_", "r'x'", "x\0y"),
]
VALUES: list[Any] = [None, True, False, 0, -1, 2**31, -(2**63) + 1]


@contextmanager
def setting(spark: SparkSession, name: str, value: str) -> Iterator[None]:
    spark.conf.set(name, value)
    try:
        yield
    finally:
        spark.conf.unset(name)


@pytest.mark.parametrize("escaped", ["true", "false"])
def test_a_literal_is_the_value(spark: SparkSession, escaped: str) -> None:
    with setting(spark, "spark.sql.parser.escapedStringLiterals", escaped):
        for values in (TEXTS, VALUES):
            asked = ", ".join(f"{driver.literal(value)} AS c{at}" for at, value in enumerate(values))
            assert list(spark.sql(f"SELECT {asked}").first()) == values  # type: ignore[arg-type]


@pytest.mark.parametrize("escaped", ["true", "false"])
def test_a_procedure_gets_what_was_meant(spark: SparkSession, tmp_path: Path, escaped: str) -> None:
    with setting(spark, "spark.sql.parser.escapedStringLiterals", escaped):
        path = str(tmp_path / "it's \\'a\\' ${spark.app.name}")
        rows = spark.range(2).selectExpr("id", "1 AS v")
        rows.write.format("hudilite").option("hoodie.datasource.write.recordkey.field", "id").save(path)
        table = hudilite.table(spark, path)
        saved = table.savepoint(comment='it\'s \\ "saved"\n${spark.app.name}')
        assert [s.comment for s in table.savepoints()] == [saved.comment] == ['it\'s \\ "saved"\n${spark.app.name}']
        table.delete_savepoint(saved.instant)
        assert len(table.history(limit=5)) == 1


def test_what_is_no_value_of_sql_is_refused_before_anything_is_asked() -> None:
    for value in (1.5, object(), b"x"):
        with pytest.raises(TypeError, match="cannot be passed"):
            driver.literal(value)  # type: ignore[arg-type]
